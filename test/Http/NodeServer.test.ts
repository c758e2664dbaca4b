import { HttpServer, HttpServerResponse } from "@effect/platform"
import { assert, it } from "@effect/vitest"
import { Context, Effect, Exit, Fiber, Layer, Logger, Scope } from "effect"
import * as Http from "../../src/apps/Http.ts"
import * as NodeServer from "../../src/Http/NodeServer.ts"
import { Settings } from "../../src/Runtime/Settings/Settings.ts"
import { eventually } from "../support/Eventually.ts"
import { makeFakes } from "./Fakes.ts"
import { connected, exchange, request } from "./RawHttp.ts"
import { layerSettings, started } from "./TestServer.ts"

it.scopedLive("Connections over the limit are closed, which is logged once, until another one ends", () =>
  Effect.gen(function*() {
    const logged: Array<string> = []
    const logger = Logger.make(({ message }) => void logged.push(String(message)))
    const port = yield* started(makeFakes(), { MAX_CONNECTIONS: "2" }).pipe(
      Effect.provide(Logger.replace(Logger.defaultLogger, logger))
    )
    const open = [yield* connected(port), yield* connected(port)] as const
    for (const connection of open) {
      assert.strictEqual((yield* exchange(connection, port, { path: "/health" })).status, 200)
    }
    for (let index = 0; index < 5; index++) {
      const refused = yield* connected(port)
      assert.strictEqual(yield* refused.closed, "")
    }
    assert.strictEqual((yield* exchange(open[0], port, { path: "/health" })).status, 200)
    const said = logged.filter((text) => text.includes("MAX_CONNECTIONS"))
    assert.lengthOf(said, 1)
    assert.match(said[0] ?? "", /^Refused 1 new connections?: 2 are open\./)
    open[0].socket.destroy()
    const answer = yield* Effect.flatMap(connected(port), (next) => exchange(next, port, { path: "/health" })).pipe(
      Effect.repeat({ until: ({ status }) => status === 200 }),
      Effect.timeout("10 seconds")
    )
    assert.strictEqual(answer.status, 200)
  }))

it.scopedLive("A start names the port that is in use, or the address that is not this machine's, and the setting", () =>
  Effect.gen(function*() {
    const port = yield* started(makeFakes())
    const used = yield* Effect.flip(started(makeFakes(), { PORT: String(port) }))
    assert.match(used.message, new RegExp(`^127.0.0.1:${port} is in use by another program. .* set another PORT`))
    // 192.0.2.0/24 is for documentation, and nobody's.
    const foreign = yield* Effect.flip(started(makeFakes(), { HOST: "192.0.2.1" }))
    assert.include(foreign.message, "192.0.2.1 is no address of this machine. Set HOST")
  }))

it.scopedLive("A server that is about to end says so, and answers each connection once more", () =>
  Effect.gen(function*() {
    const scope = yield* Scope.make()
    const port = yield* Scope.extend(started(makeFakes(), { DRAIN_SECONDS: "2" }), scope)
    const health = request(port, { path: "/health" })
    const kept = yield* connected(port)
    const before = yield* exchange(kept, port, { path: "/health" })
    assert.deepStrictEqual([before.status, before.headers["connection"]], [200, "keep-alive"])
    const closing = yield* Effect.fork(Scope.close(scope, Exit.void))
    yield* eventually(health, ({ status }) => status === 503)
    const last = yield* exchange(kept, port, { path: "/tasks" })
    assert.deepStrictEqual([last.status, last.headers["connection"]], [200, "close"])
    yield* kept.closed
    assert.strictEqual((yield* request(port, { path: "/tasks" })).status, 200)
    yield* Fiber.join(closing)
  }))

/** A server that listens and has no endpoints yet, and a request that it has received. */
const askedEarly = Effect.gen(function*() {
  const scope = yield* Effect.acquireRelease(Scope.make(), Scope.close)
  const layer = Layer.unwrapEffect(Effect.map(Settings, (settings) => NodeServer.layer(Http.httpOptions(settings))))
    .pipe(
      Layer.provide([NodeServer.Shutdown.layer, layerSettings()])
    )
  const server = Context.get(yield* Layer.buildWithScope(layer, scope), HttpServer.HttpServer)
  assert(server.address._tag === "TcpAddress")
  const early = yield* connected(server.address.port)
  early.write("GET / HTTP/1.1\r\nhost: 127.0.0.1\r\nexpect: 100-continue\r\n\r\n")
  yield* early.until((received) => received.includes("100 Continue"))
  return { early, scope, server }
})

it.scopedLive("A request that comes before the endpoints are ready is answered once they are", () =>
  Effect.gen(function*() {
    const { early, scope, server } = yield* askedEarly
    yield* Scope.extend(server.serve(Effect.succeed(HttpServerResponse.text("ready"))), scope)
    assert.match(yield* early.until((received) => received.endsWith("ready")), /HTTP\/1\.1 200 OK/)
  }))

it.scopedLive("A start that fails closes the connections of requests that came before the endpoints were ready", () =>
  Effect.gen(function*() {
    const { early, scope } = yield* askedEarly
    yield* Scope.close(scope, Exit.void)
    assert.notMatch(yield* early.closed, /200 OK/)
  }))
