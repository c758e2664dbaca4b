import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import { Timestamp } from "@troupe/domain/Timestamp"
import { Role, User } from "@troupe/domain/User"
import { Schema } from "effect"
import { Authentication, HostedOnly } from "./Authentication.ts"
import { checkedWhole, described, optional, titled } from "./Fields.ts"
import * as Problems from "./Problems.ts"

/** Who sends the request. */
export const SignedIn = Schema.Struct({
  user: User,
  role: Role.annotations({ description: "What the user may do in the team" }),
  signed_in_by: Schema.Literal("none", "token", "session").annotations({
    description: "none: a self-hosted service has no sign-in. token: an ID token. session: the cookie of a browser"
  }),
  renew_at: Schema.NullOr(Timestamp).annotations({
    description: "From when on a browser renews its session: it opens sign_in with prompt=none. null without a session"
  }),
  sign_in: Schema.NullOr(Schema.String).annotations({
    description: "The path at which browsers sign in; null where OIDC_CLIENT_ID is not set"
  })
}).annotations({ identifier: "SignedIn" })
export type SignedIn = typeof SignedIn.Type

export const LogoutRequest = Schema.Struct({
  everywhere: optional(
    Schema.Boolean.annotations({ description: "Ends all sessions of the user, in every browser; default: false" })
  )
}).annotations({ identifier: "LogoutRequest" })
export type LogoutRequest = typeof LogoutRequest.Type

const Redirect = HttpApiSchema.Empty(302)

/** The sign-in of browsers on a hosted service. */
export class SignInApi extends HttpApiGroup.make("signIn")
  .add(
    HttpApiEndpoint.get("login", "/auth/login")
      .setUrlParams(checkedWhole(Schema.Struct({
        return_to: Schema.optional(
          Schema.String.annotations({
            description: "Path of this service to which the browser goes afterwards; default: its first page"
          })
        ),
        prompt: Schema.optional(
          Schema.Literal("none").annotations({
            description: "none: renews the session of the browser if the identity provider need not ask the person "
              + "anything; otherwise the session stays as it is, and the browser goes to return_to"
          })
        )
      })))
      .addSuccess(Redirect)
      .middleware(HostedOnly)
      .annotateContext(
        described("Leads a browser to the identity provider's sign-in; an error is an HTML page")
      )
  )
  .add(
    HttpApiEndpoint.get("callback", "/auth/callback")
      .addSuccess(Redirect)
      .middleware(HostedOnly)
      .annotateContext(
        described(
          "Completes the sign-in that the browser began, and sets the cookie of its session; an error is an HTML page"
        )
      )
  )
  .add(
    HttpApiEndpoint.get("session", "/auth/session")
      .addSuccess(SignedIn)
      .addError(Problems.userNotFound)
      .middleware(Authentication)
      .annotateContext(described("The user who sends the request, and how they signed in"))
  )
  .add(
    HttpApiEndpoint.post("logout", "/auth/logout")
      .setPayload(checkedWhole(LogoutRequest))
      .addSuccess(HttpApiSchema.NoContent)
      .middleware(Authentication)
      .middleware(HostedOnly)
      .annotateContext(described("Ends the session of the browser; its event streams end too"))
  )
  .annotateContext(titled("Sign-in of browsers", "The sign-in of browsers on a hosted service."))
{}
