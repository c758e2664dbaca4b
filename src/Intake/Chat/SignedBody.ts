import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import { SignatureInvalid } from "@troupe/domain/TeamChat"
import { Clock, Context, Effect, Layer, Option, type Redacted } from "effect"
import { IncomingRequest } from "../../Runtime/IncomingRequest.ts"
import { checkSignature } from "./ChatSignature.ts"

/** What the platform sends is far smaller. */
const maxBytes = 1024 * 1024

/** Requests that only the chat platform can make. */
export class SignedBody extends Context.Tag("troupe/Intake/Chat/SignedBody")<SignedBody, {
  /** The bytes of the body, if the platform signed them within the last minutes. */
  readonly read: (request: HttpServerRequest.HttpServerRequest) => Effect.Effect<Uint8Array, SignatureInvalid>
}>() {
  /** Without a secret every request is refused. */
  static readonly layer = (secret: Option.Option<Redacted.Redacted>): Layer.Layer<SignedBody> =>
    Layer.succeed(this, {
      read: (request) =>
        Option.match(secret, {
          onNone: () => refused("it can't be checked: set CHAT_SIGNING_SECRET"),
          onSome: (secret) =>
            Effect.gen(function*() {
              // It fails with problems that every endpoint may answer.
              const body = yield* Effect.orDie((yield* IncomingRequest).body(maxBytes))
              const now = yield* Clock.currentTimeMillis
              yield* Effect.catchAll(checkSignature(secret, { headers: request.headers, body }, now), refused)
              return body
            })
        })
    })
}

const refused = (because: string) =>
  Effect.zipRight(
    Effect.logWarning(`Refused a request that was to come from the chat platform: ${because}`),
    new SignatureInvalid({ reason: `The request was not made by the chat platform: ${because}.` })
  )
