import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect } from "effect"
import type { ServerResponse } from "node:http"
import { atOneMoment } from "../support/FrozenClock.ts"
import { serve } from "../support/LocalServer.ts"
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
  Effect.map(
    serve((_request, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" })
      writeEndlessly(response, text)
    }),
    (url) => `${url}/mcp`
  )

describe("A flood without a message ends the connection", () => {
  it.scopedLive("if it is blank lines on the standard output", () =>
    Effect.gen(function*() {
      const blank = { transport: "stdio" as const, command: "yes", args: [""], cwd: null, env: {} }
      assert.match(yield* endOf({ ...program([]), target: blank }), flood)
    }))

  it.scopedLive("if it is comments or fields in a stream of events", () =>
    Effect.gen(function*() {
      for (const line of [":\n", ":\r", "\n", "id\n", "event: message\n\n"]) {
        assert.match(yield* endOf(address("http", yield* streaming(line.repeat(10_000)))), flood, JSON.stringify(line))
      }
      assert.match(yield* endOf(address("sse", yield* streaming(":\n".repeat(10_000)))), flood)
    }))
})
