import { HttpClient, HttpClientRequest } from "@effect/platform"
import { assert, layer } from "@effect/vitest"
import type { ToolServersReport, ToolServersRequest } from "@troupe/api/ToolServersApi"
import { UserId } from "@troupe/domain/Ids"
import { Effect, Layer, Option } from "effect"
import { toolServersOf } from "../../src/ToolServer/Entries.ts"
import { ToolServerSettings } from "../../src/ToolServer/ToolServerSettings.ts"
import { idOf, makeFakes, makeTask } from "./Fakes.ts"
import { inProcess } from "./TestServer.ts"

const post = (path: string, body: unknown) =>
  Effect.flatMap(
    HttpClient.HttpClient,
    (http) => http.execute(HttpClientRequest.post(path).pipe(HttpClientRequest.bodyUnsafeJson(body)))
  )

const get = (path: string) => Effect.flatMap(HttpClient.HttpClient, (http) => http.get(path))

const fakes = makeFakes()

/** A fakes with one task on it, to which nothing was said yet. */
const cleared = Effect.sync(() => {
  fakes.submitted.length = 0
  fakes.answer = null
}).pipe(Effect.zipRight(post("/chat", { message: "Say hello" })))

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
    tools_off: [],
    error: null,
    connected_at: "2026-01-01T00:00:00.000Z"
  }]
}

const taken: Array<ToolServersRequest> = []

/** Use-cases that check what they are given, and take it. */
const toolServers = Layer.succeed(ToolServerSettings, {
  status: Effect.succeed(one),
  configure: (request) =>
    Effect.map(toolServersOf(request, { isHosted: false, allowStdio: false, maxCallSeconds: 600 }), () => {
      taken.push(request)
      return one
    }),
  clear: Effect.succeed(nothing)
})

const send = (request: HttpClientRequest.HttpClientRequest) =>
  Effect.gen(function*() {
    const http = yield* HttpClient.HttpClient
    const answer = yield* http.execute(request)
    return [answer.status, yield* answer.json] as const
  })

const configure = (body: unknown) =>
  send(HttpClientRequest.post("/api/mcp/configure").pipe(HttpClientRequest.bodyUnsafeJson(body)))

layer(inProcess(fakes, toolServers), { excludeTestServices: true })("Over HTTP", (it) => {
  it.effect("an answer is accepted with 202 and the task, and passed on with its user", () =>
    Effect.gen(function*() {
      yield* cleared
      const answers: Array<unknown> = []
      fakes.answer = (...given) =>
        Effect.sync(() => {
          answers.push(given)
          return { ...makeTask(given[0]), status: "running" }
        })
      const answer = yield* post("/human_response", { task_id: idOf(1), response: "Blue", user_id: "bob", extra: 1 })
      assert.strictEqual(answer.status, 202)
      assert.deepStrictEqual(yield* answer.json, {
        task_id: idOf(1),
        status: "running",
        task: { ...makeTask(idOf(1)), status: "running" }
      })
      yield* post("/human_response", { task_id: idOf(1), response: "Red", user_id: null, tool_call_id: "call_1" })
      assert.deepStrictEqual(answers, [
        [idOf(1), "Blue", Option.some(UserId.make("bob")), { call: undefined }],
        [idOf(1), "Red", Option.none(), { call: "call_1" }]
      ])
    }))

  it.effect("an answer to an unknown task is 404, one to a task that does not wait 409, and an empty one 400", () =>
    Effect.gen(function*() {
      yield* cleared
      for (const task_id of [idOf(7), "nonsense"]) {
        assert.strictEqual((yield* post("/human_response", { task_id, response: "Blue" })).status, 404)
      }
      assert.strictEqual((yield* post("/human_response", { task_id: idOf(1), response: "Blue" })).status, 409)
      assert.strictEqual((yield* post("/human_response", { task_id: idOf(1), response: "" })).status, 400)
    }))

  it.effect("a conversation is listed as the model sees it, and in full with ?full=true", () =>
    Effect.gen(function*() {
      yield* cleared
      const [seen, whole] = [{ role: "system", content: "Say hello" }, { role: "user", content: "Say hello" }]
      for (const [query, message] of [["", seen], ["?full=false", seen], ["?full=true", whole]] as const) {
        const answer = yield* get(`/task/${idOf(1)}/messages${query}`)
        assert.strictEqual(answer.status, 200)
        assert.deepStrictEqual(yield* answer.json, [message])
      }
      assert.strictEqual((yield* get(`/task/${idOf(1)}/messages?full=perhaps`)).status, 400)
      assert.strictEqual((yield* get(`/task/${idOf(7)}/messages?full=true`)).status, 404)
    }))

  it.effect("lists have a hundred entries unless the caller asks for more or fewer, up to a thousand", () =>
    Effect.gen(function*() {
      yield* cleared
      const [request] = fakes.submitted
      if (request !== undefined) fakes.submitted.push(...Array.from({ length: 1_000 }, () => request))
      for (const [query, count] of [["", 100], ["?limit=1000", 1_000], ["?limit=1", 1]] as const) {
        for (const path of ["/tasks", `/task/${idOf(1)}/subtasks`]) {
          const answer = yield* get(`${path}${query}`)
          const page = yield* answer.json
          assert.strictEqual(Array.isArray(page) ? page.length : -1, count)
          assert.match(answer.headers["link"] ?? "", /rel="next"$/)
        }
      }
      for (const limit of ["0", "1001", "1.5", "all"]) {
        assert.strictEqual((yield* get(`/tasks?limit=${limit}`)).status, 400)
      }
    }))

  it.effect("tool servers are listed, configured and cleared in the format of the contract", () =>
    Effect.gen(function*() {
      const [status, legacy] = yield* send(HttpClientRequest.get("/mcp/status"))
      assert.strictEqual(status, 200)
      assert.deepStrictEqual(legacy, {
        status: "delegated",
        message: "Tool servers are run by the workers. GET /api/mcp/status shows their state."
      })
      assert.deepStrictEqual(yield* send(HttpClientRequest.get("/api/mcp/status")), [200, one])
      const entry = { command: "npx", args: ["-y", "x"], env: null, timeout_seconds: 600, unknown: true }
      assert.deepStrictEqual(yield* configure({ mcpServers: { files: entry }, more: 1 }), [200, one])
      assert.deepStrictEqual(taken.map(({ mcpServers }) => Object.keys(mcpServers)), [["files"]])
      const [refused, problem] = yield* configure({ mcpServers: { a: { command: "x", url: "https://example.org" } } })
      assert.deepStrictEqual([refused, JSON.stringify(problem).includes("\"path\":\"mcpServers.a\"")], [400, true])
      assert.lengthOf(taken, 1)
      assert.deepStrictEqual(yield* send(HttpClientRequest.del("/api/mcp/configure")), [200, nothing])
    }))
})
