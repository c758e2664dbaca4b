import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpRouter from "@effect/platform/HttpRouter"
import type { InvitationLetter, MemberId } from "@troupe/domain/Team"
import { Effect, type Layer, Option } from "effect"
import { addressBelow } from "../../Runtime/PublicAddress.ts"
import { Team } from "../Team/Team.ts"
import { escapedHtml, pageButton, plainPage } from "./PlainPage.ts"

interface PageOptions {
  readonly publicUrl: URL
  /** OIDC_ISSUER, where people sign in. */
  readonly issuer: string
  /** Where browsers sign in and return to the console; null where they can't. */
  readonly login: URL | null
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
            onNone: () => plainPage(404, "No such invitation", [notFound]),
            onSome: (found) => invitationPage(found, options)
          })
        )
      ))
  )

const notFound = "<p>It may have been withdrawn. Ask the person who invited you for a new one.</p>"

/** The page of an invitation. */
export const invitationPage = (letter: InvitationLetter, options: PageOptions) => {
  const { login } = options
  if (letter.status === "active") {
    return plainPage(200, "This invitation was accepted", [
      "<p>Sign in with the same account as before.</p>",
      ...(login === null ? [] : [signInButton(login)])
    ])
  }
  if (!letter.is_valid) {
    return plainPage(200, "This invitation is no longer valid", [
      "<p>The person who sent it has left the team or may no longer invite people. Ask your team for a new invitation.</p>"
    ])
  }
  const email = escapedHtml(letter.email)
  return plainPage(200, "You are invited to Troupe", [
    `<p><strong>${escapedHtml(inviterOf(letter))}</strong> invites <strong>${email}</strong> to ${
      escapedHtml(teamOf(letter))
    } as ${letter.role === "admin" ? "an admin" : "a member"}.</p>`,
    "<p>Troupe is an assistant for your team. You describe a piece of work in your own words. It does the work, asks you "
    + "when it needs a decision, and hands you the result.</p>",
    ...(login === null ? withProgram(letter, options) : [
      signInButton(login, "Accept and sign in"),
      `<p>Sign in with your work account ${email}. The invitation is for this address only.</p>`
    ])
  ])
}

/** By its path alone: the page and the sign-in are of one host. */
const signInButton = ({ pathname, search }: URL, text = "Sign in"): string => pageButton(pathname + search, text)

/** Where browsers can't sign in. */
const withProgram = (letter: InvitationLetter, { issuer, publicUrl }: PageOptions): ReadonlyArray<string> => {
  const email = escapedHtml(letter.email)
  return [
    "<p>Signing in with a browser is not set up yet. Ask the person who invited you to set it up; then this page has a "
    + "button to sign in.</p>",
    ...(letter.inviter === null ? [] : [askButton(letter.inviter.email)]),
    "<details><summary>For programmers: accept it with the command line</summary>",
    `<ol><li>Sign in at ${escapedHtml(issuer)} as ${email}, the only address for which this invitation is.</li>`
    + "<li>Use the service with the ID token that you get there. Your first request accepts the invitation:"
    + `<pre>TROUPE_URL=${
      escapedHtml(publicUrl.href)
    } TROUPE_TOKEN=&lt;ID token&gt; npx troupe tasks</pre></li></ol></details>`
  ]
}

/** A mail to the person who invited. */
const askButton = (address: string): string =>
  pageButton(
    `mailto:${encodeURIComponent(address)}?subject=${
      encodeURIComponent("Please set up the sign-in of Troupe (OIDC_CLIENT_ID)")
    }`,
    "Ask for the sign-in"
  )

type Person = NonNullable<InvitationLetter["owner"]>

/** Names are entered by people: without what could end a line, or be markup or an address. */
const plain = (name: string): string =>
  name.replace(/[^\p{L}\p{M}\p{N} '-]+/gu, " ").replace(/ +/g, " ").trim().slice(0, 100)

const nameOf = ({ email, name }: Person): string => {
  const given = plain(name ?? "")
  return given === "" ? email : `${given} (${email})`
}

export const inviterOf = ({ inviter }: Pick<InvitationLetter, "inviter">): string =>
  inviter === null ? "The operator of the service" : nameOf(inviter)

/** A deployment is one team, known by its owner. */
export const teamOf = ({ inviter, owner }: Pick<InvitationLetter, "inviter" | "owner">): string =>
  owner === null || inviter?.email === owner.email ? "their team" : `the team of ${nameOf(owner)}`

export const invitationAddress = (publicUrl: URL, id: MemberId): string =>
  addressBelow(publicUrl, `invitation/${id}`).href
