import * as HttpRouter from "@effect/platform/HttpRouter"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import { AdminOnly, Authentication, CurrentUser, HostedOnly, WebhookAuthentication } from "@troupe/api/Authentication"
import { ProblemError } from "@troupe/api/Problem"
import { type Caller, isSelfHosted, Unauthenticated } from "@troupe/domain/Caller"
import { TeamNotFound } from "@troupe/domain/Team"
import { plural } from "@troupe/domain/Text"
import { Context, Effect, Layer, Option } from "effect"
import { BlockList, isIP } from "node:net"
import { hasSecret, howToSign, type WebhookSecrets } from "../Intake/Webhook/WebhookSignature.ts"
import { Identity } from "../People/SignIn/Identity.ts"
import { IncomingRequest } from "../Runtime/IncomingRequest.ts"
import { addressNamed } from "../Runtime/NetworkAddress.ts"
import type { Allowance, RateLimits } from "../Runtime/RateLimits.ts"
import type { HttpOptions } from "./HttpOptions.ts"

const family = (address: string) => isIP(address) === 6 ? "ipv6" : "ipv4"

/** The address of the socket or, behind a trusted proxy, the one that the proxy reports. */
export const callerAddress = (trustedProxies: ReadonlyArray<string>) => {
  const trusted = new BlockList()
  for (const entry of trustedProxies) {
    const [network = "", bits] = entry.split("/")
    if (isIP(network) === 0) continue
    if (bits === undefined) trusted.addAddress(network, family(network))
    else trusted.addSubnet(network, Number(bits), family(network))
  }
  const isTrusted = (address: string) => isIP(address) !== 0 && trusted.check(address, family(address))
  return (socketAddress: string, forwardedFor: string | undefined): string => {
    let address = addressNamed(socketAddress) ?? socketAddress
    if (forwardedFor === undefined || !isTrusted(address)) return address
    for (const part of forwardedFor.split(",").filter((part) => part.trim() !== "").toReversed()) {
      const hop = addressNamed(part)
      if (hop === null) return address
      address = hop
      if (!isTrusted(hop)) return address
    }
    return address
  }
}

export const requestAddress = (trustedProxies: ReadonlyArray<string>) => {
  const addressOf = callerAddress(trustedProxies)
  return ({ headers, remoteAddress }: HttpServerRequest.HttpServerRequest): string =>
    addressOf(Option.getOrElse(remoteAddress, () => ""), headers["x-forwarded-for"])
}

/** The rate limit applies to the user, or to the address if self-hosted. */
export const limitKey = (caller: Caller, address: string): string =>
  isSelfHosted(caller) ? `address ${address}` : `user ${caller.id}`

/** Counts the current request for the caller that authentication finds. */
export class CallerRate extends Context.Reference<CallerRate>()("troupe/Http/Callers/CallerRate", {
  defaultValue: (): { readonly take: (caller: string) => Effect.Effect<void> } => ({ take: () => Effect.void })
}) {}

export const makeRequestRate = (limits: RateLimits["Type"]) => {
  let key: string | null = null
  let allowance: Allowance | null = null
  return {
    take: (caller: string): Effect.Effect<void> =>
      Effect.flatMap(limits.take(caller), (found) => {
        key = caller
        allowance = found
        if (found === null || found.retrySeconds === 0) return Effect.void
        return Effect.die(ProblemError.of("rate-limited", `Try again in ${plural(found.retrySeconds, "second")}.`))
      }),
    /** For whom the request was counted; null before. */
    key: () => key,
    headers: (): Readonly<Record<string, string>> => allowance === null ? {} : headersOf(allowance)
  }
}

/** The fields of draft-ietf-httpapi-ratelimit-headers-10. */
const headersOf = ({ perMinute, remaining, resetSeconds, retrySeconds }: Allowance) => ({
  "ratelimit-policy": `"caller";q=${perMinute};w=60`,
  ratelimit: `"caller";r=${remaining};t=${resetSeconds}`,
  ...(retrySeconds === 0 ? {} : { "retry-after": String(retrySeconds) })
})

/** Counts the request for its user; without a sign-in it was counted for its address. */
export const countCall = (caller: Caller) =>
  isSelfHosted(caller) ? Effect.void : Effect.flatMap(CallerRate, ({ take }) => take(`user ${caller.id}`))

/** Who calls. The platform passes on the end of any `Authorization` header, so the whole is read. */
const signedIn = ({ authenticate }: Identity["Type"]) =>
  HttpServerRequest.HttpServerRequest.pipe(
    Effect.flatMap(authenticate),
    Effect.tap(countCall)
  )

/** Of a type whose signature is verified, any other token than a member's may be one that the sender uses everywhere. */
const webhookMember = (identity: Identity["Type"], secrets: WebhookSecrets) => {
  const member = Effect.map(signedIn(identity), (caller) => isSelfHosted(caller) ? null : caller)
  const ofNobody = Effect.flatMap(IncomingRequest, ({ count }) => Effect.as(count, null))
  return Effect.flatMap(HttpRouter.params, ({ webhook_type: type = "" }) =>
    hasSecret(secrets, type)
      ? Effect.catchTags(member, { NotAllowed: () => ofNobody, Unauthenticated: () => ofNobody })
      : Effect.mapError(member, (refusal) =>
        refusal._tag === "Unauthenticated"
          ? new Unauthenticated({ reason: `${refusal.reason} ${howToSign(type)}` })
          : refusal))
}

/** The middleware of `POST /webhook/{type}`. */
export const layerWebhooks = (secrets: WebhookSecrets): Layer.Layer<WebhookAuthentication, never, Identity> =>
  Layer.effect(
    WebhookAuthentication,
    Effect.map(Identity, (identity) => ({ idToken: () => webhookMember(identity, secrets) }))
  )

/** The middleware of the other endpoints. */
export const layer = (
  { deploymentMode }: Pick<HttpOptions, "deploymentMode">
): Layer.Layer<Authentication | AdminOnly | HostedOnly, never, Identity> =>
  Layer.mergeAll(
    Layer.effect(Authentication, Effect.map(Identity, (identity) => ({ idToken: () => signedIn(identity) }))),
    Layer.effect(
      AdminOnly,
      Effect.map(Identity, ({ checkAdmin }) =>
        Effect.flatMap(
          Effect.serviceOption(CurrentUser),
          Option.match({ onNone: () => Effect.dieMessage("AdminOnly runs after Authentication"), onSome: checkAdmin })
        ))
    ),
    Layer.succeed(HostedOnly, deploymentMode === "hosted" ? Effect.void : new TeamNotFound())
  )
