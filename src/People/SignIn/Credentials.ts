import * as Cookies from "@effect/platform/Cookies"
import type { HttpServerResponse } from "@effect/platform/HttpServerResponse"
import * as Response from "@effect/platform/HttpServerResponse"
import { type Duration, Option, Redacted } from "effect"
import { createHash } from "node:crypto"

/** What a request shows of its sender. */
export interface SentRequest {
  readonly method: string
  readonly headers: Readonly<Record<string, string | undefined>>
}

const cookie = (publicUrl: URL, plainName: string) => {
  // The prefix makes browsers refuse the cookie from other hosts and from http. Plain http is for this machine only.
  const secure = publicUrl.protocol === "https:"
  const name = secure ? `__Host-${plainName}` : plainName
  const options = { path: "/", httpOnly: true, sameSite: "lax", secure } as const
  return {
    valueOf: ({ headers }: Pick<SentRequest, "headers">): Option.Option<Redacted.Redacted> =>
      Option.fromNullable(Cookies.parseHeader(headers["cookie"] ?? "")[name]).pipe(
        Option.filter((value) => value !== ""),
        Option.map(Redacted.make)
      ),
    set: (
      response: HttpServerResponse,
      value: Redacted.Redacted,
      maxAge: Duration.DurationInput
    ): HttpServerResponse => Response.unsafeSetCookie(response, name, Redacted.value(value), { ...options, maxAge }),
    remove: (response: HttpServerResponse): HttpServerResponse =>
      Response.unsafeSetCookie(response, name, "", { ...options, maxAge: 0 })
  }
}

/** The cookie of a session. */
export const sessionCookie = (publicUrl: URL) => cookie(publicUrl, "troupe_session")

/** The cookie that binds a sign-in to the browser that began it. */
export const signInCookie = (publicUrl: URL) => cookie(publicUrl, "troupe_sign_in")

/**
 * Whether a request with the cookie comes from a page of this service. Other sites may only link to what is read: browsers
 * send the cookie with such a link, and the other site can't see the response.
 */
export const isOwnPage = ({ origin }: URL, { headers, method }: SentRequest): boolean => {
  const site = headers["sec-fetch-site"]
  if (site === "same-origin") return true
  const reads = method === "GET" || method === "HEAD"
  if (site === "cross-site" || site === "same-site") return reads && headers["sec-fetch-mode"] === "navigate"
  return headers["origin"] === undefined ? reads : headers["origin"] === origin
}

/** By which a random secret is found, and from which it can't be computed. */
export const digestOf = (secret: Redacted.Redacted): string =>
  createHash("sha256").update(Redacted.value(secret)).digest("base64url")
