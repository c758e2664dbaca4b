import { assert, describe, it } from "@effect/vitest"
import { QueryClient, QueryObserver } from "@tanstack/react-query"
import { Deferred, Effect } from "effect"
import { readAgain } from "../../packages/console/src/service/ReadAgain.ts"

/** A list in view, whose first answer comes when the gate opens and says what there was when it was asked for. */
const makeList = Effect.gen(function*() {
  const gate = yield* Deferred.make<void>()
  const cache = new QueryClient()
  let now = "nothing"
  const queryKey = ["tasks"]
  const observer = new QueryObserver(cache, {
    queryKey,
    queryFn: async () => {
      const then = now
      await Effect.runPromise(Deferred.await(gate))
      return then
    }
  })
  yield* Effect.acquireRelease(
    Effect.sync(() => observer.subscribe(() => {})),
    (end) => Effect.sync(() => end())
  )
  return {
    answers: Deferred.succeed(gate, undefined),
    change: Effect.suspend(() => {
      now = "a question"
      const read = readAgain(cache, { queryKey })
      return Effect.succeed(Effect.promise(() => read))
    }),
    shown: Effect.sync(() => cache.getQueryData<string>(queryKey))
  }
})

describe("Reading again", () => {
  it.scoped("shows what has changed while the first answer was on its way", () =>
    Effect.gen(function*() {
      const list = yield* makeList
      const read = yield* list.change
      yield* list.answers
      yield* read
      assert.strictEqual(yield* list.shown, "a question")
    }))
})
