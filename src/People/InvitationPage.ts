import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpRouter from "@effect/platform/HttpRouter"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import type { InvitationLetter } from "@troupe/domain/Team"
import { Effect, type Layer, Option } from "effect"
import { createHash } from "node:crypto"
import { inviterOf, teamOf } from "./InvitationText.ts"
import { Team } from "./Team.ts"

interface PageOptions {
  readonly publicUrl: URL
  /** OIDC_ISSUER, where people sign in. */
  readonly issuer: string
}

/** What an invitation mail links to: who invites, to what, and how to sign in. Reading it accepts nothing. */
export const layer = (options: PageOptions): Layer.Layer<never, never, Team> =>
  HttpApiBuilder.Router.use((router) =>
    Effect.flatMap(Team, ({ letter }) =>
      router.get(
        "/invitation/:id",
        Effect.map(
          Effect.flatMap(HttpRouter.params, ({ id = "" }) => letter(id)),
          Option.match({
            onNone: () => pageOf(404, "No such invitation", [notFound]),
            onSome: (found) => letterPageOf(found, options)
          })
        )
      ))
  )

const notFound = "<p>It may have been withdrawn. Ask the person who invited you for a new one.</p>"

const letterPageOf = (letter: InvitationLetter, { issuer, publicUrl }: PageOptions) => {
  if (letter.status === "active") {
    return pageOf(200, "This invitation was accepted", ["<p>Sign in with the same account as before.</p>"])
  }
  if (!letter.is_valid) {
    return pageOf(200, "This invitation is no longer valid", [
      "<p>The person who invited you may no longer invite. Ask the team for a new invitation.</p>"
    ])
  }
  const [email, service] = [escaped(letter.email), escaped(publicUrl.href)]
  return pageOf(200, "Invitation to a team on Troupe", [
    `<p><strong>${escaped(inviterOf(letter))}</strong> invites <strong>${email}</strong> to ${escaped(teamOf(letter))}`
    + ` at ${service} as ${letter.role === "admin" ? "an admin" : "a member"}.</p>`,
    "<h2>How to accept</h2>",
    `<ol><li>Sign in at ${escaped(issuer)} as ${email}, the only address for which this invitation is.</li>`
    + "<li>Use the service with the ID token that you get there, for example on the command line:"
    + `<pre>TROUPE_URL=${service} TROUPE_TOKEN=&lt;ID token&gt; npx troupe list</pre></li></ol>`,
    "<p>Your first request with that token accepts the invitation. Opening this page changes nothing.</p>"
  ])
}

const style = "body{font:1rem/1.5 system-ui,sans-serif;max-width:40rem;margin:3rem auto;padding:0 1rem}"
  + "pre{overflow-x:auto;padding:.5rem;background:#eee;color:#111}"

const styleHash = createHash("sha256").update(style).digest("base64")

/** The address of the page is known to the invited person alone: nobody else learns it, and nothing keeps it. */
const headers = {
  "cache-control": "no-store",
  "content-security-policy":
    `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'; `
    + "frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
  "x-robots-tag": "noindex"
}

const pageOf = (status: number, title: string, parts: ReadonlyArray<string>) =>
  HttpServerResponse.text(
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">`
      + `<title>${title}</title><style>${style}</style></head><body><h1>${title}</h1>${parts.join("")}</body></html>`,
    { status, contentType: "text/html; charset=utf-8", headers }
  )

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  "\"": "&quot;",
  "'": "&#39;"
}

const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => entities[character] ?? character)
