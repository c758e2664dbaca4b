import * as HttpApiMiddleware from "@effect/platform/HttpApiMiddleware"
import * as HttpApiSecurity from "@effect/platform/HttpApiSecurity"
import * as OpenApi from "@effect/platform/OpenApi"
import type { Caller } from "@troupe/domain/Caller"
import { Context, Schema } from "effect"
import * as Problems from "./Problems.ts"

/** The caller of the current request. Work of the service itself has none. */
export class CurrentUser extends Context.Tag("@troupe/api/Authentication/CurrentUser")<CurrentUser, Caller>() {}

const refusals = Schema.Union(Problems.unauthenticated, Problems.notAllowed, Problems.signInUnavailable)

const idToken = HttpApiSecurity.bearer.pipe(
  HttpApiSecurity.annotateContext(
    OpenApi.annotations({
      description:
        "Hosted mode: an ID token of the identity provider, or a token of POST /api/tokens. Browsers may have the cookie of a session instead, "
        + "which counts only on pages of the service (GET /auth/login). A self-hosted service ignores both."
    })
  )
)

/**
 * Requires a valid ID token, access token or session in hosted mode. It runs after the routing and before anything of the body is read. An
 * endpoint without it is open to everyone.
 */
export class Authentication extends HttpApiMiddleware.Tag<Authentication>()("@troupe/api/Authentication", {
  provides: CurrentUser,
  failure: refusals,
  security: { idToken }
}) {}

/** The member whose token a webhook has; null: nobody's, so that its signature must be verified, or the service is self-hosted. */
export class WebhookMember
  extends Context.Tag("@troupe/api/Authentication/WebhookMember")<WebhookMember, Caller | null>()
{}

/**
 * Requires what `Authentication` does, except of a webhook of a type with a secret: the endpoint verifies its signature, and
 * a token in it counts only if it is a member's.
 */
export class WebhookAuthentication
  extends HttpApiMiddleware.Tag<WebhookAuthentication>()("@troupe/api/Authentication/WebhookAuthentication", {
    provides: WebhookMember,
    failure: refusals,
    security: { idToken }
  })
{}

/**
 * An endpoint whose requests do not count against the rate limit of an address: for probes and scrapers, and for the chat
 * platform, whose forged requests are counted after the check of their signature.
 */
export class Uncounted extends Context.Reference<Uncounted>()("@troupe/api/Authentication/Uncounted", {
  defaultValue: () => false
}) {}

/** Requires an owner or admin. On an endpoint, it comes before `Authentication`, which then runs first. */
export class AdminOnly extends HttpApiMiddleware.Tag<AdminOnly>()("@troupe/api/Authentication/AdminOnly", {
  failure: Problems.notAllowed
}) {}

/** Nothing of the endpoint can be seen on a self-hosted service. It comes after `Authentication`, and runs first. */
export class HostedOnly extends HttpApiMiddleware.Tag<HostedOnly>()("@troupe/api/Authentication/HostedOnly", {
  failure: Problems.teamNotFound
}) {}
