import { type Caller, type NotAllowed, selfHostedCaller, type Unauthenticated } from "@troupe/domain/Caller"
import { Context, Effect, Layer } from "effect"

/** Who a request comes from. */
export class Identity extends Context.Tag("troupe/People/Identity")<Identity, {
  /** Takes the header `Authorization`. A valid token of someone outside the team is not allowed. */
  readonly authenticate: (authorization: string | undefined) => Effect.Effect<Caller, Unauthenticated | NotAllowed>
}>() {
  /** Self-hosted: no sign-in. */
  static readonly layerSelfHosted: Layer.Layer<Identity> = Layer.succeed(this, {
    authenticate: () => Effect.succeed(selfHostedCaller)
  })
}
