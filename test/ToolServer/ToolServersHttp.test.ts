import { HttpClient, HttpClientRequest } from "@effect/platform"
import { assert, describe, it } from "@effect/vitest"
import type { ToolServersReport, ToolServersRequest } from "@troupe/api/ToolServersApi"
import { Effect, Layer } from "effect"
import { toolServersOf } from "../../src/ToolServer/Entries.ts"
import { ToolServerSettings } from "../../src/ToolServer/ToolServerSettings.ts"
import { inProcess, makeStage } from "../Http/TestServer.ts"

const nothing: ToolServersReport = {
  total_servers: 0,
  connected_servers: 0,
  failed_servers: 0,
  disabled_servers: 0,
  total_tools: 0,
  servers: []
}

const one: ToolServersReport = {
  ...nothing,
  total_servers: 1,
  connected_servers: 1,
  total_tools: 1,
  servers: [{
    name: "files",
    transport: "stdio",
    status: "connected",
    tool_count: 1,
    tools: ["read"],
    error: null,
    connected_at: "2026-01-01T00:00:00.000Z"
  }]
}

/** The endpoints over use-cases that check what they are given, and take it. */
const makeServer = () => {
  const taken: Array<ToolServersRequest> = []
  const settings = Layer.succeed(ToolServerSettings, {
    status: Effect.succeed(one),
    configure: (request) =>
      Effect.map(toolServersOf(request, { isHosted: false, allowStdio: false }), () => {
        taken.push(request)
        return one
      }),
    clear: Effect.succeed(nothing)
  })
  return { taken, server: inProcess(makeStage(), undefined, settings) }
}

const send = (request: HttpClientRequest.HttpClientRequest) =>
  Effect.gen(function*() {
    const http = yield* HttpClient.HttpClient
    const answer = yield* http.execute(request)
    return [answer.status, yield* answer.json] as const
  })

const configure = (body: unknown) =>
  send(HttpClientRequest.post("/api/mcp/configure").pipe(HttpClientRequest.bodyUnsafeJson(body)))

describe("Tool servers over HTTP", () => {
  it.live("are told of, configured and cleared in the shape of the contract", () => {
    const { server, taken } = makeServer()
    return Effect.gen(function*() {
      const [status, legacy] = yield* send(HttpClientRequest.get("/mcp/status"))
      assert.strictEqual(status, 200)
      assert.deepStrictEqual(legacy, {
        status: "delegated",
        message: "Tool servers are run by the workers. GET /api/mcp/status tells how they are."
      })
      assert.deepStrictEqual(yield* send(HttpClientRequest.get("/api/mcp/status")), [200, one])
      const entry = { command: "npx", args: ["-y", "x"], env: null, timeout_seconds: 3600, unknown: true }
      assert.deepStrictEqual(yield* configure({ mcpServers: { files: entry }, more: 1 }), [200, one])
      assert.deepStrictEqual(taken.map(({ mcpServers }) => Object.keys(mcpServers)), [["files"]])
      const [refused, problem] = yield* configure({ mcpServers: { a: { command: "x", url: "https://example.org" } } })
      assert.deepStrictEqual([refused, JSON.stringify(problem).includes("\"path\":\"mcpServers.a\"")], [400, true])
      assert.lengthOf(taken, 1)
      assert.deepStrictEqual(yield* send(HttpClientRequest.del("/api/mcp/configure")), [200, nothing])
    }).pipe(Effect.provide(server))
  })
})
