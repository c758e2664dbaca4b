import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect } from "effect"
import type { RequestListener } from "node:http"
import { serve } from "../support/LocalServer.ts"
import { address, connected } from "../support/ToolServerFixture.ts"

const answering = (answer: RequestListener) => Effect.map(serve(answer), (url) => `${url}/mcp`)

const always = (status: number, headers: Readonly<Record<string, string>> = {}, body = "no") =>
  answering((_request, response) => response.writeHead(status, headers).end(body))

const reason = (transport: "http" | "sse", url: string) =>
  Effect.map(
    Effect.flip(connected(address(transport, url), { connectTimeout: Duration.seconds(10) })),
    ({ reason }) => reason
  )

describe("A server that refuses the connection", () => {
  it.scopedLive("is reported with its status and what to do", () =>
    Effect.gen(function*() {
      for (const transport of ["http", "sse"] as const) {
        for (const [status, advice] of [[401, "token"], [403, "token"], [404, "no MCP server"], [405, "no MCP"]]) {
          const told = yield* reason(transport, yield* always(Number(status)))
          assert.include(told, `it answers with status ${status}`)
          assert.include(told, String(advice))
        }
        assert.include(yield* reason(transport, yield* always(500)), "it answers with status 500")
        const moved = yield* always(302, { location: "https://elsewhere.example/mcp" })
        assert.include(yield* reason(transport, moved), "https://elsewhere.example/mcp")
        const page = yield* always(200, { "content-type": "text/html" }, "<html>")
        assert.include(yield* reason(transport, page), "it is no MCP server")
      }
      const json = yield* always(200, { "content-type": "application/json" }, "{}")
      assert.include(yield* reason("http", json), "it is no MCP server")
    }))

  it.scopedLive("with 404 after the initialization ends the session", () =>
    Effect.gen(function*() {
      let requests = 0
      const url = yield* answering((request, response) => {
        if (request.method !== "POST") return void response.writeHead(405).end()
        requests++
        if (requests > 2) return void response.writeHead(404).end()
        if (requests === 2) return void response.writeHead(202).end()
        response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({
          jsonrpc: "2.0",
          id: 0,
          result: { protocolVersion: "2025-06-18", capabilities: {}, serverInfo: { name: "x", version: "1" } }
        }))
      })
      const connection = yield* connected(address("http", url))
      const failure = yield* Effect.flip(connection.call("x", {}, Duration.seconds(10)))
      assert.strictEqual(failure.reason, "it does not know the session any more")
      assert.strictEqual(yield* connection.closed, "it does not know the session any more")
    }))
})
