import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect } from "effect"
import type { ServerResponse } from "node:http"
import type { Watchdog } from "../../src/Runtime/Process/Watchdog.ts"
import { atOneMoment, withShortSleeps } from "../support/FrozenClock.ts"
import { address, connected, isAlive, misbehaved, said } from "../support/ToolServerFixture.ts"
import { addressOf, command, type Server } from "./connectionDoubles.ts"

describe("A connection ends", () => {
  const endOf = (server: Server) =>
    connected(server, { connectTimeout: Duration.seconds(100) }).pipe(
      Effect.flatMap(({ closed }) => closed),
      Effect.catchAll(({ reason }) => Effect.succeed(reason)),
      Effect.scoped,
      atOneMoment,
      withShortSleeps
    )
  const flood = /^it sent more than 10000 lines, .* that no call asked for; a message counts five$/m

  it.scopedLive("at a flood from a program, and not at lines that are no messages", () =>
    Effect.gen(function*() {
      const noisy = yield* connected(misbehaved("babbles"))
      assert.strictEqual(yield* said(noisy, "noise"), "through the noise")
      const ends = yield* Effect.all([
        Effect.map(Effect.flip(said(noisy, "giant")), ({ reason, what }) => `${what}: ${reason}`),
        endOf(misbehaved("floods")),
        endOf(misbehaved("chatters")),
        endOf(misbehaved("raves")),
        endOf(command("yes", ""))
      ], { concurrency: 2 })
      assert.strictEqual(ends[0], "lost: it sent a message of more than 10 MB")
      assert.match(
        ends[1],
        /^it writes text to its standard output that is not of the protocol\nThe end of its standard output:\nno message/
      )
      assert.match(ends[2], flood)
      assert.match(ends[3], flood, "standard error")
      assert.match(ends[4], flood, "blank lines")
    }))

  it.scopedLive("at a flood of comments or fields in a stream of events", () =>
    Effect.gen(function*() {
      for (const line of [":\n", ":\r", "\n", "id\n", "event: message\n\n"]) {
        assert.match(yield* endOf(address("http", yield* streaming(line.repeat(10_000)))), flood, JSON.stringify(line))
      }
      assert.match(yield* endOf(address("sse", yield* streaming(":\n".repeat(10_000)))), flood)
    }))

  it.scopedLive("when the server crashes, is gone or does not know the session any more, and with it its calls", () =>
    Effect.gen(function*() {
      const lost = yield* answering((response) => {
        response.writeHead(200, { "content-type": "application/json" }).write("{")
        setImmediate(() => response.destroy())
      })
      const forgotten = yield* answering((response) => void response.writeHead(404).end())
      for (
        const [server, reason, what] of [
          [misbehaved(), "it ended with exit code 3", "lost"],
          [address("http", lost), "the connection was lost", "lost"],
          [address("http", forgotten), "it does not know the session any more (status 404)", "untaken"]
        ] as const
      ) {
        const connection = yield* connected(server)
        assert.deepInclude(yield* Effect.flip(said(connection, "boom")), { what, reason })
        const output = server.transport === "stdio" ? "\nThe end of its standard error:\nIt went boom" : ""
        assert.strictEqual(yield* connection.closed, reason + output)
        assert.isTrue(connection.isClosed())
      }
    }))

  it.scopedLive("not when the server refuses a call for its token, which was not taken", () =>
    Effect.gen(function*() {
      for (const status of [401, 403]) {
        const connection = yield* connected(
          address("http", yield* answering((response) => void response.writeHead(status).end("No")))
        )
        const { reason, what } = yield* Effect.flip(said(connection, "count"))
        assert.strictEqual(what, "refused")
        assert.include(reason, `it answers with status ${status} (check the token in its headers)`)
        assert.isFalse(connection.isClosed())
      }
    }))
})

describe("The end of a connection", () => {
  it.scopedLive("leaves no process of the server, whatever signals it ignores, and is guarded until then", () =>
    Effect.gen(function*() {
      const guarded: Array<string> = []
      const released: Array<{ readonly id: string; readonly alive: ReadonlyArray<boolean> }> = []
      let pids: ReadonlyArray<number> = []
      const watchdog: Watchdog["Type"] = {
        guard: (id) => void guarded.push(id),
        release: (id) => void released.push({ id, alive: pids.map(isAlive) })
      }
      yield* Effect.scoped(Effect.gen(function*() {
        const connection = yield* connected(misbehaved("stubborn"), { watchdog })
        const started = ["count", "fork", "daemonize", "estrange"].map((tool) => said(connection, tool))
        pids = (yield* Effect.all(started)).map((text) => Number.parseInt(text))
        assert.deepStrictEqual(pids.map(isAlive), [true, true, true, true])
      })).pipe(withShortSleeps)
      assert.lengthOf(new Set(guarded), 1)
      assert.deepStrictEqual(released, guarded.slice(0, 1).map((id) => ({ id, alive: [false, false, false, false] })))
    }))

  it.scopedLive("leaves no daemon of a server that crashed", () =>
    Effect.gen(function*() {
      const daemon = yield* Effect.scoped(Effect.gen(function*() {
        const connection = yield* connected(misbehaved())
        const daemon = Number(yield* said(connection, "daemonize"))
        yield* Effect.either(said(connection, "boom"))
        assert.isTrue(isAlive(daemon))
        return daemon
      })).pipe(withShortSleeps)
      assert.isFalse(isAlive(daemon))
    }))
})

/** Writes as fast as the other side reads. */
const writeEndlessly = (response: ServerResponse, text: string): void => {
  const write = (): void => {
    if (response.destroyed) return
    if (response.write(text)) setImmediate(write)
    else response.once("drain", write)
  }
  write()
}

/** The address of a server that answers each request with a stream of the text without end. */
const streaming = (text: string) =>
  addressOf((_request, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" })
    writeEndlessly(response, text)
  })

/** The address of a server that accepts a session and then answers calls so. */
const answering = (call: (response: ServerResponse) => void) => {
  let requests = 0
  const result = { protocolVersion: "2025-06-18", capabilities: {}, serverInfo: { name: "x", version: "1" } }
  return addressOf((request, response) => {
    if (request.method !== "POST") return void response.writeHead(405).end()
    if (request.headers["mcp-method"] === "server/discover") return void response.writeHead(400).end()
    requests++
    if (requests > 2) return call(response)
    if (requests === 2) return void response.writeHead(202).end()
    response.writeHead(200, { "content-type": "application/json" }).end(
      JSON.stringify({ jsonrpc: "2.0", id: 0, result })
    )
  })
}
