import { assert, layer } from "@effect/vitest"
import { TaskId } from "@troupe/domain/Ids"
import { Effect, Layer } from "effect"
import { overHttp } from "../support/McpClient.ts"
import { call, type Json, object } from "./calls.ts"
import { Service, startService } from "./service.ts"
import { change, clients, submitted } from "./tasks.ts"

const asks = (id: string, toolCall = "asked_now") =>
  change(id, `status = 'waiting_input', question = 'Send?', wake_at = null, last_tool_call_id = '${toolCall}'`)

layer(Layer.scoped(Service, startService()), { excludeTestServices: true })("Tasks over HTTP", (it) => {
  it.scoped("an answer over HTTP, as a procedure and as a tool is one to the question that it names", () =>
    Effect.gen(function*() {
      const { port } = yield* Service
      const { rpc } = yield* clients
      const mcp = yield* overHttp(port)
      const send = {
        http: (body: Json, status: number) => call("POST", "/human_response", status, body),
        rpc: ({ task_id, ...more }: Json) =>
          Effect.either(rpc.answer({ task_id: TaskId.make(String(task_id)), response: "Send", ...more })),
        mcp: (body: Json) => mcp.call("answer_task", body)
      }
      for (const way of ["http", "rpc", "mcp"] as const) {
        const id = yield* submitted()
        yield* asks(id)
        const status = Effect.map(object("GET", `/task/${id}`, 200), (task) => task["status"])
        const answer = { task_id: id, response: "Send", tool_call_id: "asked_before" }
        yield* send[way](answer, 409)
        assert.strictEqual(yield* status, "waiting_input", way)
        yield* send[way]({ ...answer, tool_call_id: "asked_now" }, 202)
        assert.strictEqual(yield* status, "running", way)
        assert.strictEqual((yield* object("GET", `/task/${id}`, 200))["assignee"], "default", way)
      }
    }))

  it.scoped("an answer and a cancel are journalled with the way by which they came", () =>
    Effect.gen(function*() {
      const { port } = yield* Service
      const { rpc } = yield* clients
      const mcp = yield* overHttp(port)
      const answered = (headers: Readonly<Record<string, string>>) => (body: Json) =>
        call("POST", "/human_response", 202, body, headers)
      const ways: Readonly<Record<string, (body: Json) => Effect.Effect<unknown, unknown, Service>>> = {
        "console": answered({ "troupe-client": "console" }),
        "command_line": answered({ "troupe-client": "command-line" }),
        "api": answered({}),
        "mcp": (body) => mcp.call("answer_task", body)
      }
      const lastOf = (id: string) =>
        Effect.map(object("GET", `/task/${id}`, 200), ({ logs }) => (logs as ReadonlyArray<Json>).at(-1))
      for (const [way, send] of Object.entries(ways)) {
        const id = yield* submitted()
        yield* asks(id)
        yield* send({ task_id: id, response: "This one" })
        const answeredBy = { user_id: "default", name: "default", via: way }
        assert.deepInclude((yield* lastOf(id))?.["data"], { answered_by: answeredBy })
        const [step] = (yield* call("GET", `/task/${id}/steps`, 200)).json as ReadonlyArray<Json>
        assert.deepInclude(step, { kind: "answered", by: answeredBy })
      }
      const id = yield* submitted()
      yield* rpc.cancel({ task_id: TaskId.make(id), reason: "too slow" })
      const [step] = (yield* call("GET", `/task/${id}/steps`, 200)).json as ReadonlyArray<Json>
      assert.deepInclude(step, {
        kind: "cancelled",
        ended_by: "cancelled",
        title: "default cancelled the task through the API: too slow",
        by: { user_id: "default", name: "default", via: "api" }
      })
    }))
})
