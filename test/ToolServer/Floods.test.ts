import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect } from "effect"
import { createServer, type ServerResponse } from "node:http"
import { atOneMoment } from "../support/FrozenClock.ts"
import { freePort } from "../support/Processes.ts"
import { address, connected, program } from "../support/ToolServerFixture.ts"

const flood = /^it sent more than 2000 messages, .* that no call asked for$/

const endOf = (server: Parameters<typeof connected>[0]) =>
  connected(server, { connectTimeout: Duration.seconds(10) }).pipe(
    Effect.flatMap(({ closed }) => closed),
    Effect.catchAll(({ reason }) => Effect.succeed(reason)),
    atOneMoment
  )

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
  Effect.gen(function*() {
    const port = yield* freePort
    yield* Effect.acquireRelease(
      Effect.async<ReturnType<typeof createServer>>((resume) => {
        const server = createServer((_request, response) => {
          response.writeHead(200, { "content-type": "text/event-stream" })
          writeEndlessly(response, text)
        }).listen(port, "127.0.0.1", () => resume(Effect.succeed(server)))
      }),
      (server) =>
        Effect.sync(() => {
          server.closeAllConnections()
          server.close()
        })
    )
    return `http://127.0.0.1:${port}/mcp`
  })

describe("A flood without a message ends the connection", () => {
  it.scopedLive("if it is blank lines on the standard output", () =>
    Effect.gen(function*() {
      const blank = { transport: "stdio" as const, command: "yes", args: [""], cwd: null, env: {} }
      assert.match(yield* endOf({ ...program([]), target: blank }), flood)
    }), 60_000)

  it.scopedLive("if it is comments or fields in a stream of events", () =>
    Effect.gen(function*() {
      for (const line of [":\n", ":\r", "\n", "id\n", "event: message\n\n"]) {
        assert.match(yield* endOf(address("http", yield* streaming(line.repeat(10_000)))), flood, JSON.stringify(line))
      }
      assert.match(yield* endOf(address("sse", yield* streaming(":\n".repeat(10_000)))), flood)
    }), 60_000)
})
