import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Scope } from "effect"
import { WebSocket } from "ws"
import { WebSocketLimits } from "../../src/Http/WebSockets.ts"
import { idOf, makeFakes } from "./Fakes.ts"
import { call, connected, endless } from "./rpc.ts"
import { onServer, started } from "./TestServer.ts"

describe("A WebSocket", () => {
  it.scopedLive("is closed by a message over 1 MiB, and refused to foreign pages", () =>
    Effect.gen(function*() {
      const port = yield* started(makeFakes())
      const client = yield* connected(port)
      client.send(" ".repeat(2 ** 20))
      client.send(`${call("list")}\n`)
      yield* client.until((text) => text.includes("Success"))
      client.send(" ".repeat(2 ** 20 + 1))
      assert.strictEqual((yield* client.closed).code, 1009)
      const foreign = connected(port, { headers: { origin: "https://evil.example" } })
      assert.strictEqual(yield* Effect.flip(foreign), 403)
    }))

  it.scopedLive("answers bad messages and goes on", () =>
    Effect.gen(function*() {
      const client = yield* connected(yield* started(makeFakes()))
      for (const text of ["{", "7", call("nonsense"), JSON.stringify({ _tag: "Eof" })]) client.send(text)
      client.send(call("list", {}, "9"))
      const text = yield* client.until((text) => text.includes("Success"))
      assert.strictEqual(text.split("\"_tag\":\"Defect\"").length - 1, 4)
    }))

  it.scopedLive("that answers no pings is disconnected, and an idle one that answers them is not", () =>
    Effect.gen(function*() {
      const limits = { ...(yield* WebSocketLimits), idleMillis: 1_000 }
      const port = yield* started(makeFakes()).pipe(Effect.provideService(WebSocketLimits, limits))
      const responding = yield* connected(port)
      const silent = yield* connected(port, { autoPong: false })
      assert.strictEqual((yield* silent.closed).code, 1006)
      assert.strictEqual(responding.socket.readyState, WebSocket.OPEN)
    }))

  it.scopedLive("has a bounded number of calls under way, and a caller a bounded number of connections", () =>
    Effect.gen(function*() {
      const fakes = makeFakes()
      fakes.submit = () => Effect.never
      const port = yield* started(fakes, { MAX_EVENT_STREAMS_PER_CALLER: "1" })
      const client = yield* connected(port)
      for (let i = 0; i < 65; i++) client.send(call("submit", { message: "m" }, String(i)))
      const text = yield* client.until((text) => text.includes("Exit"))
      assert.include(text, "64 calls are in progress")
      assert.strictEqual(yield* Effect.flip(connected(port)), 429)
    }))

  onServer("counts each call for the rate limit of its caller", function*({ port }) {
    const client = yield* connected(port)
    for (const id of ["1", "2", "3"]) client.send(call("list", {}, id))
    yield* client.until((text) => text.includes("/problems/rate-limited"))
  }, { RATE_LIMIT_PER_MINUTE: "2" })

  it.scopedLive("closes after its calls when the service stops, and its streams end with a problem", () =>
    Effect.gen(function*() {
      const scope = yield* Scope.make()
      const fakes = endless()
      const finish = yield* Deferred.make<void>()
      const port = yield* Scope.extend(started(fakes), scope)
      const client = yield* connected(port)
      client.send(call("submit", { message: "m" }))
      yield* client.until((text) => text.includes("Success"))
      client.send(call("watch", { task_id: idOf(1) }, "2"))
      yield* client.until((text) => text.includes("Chunk"))
      const { submit } = fakes
      const begun = yield* Deferred.make<void>()
      fakes.submit = (request) =>
        Deferred.succeed(begun, undefined).pipe(
          Effect.zipRight(Deferred.await(finish)),
          Effect.zipRight(submit(request))
        )
      client.send(call("submit", { message: "m" }, "3"))
      yield* Deferred.await(begun)
      const stop = yield* Effect.fork(Scope.close(scope, Exit.void))
      const text = yield* client.until((text) => text.includes("Watch again after the last event"))
      assert.notInclude(text, "\"requestId\":\"3\"")
      yield* Deferred.succeed(finish, undefined)
      yield* client.until((text) => text.includes("\"requestId\":\"3\""))
      assert.strictEqual((yield* client.closed).code, 1012)
      yield* Effect.timeout(stop, "4 seconds")
    }))
})
