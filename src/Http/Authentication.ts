import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import { AdminOnly, Authentication, CurrentUser, HostedOnly } from "@troupe/api/Authentication"
import { type Caller, isAdmin, isSelfHosted, NotAllowed } from "@troupe/domain/Caller"
import { TeamNotFound } from "@troupe/domain/Team"
import { Effect, Layer, Option } from "effect"
import { Identity } from "../People/Identity.ts"
import { CallerRate } from "./CallerRate.ts"
import type { HttpOptions } from "./HttpOptions.ts"

const adminsOnly = Effect.flatMap(
  Effect.serviceOption(CurrentUser),
  (caller) =>
    Option.exists(caller, isAdmin)
      ? Effect.void
      : new NotAllowed({ reason: "Only an owner or admin of the team may do this." })
)

/** Counts the request for its user; without a sign-in it was counted for its address. */
export const countCall = (caller: Caller) =>
  isSelfHosted(caller) ? Effect.void : Effect.flatMap(CallerRate, ({ take }) => take(`user ${caller.id}`))

/** The middleware of the endpoints. The platform passes on the end of any `Authorization` header, so the whole is read. */
export const layer = (
  { deploymentMode }: Pick<HttpOptions, "deploymentMode">
): Layer.Layer<Authentication | AdminOnly | HostedOnly, never, Identity> =>
  Layer.mergeAll(
    Layer.effect(
      Authentication,
      Effect.map(Identity, ({ authenticate }) => ({
        idToken: () =>
          Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ headers }) => authenticate(headers["authorization"]))
            .pipe(
              Effect.tap(countCall)
            )
      }))
    ),
    Layer.succeed(AdminOnly, adminsOnly),
    Layer.succeed(HostedOnly, deploymentMode === "hosted" ? Effect.void : new TeamNotFound())
  )
