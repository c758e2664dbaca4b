import { SqlClient } from "@effect/sql/SqlClient"
import { assert, it } from "@effect/vitest"
import { CurrentUser } from "@troupe/api/Authentication"
import { UserId } from "@troupe/domain/Ids"
import { Duration, Effect, Fiber, Layer, Logger, LogLevel } from "effect"
import { Policies } from "../../src/Policy/Policies.ts"
import { ToolTestsLayer } from "../../src/Policy/ToolTestsLayer.ts"
import { AccessTokens } from "../../src/ToolServer/AccessTokens.ts"
import { ToolTests } from "../../src/ToolServer/ToolTests.ts"
import { eventually } from "../support/Eventually.ts"
import { httpToolServer } from "../support/HttpToolServer.ts"
import { alone, configure } from "../ToolServer/world.ts"

const tests = ToolTestsLayer({
  rules: { isHosted: false, allowStdio: false },
  connectTimeout: Duration.seconds(20),
  callTimeout: Duration.seconds(20),
  stepTimeout: Duration.minutes(5)
}).pipe(Layer.provide([Policies.layerOf(), AccessTokens.layerNone]))

const digest = "d".repeat(64)
const listed = {
  server: "shop",
  name: "count",
  description: "",
  parameters: { type: "object" },
  isReadOnly: false,
  isIdempotent: false,
  digest
}

it.scopedLive("The test of a tool for which nobody waits any more is logged: the tool may have acted", () =>
  Effect.gen(function*() {
    const logged: Array<string> = []
    const logger = Logger.make(({ message }) => void logged.push(String(message)))
    const server = yield* httpToolServer({ call: () => "hang" })
    const sql = yield* SqlClient
    yield* configure({ shop: { url: server.url("http") } })
    yield* sql`insert into tool_server_pins (server, accepted, listed)
values ('shop', ${JSON.stringify([[listed.name, digest]])}, ${JSON.stringify([listed])})`
    const { test } = yield* ToolTests
    const waiting = yield* test("shop", "count", { approved: true, arguments: {} }).pipe(
      Effect.provideService(CurrentUser, { id: UserId.make("olga"), role: "owner" }),
      Logger.withMinimumLogLevel(LogLevel.Info),
      Effect.provide(Logger.replace(Logger.defaultLogger, logger)),
      Effect.fork
    )
    yield* eventually(Effect.sync(() => server.called()), ({ length }) => length === 1)
    yield* Fiber.interrupt(waiting)
    assert.deepStrictEqual(logged, ["The tool shop__count was tested: interrupted"])
  }).pipe(Effect.provide(Layer.provideMerge(tests, alone))))
