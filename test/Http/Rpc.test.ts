import { FetchHttpClient } from "@effect/platform"
import { NodeSocket } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { ProblemError } from "@troupe/api/Problem"
import type { TaskEvent } from "@troupe/api/TaskEvent"
import { TroupeRpc } from "@troupe/client/TroupeRpc"
import { TaskNotFound, TaskStateConflict } from "@troupe/domain/Task"
import { Chunk, Effect, Layer, Option, type Scope, Stream } from "effect"
import { type Fakes, idOf, makeFakes } from "./Fakes.ts"
import { onServer, started } from "./TestServer.ts"

const transports = {
  http: (port: number) =>
    TroupeRpc.layer({ baseUrl: `http://127.0.0.1:${port}` }).pipe(Layer.provide(FetchHttpClient.layer)),
  webSocket: (port: number) =>
    TroupeRpc.layerWebSocket({ baseUrl: `http://127.0.0.1:${port}` }).pipe(
      Layer.provide(NodeSocket.layerWebSocketConstructor)
    )
}

const event = (n: number): TaskEvent => ({ _tag: "status", id: `${n}.0`, status: "running", error: null })

for (const [name, transport] of Object.entries(transports)) {
  const withRpc = <A, E>(
    f: (rpc: TroupeRpc["Type"], fakes: Fakes) => Effect.Effect<A, E, Scope.Scope>,
    settings: Readonly<Record<string, string>> = {}
  ) =>
    Effect.gen(function*() {
      const fakes = makeFakes()
      const port = yield* started(fakes, settings)
      return yield* Effect.provide(Effect.flatMap(TroupeRpc, (rpc) => f(rpc, fakes)), transport(port))
    })

  describe(`Procedures over ${name}`, () => {
    it.scopedLive("submit, get, list and cancel reach the use-cases of the endpoints", () =>
      withRpc((rpc, fakes) =>
        Effect.gen(function*() {
          const task = yield* rpc.submit({ message: "m", title: "t", idempotency_key: "k" })
          assert.strictEqual(task.id, idOf(1))
          assert.strictEqual(fakes.submitted[0]?.idempotency?.key, "k")
          assert.deepStrictEqual(yield* rpc.get({ task_id: task.id }), task)
          yield* rpc.submit({ message: "m" })
          const page = yield* rpc.list({ limit: 1 })
          assert.deepStrictEqual([page.items.map(({ id }) => id), page.next], [[idOf(2)], idOf(2)])
          assert.isNull((yield* rpc.list({ cursor: idOf(2) })).next)
          assert.strictEqual((yield* rpc.cancel({ task_id: task.id })).id, task.id)
        })
      ))

    it.scopedLive("errors come back as those of the domain", () =>
      withRpc((rpc) =>
        Effect.gen(function*() {
          assert.instanceOf(yield* Effect.flip(rpc.get({ task_id: "nonsense" })), TaskNotFound)
          yield* rpc.submit({ message: "m" })
          assert.instanceOf(yield* Effect.flip(rpc.retry({ task_id: idOf(1) })), TaskStateConflict)
          const watched = Stream.runDrain(rpc.watch({ task_id: idOf(9) }))
          assert.instanceOf(yield* Effect.flip(watched), TaskNotFound)
        })
      ))

    it.scopedLive("a defect is a problem without its text, and ends no other call", () =>
      withRpc((rpc, fakes) =>
        Effect.gen(function*() {
          fakes.events = () => Stream.concat(Stream.make(event(1)), Stream.never)
          yield* rpc.submit({ message: "m" })
          const pull = yield* Stream.toPull(rpc.watch({ task_id: idOf(1) }))
          yield* pull
          fakes.submit = () => Effect.die("a secret")
          const error = yield* Effect.flip(rpc.submit({ message: "m" }))
          assert.instanceOf(error, ProblemError)
          assert.strictEqual(error.status, 500)
          assert.notInclude(JSON.stringify(error), "secret")
          assert.notStrictEqual(error.instance, "")
          const still = yield* Effect.timeoutOption(pull, "50 millis")
          assert.isTrue(Option.isNone(still))
        })
      ))

    it.scopedLive("watch streams the events after the given one, and ends with the stream", () =>
      withRpc((rpc, fakes) =>
        Effect.gen(function*() {
          fakes.events = (after) =>
            Stream.range(1 + Number(Option.getOrElse(after, () => "0.0").split(".")[0]), 5).pipe(Stream.map(event))
          yield* rpc.submit({ message: "m" })
          const ids = (after?: string) =>
            Effect.map(
              Stream.runCollect(rpc.watch({ task_id: idOf(1), ...(after === undefined ? {} : { after }) })),
              (events) => Chunk.toReadonlyArray(events).map((event) => "id" in event ? event.id : "")
            )
          assert.deepStrictEqual(yield* ids(), ["1.0", "2.0", "3.0", "4.0", "5.0"])
          assert.deepStrictEqual(yield* ids("3.0"), ["4.0", "5.0"])
        })
      ))

    it.scopedLive("a caller has a bounded number of open streams, and one that is closed counts no more", () =>
      withRpc((rpc, fakes) =>
        Effect.gen(function*() {
          fakes.events = () => Stream.concat(Stream.make(event(1)), Stream.never)
          yield* rpc.submit({ message: "m" })
          const watch = rpc.watch({ task_id: idOf(1) })
          yield* Effect.scoped(Effect.gen(function*() {
            yield* yield* Stream.toPull(watch)
            const error = yield* Effect.flip(Stream.runDrain(watch))
            assert.instanceOf(error, ProblemError)
            assert.strictEqual(error.type, "/problems/too-many-streams")
          }))
          const again = Stream.runHead(watch).pipe(
            Effect.retry({ while: (error) => error instanceof ProblemError }),
            Effect.timeout("15 seconds")
          )
          assert.isTrue(Option.isSome(yield* again))
        }), { MAX_EVENT_STREAMS_PER_CALLER: "1" }))
  })
}

onServer("Each call of a WebSocket counts for the rate limit of its caller", function*({ port }) {
  const error = yield* Effect.provide(
    Effect.flatMap(TroupeRpc, (rpc) => Effect.flip(Effect.replicateEffect(rpc.list({}), 3))),
    transports.webSocket(port)
  )
  assert.instanceOf(error, ProblemError)
  assert.strictEqual(error.type, "/problems/rate-limited")
}, { RATE_LIMIT_PER_MINUTE: "2" })
