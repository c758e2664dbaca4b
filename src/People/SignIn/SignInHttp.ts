import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { CurrentUser } from "@troupe/api/Authentication"
import { RequestId } from "@troupe/api/Problem"
import { TroupeApi } from "@troupe/api/TroupeApi"
import { isSelfHosted } from "@troupe/domain/Caller"
import { type Duration, Effect, Option } from "effect"
import { Users } from "../User/Users.ts"
import { sessionCookie, signInCookie } from "./Credentials.ts"
import { escapedHtml, pageButton, plainPage } from "./PlainPage.ts"
import { SignIn, signInAddresses, type SignInFailed, ticketLifetime } from "./SignIn.ts"

export const SignInHttp = (
  { maxTime, publicUrl }: { readonly publicUrl: URL; readonly maxTime: Duration.Duration }
) =>
  HttpApiBuilder.group(TroupeApi, "signIn", (handlers) =>
    Effect.gen(function*() {
      const signIn = yield* SignIn
      const users = yield* Users
      const tickets = signInCookie(publicUrl)
      const cookie = sessionCookie(publicUrl)
      const again = signIn.path === null
        ? []
        : [pageButton(signInAddresses(publicUrl).login.href, "Sign in again")]

      const orPage = <R>(response: Effect.Effect<HttpServerResponse.HttpServerResponse, SignInFailed, R>) =>
        Effect.catchTag(response, "SignInFailed", ({ reason, status }) =>
          Effect.map(RequestId, (id) =>
            plainPage(status, "You are not signed in", [
              `<p>${escapedHtml(reason)}</p>`,
              ...again,
              `<p>Request ${escapedHtml(id)}</p>`
            ])))

      return handlers
        .handle("login", ({ urlParams }) =>
          urlParams.prompt === "none" && signIn.path !== null
            ? Effect.map(signIn.beginRenewal(urlParams.return_to), ({ page, ticket }) =>
              Option.match(ticket, {
                onNone: () => HttpServerResponse.redirect(page),
                onSome: (ticket) =>
                  tickets.set(HttpServerResponse.redirect(page), ticket, ticketLifetime)
              }))
            : Effect.map(
              signIn.begin(urlParams.return_to),
              ({ page, ticket }) =>
                tickets.set(HttpServerResponse.redirect(page), ticket, ticketLifetime)
            ).pipe(orPage))
        .handle(
          "callback",
          ({ request }) =>
            Effect.map(signIn.complete(request), ({ next, session }) => {
              const response = tickets.remove(HttpServerResponse.redirect(next))
              return Option.match(session, {
                onNone: () => response,
                onSome: (session) => cookie.set(response, session, maxTime)
              })
            }).pipe(orPage)
        )
        .handle("session", ({ request }) =>
          Effect.gen(function*() {
            const caller = yield* CurrentUser
            const by = isSelfHosted(caller)
              ? "none"
              : request.headers["authorization"] === undefined
              ? "session"
              : "token"
            const renewAt = by === "session" ? yield* signIn.renewAt(request) : Option.none()
            return {
              user: yield* users.existing(caller.id),
              role: caller.role,
              signed_in_by: by,
              renew_at: Option.getOrNull(renewAt),
              sign_in: signIn.path
            }
          }))
        .handle("logout", ({ payload, request }) =>
          CurrentUser.pipe(
            Effect.flatMap((caller) => signIn.end(request, caller, payload.everywhere === true)),
            Effect.as(cookie.remove(HttpServerResponse.empty({ status: 204 })))
          ))
    }))
