import { FetchHttpClient } from "@effect/platform"
import { assert, describe, it } from "@effect/vitest"
import { ProblemError } from "@troupe/api/Problem"
import * as TroupeClient from "@troupe/client/TroupeClient"
import { TroupeRpc, type TroupeRpcOptions, watch } from "@troupe/client/TroupeRpc"
import { selfHostedCaller, Unauthenticated } from "@troupe/domain/Caller"
import { Data, Effect, Exit, Fiber, Layer, Redacted, Ref, Stream, TestClock } from "effect"
import { Identity, withoutSeats } from "../../src/People/SignIn/Identity.ts"
import { makeFakes } from "../Http/Fakes.ts"
import { started } from "../Http/TestServer.ts"
import { eventually } from "../support/Eventually.ts"

const transport = (options: TroupeRpcOptions) => Layer.provide(TroupeRpc.layer(options), FetchHttpClient.layer)

const identity = Layer.succeed(Identity, {
  ...withoutSeats,
  authenticate: (request) =>
    request.headers["authorization"] === "Bearer good"
      ? Effect.succeed(selfHostedCaller)
      : new Unauthenticated({ reason: "Sign in." })
})

const hosted = Effect.map(
  Effect.suspend(() => started(makeFakes(), {}, identity)),
  (port) => `http://127.0.0.1:${port}`
)

class NoProvider extends Data.TaggedError("NoProvider")<{ readonly message: string }> {}

const expired = Redacted.make("expired")

const isRefused = (error: unknown) => {
  assert.instanceOf(error, ProblemError)
  assert.strictEqual(error.type, "/problems/unauthenticated")
}

/** With those of its causes. */
const messageOf = (error: unknown): string => error instanceof Error ? `${error.message} ${messageOf(error.cause)}` : ""

describe("The procedures", () => {
  it.scopedLive("a call with an expired token fails", () =>
    Effect.gen(function*() {
      const baseUrl = yield* hosted
      const call = Effect.flatMap(TroupeRpc, (rpc) => rpc.list({}))
      const error = yield* Effect.flip(Effect.provide(call, transport({ baseUrl, token: expired })))
      isRefused(error)
    }).pipe(Effect.timeout("15 seconds")))

  it.scopedLive("a fresh token is read, and one that can't be read fails the call", () =>
    Effect.gen(function*() {
      const baseUrl = yield* hosted
      const token = yield* Ref.make<Exit.Exit<Redacted.Redacted, NoProvider>>(Exit.succeed(expired))
      const layer = transport({ baseUrl, token: Effect.flatten(Ref.get(token)) })
      yield* Effect.provide(
        Effect.gen(function*() {
          const rpc = yield* TroupeRpc
          isRefused(yield* Effect.flip(rpc.list({})))
          yield* Ref.set(token, Exit.fail(new NoProvider({ message: "No identity provider" })))
          const answer = Effect.merge(Effect.as(rpc.list({}), null))
          yield* eventually(answer, (error) => messageOf(error).includes("No identity provider"))
          yield* Ref.set(token, Exit.succeed(Redacted.make("good")))
          yield* eventually(Effect.exit(rpc.list({})), Exit.isSuccess)
        }),
        layer
      )
    }))
})

it.scopedLive("The HTTP client reads its token for each request", () =>
  Effect.gen(function*() {
    const token = yield* Ref.make(expired)
    const client = yield* TroupeClient.make({ baseUrl: yield* hosted, token: Ref.get(token) })
    const error = yield* Effect.flip(client.tasks.list({ urlParams: {} }))
    assert.strictEqual(error._tag, "Unauthenticated")
    yield* Ref.set(token, Redacted.make("good"))
    assert.deepStrictEqual(yield* client.tasks.list({ urlParams: {} }), [])
  }).pipe(Effect.provide(FetchHttpClient.layer)))

it.effect("A watch that never gets an event fails after five tries", () =>
  Effect.gen(function*() {
    let calls = 0
    const fetch = () => {
      calls += 1
      return Promise.reject(new TypeError("Failed to fetch"))
    }
    const watching = yield* Effect.flatMap(TroupeRpc, (rpc) => Stream.runDrain(watch(rpc, { task_id: "1" }))).pipe(
      Effect.provide(transport({ baseUrl: "http://127.0.0.1:1" })),
      Effect.provideService(FetchHttpClient.Fetch, fetch),
      Effect.exit,
      Effect.fork
    )
    yield* Effect.raceFirst(Fiber.join(watching), Effect.forever(TestClock.adjust("5 seconds")))
    assert.strictEqual(calls, 5)
  }))
