import { assert, describe, it, layer } from "@effect/vitest"
import { Context, Effect, Layer, Redacted } from "effect"
import * as chatHandler from "../../src/apps/chatHandler.ts"
import * as ingestor from "../../src/apps/ingestor.ts"
import { DatabaseUrl } from "../../src/Runtime/Database/DatabaseUrl.ts"
import { Settings } from "../../src/Runtime/Settings/Settings.ts"
import * as Database from "../support/Database.ts"
import { freePort } from "../support/Processes.ts"
import { makeFakes } from "./Fakes.ts"
import { hosted } from "./hardening.ts"
import { answerTo, isProblem } from "./RawHttp.ts"
import { layerSettings, onServer, started } from "./TestServer.ts"

const own = "Host: localhost"
const foreign = "http://evil.example"

/** Requests of which a proxy could read another host or path than this service, each with the part that is wrong. */
const ambiguous = {
  "two Host headers": [`GET /health HTTP/1.1\r\n${own}\r\nHost: evil.example`, /one Host/],
  "two equal Host headers": [`GET /health HTTP/1.1\r\n${own}\r\nhOST: localhost`, /one Host/],
  "two Host headers of HTTP/1.0": [`GET /health HTTP/1.0\r\n${own}\r\n${own}`, /one Host/],
  "no Host header": ["GET /health HTTP/1.1\r\nAccept: */*", /one Host/],
  "an address of another host": [`GET ${foreign}/health HTTP/1.1\r\n${own}`, /another host/],
  "an address and a Host of another host": [`GET ${foreign}/health HTTP/1.1\r\nHost: evil.example`, /another host/],
  "an address of another scheme": [`GET file:///health HTTP/1.1\r\n${own}`, /another host/],
  "no version": [`GET /health\r\n${own}`, /HTTP\/1\.1/],
  "no version and no headers": ["GET /health", /HTTP\/1\.1/],
  "another version": [`GET /health HTTP/2.0\r\n${own}`, /HTTP\/1\.1/],
  "a parameter in the path": [`GET /;/health HTTP/1.1\r\n${own}`, /%3B/],
  "a parameter after the path": [`GET /health;v=1 HTTP/1.1\r\n${own}`, /%3B/],
  "a fragment": [`GET /health#top HTTP/1.1\r\n${own}`, /%23/]
} as const

const areRefused = Effect.fn(function*(port: number) {
  for (const [what, [head, detail]] of Object.entries(ambiguous)) {
    const answer = yield* answerTo(port, `${head}\r\n\r\n`)
    assert.strictEqual(answer.status, 400, what)
    isProblem(answer, 400, "invalid-request")
    assert.match(answer.text, detail, what)
  }
})

describe("A request that two servers could read differently", () => {
  onServer("is refused", function*({ port }) {
    yield* areRefused(port)
  })

  it.scopedLive("is refused in hosted mode", () => Effect.flatMap(started(makeFakes(), { ...hosted }), areRefused))

  onServer("is not one with its own address, with HTTP/1.0, or with ; in the query", function*({ port }) {
    for (
      const head of [
        `GET http://localhost:${port}/health HTTP/1.1\r\n${own}`,
        "GET /health HTTP/1.0",
        `GET /health?q=a;b HTTP/1.1\r\n${own}`
      ]
    ) {
      assert.strictEqual((yield* answerTo(port, `${head}\r\n\r\n`)).status, 200, head)
    }
    const encoded = yield* answerTo(port, `GET /task/a%3Bb HTTP/1.1\r\n${own}\r\n\r\n`)
    isProblem(encoded, 404, "task-not-found")
  })
})

/** A role in this process, on a port of its own; yields the port. */
const serving = <E, R>(role: (settings: Settings["Type"]) => Layer.Layer<never, E, R>, portSetting: string) =>
  Effect.gen(function*() {
    const port = yield* freePort
    const url = Redacted.value(yield* DatabaseUrl)
    const settings = yield* layerSettings({ DATABASE_URL: url, [portSetting]: String(port) }).pipe(Layer.build)
    yield* Layer.build(role(Context.get(settings, Settings)))
    return port
  })

layer(Database.layer, { excludeTestServices: true })("The other roles", (it) => {
  it.scoped("refuse it, too", () =>
    Effect.gen(function*() {
      yield* areRefused(yield* serving(ingestor.layer, "INGESTOR_PORT"))
      yield* areRefused(yield* serving(chatHandler.layer, "CHAT_HANDLER_PORT"))
    }))
})
