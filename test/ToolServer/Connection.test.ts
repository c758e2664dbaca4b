import { assert, describe, it } from "@effect/vitest"
import { Chunk, Duration, Effect, Fiber, Stream } from "effect"
import type { CallProgress } from "../../src/ToolServer/ServerCall.ts"
import { freshFolder } from "../support/FreshFolder.ts"
import { until } from "../support/Processes.ts"
import {
  address,
  connected,
  everything,
  everythingOver,
  filesystem,
  misbehaved,
  namesOf,
  program,
  said
} from "../support/ToolServerFixture.ts"

describe("A connection to a tool server", () => {
  it.scopedLive("works with the reference server over stdio, streamable HTTP and SSE", () =>
    Effect.gen(function*() {
      const servers = [
        program([everything, "stdio"]),
        address("http", yield* everythingOver("streamableHttp")),
        address("sse", yield* everythingOver("sse"))
      ]
      for (const server of servers) {
        const connection = yield* connected(server)
        assert.include(namesOf(yield* connection.list), "echo")
        assert.strictEqual(yield* said(connection, "echo", { message: "hello" }), "Echo: hello")
        assert.isTrue(yield* connection.ping)
      }
    }))

  it.scopedLive("works with the filesystem server, which refuses paths outside of its folder", () =>
    Effect.gen(function*() {
      const folder = yield* freshFolder
      const connection = yield* connected(program([filesystem, folder]))
      yield* said(connection, "write_file", { path: `${folder}/a.txt`, content: "hello" })
      assert.include(yield* said(connection, "read_text_file", { path: `${folder}/a.txt` }), "hello")
      const refused = yield* connection.call("read_text_file", { path: "/etc/passwd" }, Duration.seconds(20))
      assert.isTrue(refused["isError"])
    }))

  it.scopedLive("reports the progress of a call in one line each, without the server's secrets", () =>
    Effect.gen(function*() {
      const reported: Array<CallProgress> = []
      const connection = yield* connected(program(["test/support/toolServer.mjs"], { SECRET_TOKEN: "a-secret-value" }))
      yield* connection.call("advance", {}, Duration.seconds(20), (progress) => void reported.push(progress))
      assert.deepStrictEqual(
        reported,
        [1, 2].map((progress) => ({
          progress,
          total: 2,
          message: `part ${progress} with [redacted]`
        }))
      )
    }))

  it.scopedLive("gives the server its own environment, and nothing of the service's", () =>
    Effect.gen(function*() {
      const connection = yield* connected(program(["test/support/toolServer.mjs"], { GIVEN: "yes" }))
      const environment: unknown = JSON.parse(yield* said(connection, "env"))
      const names = Object.keys(environment ?? {})
      assert.include(names, "GIVEN")
      assert.include(names, "PATH")
      assert.notInclude(names, "VITEST")
      assert.isBelow(names.length, 12)
    }))

  it.scopedLive("leaves out of a list what can't be used", () =>
    Effect.gen(function*() {
      const tools = yield* (yield* connected(misbehaved("bad-schemas"))).list
      assert.includeMembers([...namesOf(tools)], ["no-schema", "odd", "a.b c"])
      assert.strictEqual(tools.filter(({ name }) => name === "echo").length, 1)
      assert.deepStrictEqual(tools.find(({ name }) => name === "odd")?.parameters["required"], ["a"])
    }))

  it.scopedLive("does not follow a list without end", () =>
    Effect.gen(function*() {
      const tools = yield* (yield* connected(misbehaved("endless-list"))).list
      assert.strictEqual(tools.length, 50)
    }))

  it.scopedLive("notices that a list has changed", () =>
    Effect.gen(function*() {
      const connection = yield* connected(misbehaved())
      const before = yield* connection.list
      const notified = yield* Effect.fork(Stream.runCollect(Stream.take(connection.listChanged, 1)))
      yield* said(connection, "grow")
      assert.strictEqual(Chunk.size(yield* Fiber.join(notified)), 1)
      assert.strictEqual((yield* connection.list).length, before.length + 1)
    }))

  it.scopedLive("cancels a call on the server when it times out or is interrupted", () =>
    Effect.gen(function*() {
      const connection = yield* connected(misbehaved())
      const late = yield* Effect.flip(said(connection, "hang", {}, "200 millis"))
      assert.deepInclude(late, { what: "timedOut" })
      yield* until("the time-out is told", Effect.map(said(connection, "cancelled"), (count) => count === "1"))
      const calling = yield* Effect.fork(said(connection, "hang"))
      yield* said(connection, "count")
      yield* Fiber.interrupt(calling)
      yield* until("the interruption is told", Effect.map(said(connection, "cancelled"), (count) => count === "2"))
    }))

  it.scopedLive("ends at once the calls of a server that crashes, and says how it ended", () =>
    Effect.gen(function*() {
      const connection = yield* connected(misbehaved())
      const failure = yield* Effect.flip(said(connection, "boom"))
      assert.deepInclude(failure, { what: "lost", reason: "it ended with exit code 3" })
      assert.strictEqual(yield* connection.closed, "it ended with exit code 3")
      assert.isTrue(connection.isClosed())
    }))

  it.scopedLive("redacts the secrets of a server in the reason of its end", () =>
    Effect.gen(function*() {
      const connection = yield* connected(program(["test/support/toolServer.mjs"], { SECRET_TOKEN: "hush-hush" }))
      connection.close("key hush-hush is wrong")
      assert.strictEqual(yield* connection.closed, "key [redacted] is wrong")
    }))

  it.scopedLive("redacts the secrets of a server in its answers and its list", () =>
    Effect.gen(function*() {
      const env = { SECRET_TOKEN: "hush-hush" }
      const connection = yield* connected(program(["test/support/toolServer.mjs", "leaks"], env))
      for (const tool of ["env", "leak"]) {
        const answer = JSON.stringify(yield* connection.call(tool, {}, Duration.seconds(20)))
        assert.include(answer, "[redacted]")
        assert.notInclude(answer, "hush")
      }
      const listed = yield* connection.list
      assert.include(listed.find(({ name }) => name === "leak")?.description, "[redacted]")
      assert.notInclude(JSON.stringify(listed), "hush")
    }))
})
