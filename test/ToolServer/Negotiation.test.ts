import { assert, describe, it } from "@effect/vitest"
import { Effect, Schedule, Stream } from "effect"
import { askingServer, text } from "../support/AskingServer.ts"
import { address, connected, namesOf, said } from "../support/ToolServerFixture.ts"

describe("A server that speaks 2026-07-28", () => {
  it.scopedLive("lists its tools, is called, answers pings and announces a changed list", () =>
    Effect.gen(function*() {
      const server = yield* askingServer({ greet: ({ args }) => text(`Hello, ${String(args["name"])}`) })
      const connection = yield* connected(address("http", server.url))
      assert.deepStrictEqual(namesOf((yield* connection.list).tools), ["greet"])
      assert.strictEqual(yield* said(connection, "greet", { name: "Ann" }), "Hello, Ann")
      assert.isTrue(yield* connection.ping)
      const changed = yield* Effect.fork(Stream.runHead(connection.listChanged))
      yield* Effect.repeat(Effect.sync(server.grow), {
        schedule: Schedule.spaced("100 millis"),
        until: () => changed.unsafePoll() !== null
      })
      assert.include(namesOf((yield* connection.list).tools), "more0")
      assert.isFalse(connection.isClosed())
    }))
})

describe("A server of an older version", () => {
  it.scopedLive("that refuses the question for its versions is used as before", () =>
    Effect.gen(function*() {
      const server = yield* askingServer({ greet: () => text("Hello") }, { older: true })
      const connection = yield* connected(address("http", server.url))
      assert.strictEqual(yield* said(connection, "greet"), "Hello")
    }))
})
