import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { idOf } from "./Fakes.ts"
import { message } from "./hardening.ts"
import { isProblem, post, request } from "./RawHttp.ts"
import { onServer } from "./TestServer.ts"

describe("Bodies", () => {
  onServer("an invalid field is named by its dotted path", function*({ port }) {
    const missing = isProblem(yield* post(port, "/chat", {}), 400, "invalid-request")
    assert.deepStrictEqual(missing.errors?.map(({ path }) => path), ["message"])
    const wrong = isProblem(yield* post(port, "/chat", { message: "a", attachments: [1] }), 400, "invalid-request")
    assert.include(wrong.errors?.map(({ path }) => path) ?? [], "attachments.0")
    const query = isProblem(yield* request(port, { path: "/tasks?limit=1001" }), 400, "invalid-request")
    assert.deepStrictEqual(query.errors?.map(({ path }) => path), ["limit"])
  })

  onServer("a path or a query that can't be decoded is 400 on every route", function*({ port }) {
    for (const bad of ["%zz", "%ff", "%", "%c3%28", "%ed%a0%80", "%00"]) {
      for (
        const path of [
          `/tasks?q=${bad}`,
          `/task/${bad}`,
          `/nothing/${bad}`,
          `/tasks?unknown=${bad}`,
          `/task/x?${bad}`
        ]
      ) {
        const problem = isProblem(yield* request(port, { path }), 400, "invalid-request")
        assert.deepStrictEqual(problem.errors?.map(({ path }) => path), ["url"])
      }
    }
    assert.strictEqual((yield* request(port, { path: "/tasks?q=100%25+%c3%a4" })).status, 200)
  })

  onServer("texts of blanks alone and empty ids are refused with their path", function*({ fakes, port }) {
    const blank = " \n\t\u00a0"
    const task = yield* post(port, "/chat", message)
    assert.strictEqual(task.status, 202)
    const requests: ReadonlyArray<readonly [string, string, object]> = [
      ["/chat", "message", { message: blank }],
      ["/chat", "title", { ...message, title: blank }],
      ["/chat", "project_id", { ...message, project_id: "" }],
      ["/chat", "project_id", { ...message, project_id: blank }],
      ["/chat", "user_id", { ...message, user_id: "" }],
      ["/chat", "continue_task_id", { ...message, continue_task_id: "" }],
      ["/chat", "attachments.0", { ...message, attachments: [""] }],
      ["/human_response", "response", { task_id: idOf(1), response: blank }],
      ["/human_response", "task_id", { task_id: "", response: "Blue" }],
      ["/human_response", "user_id", { task_id: idOf(1), response: "Blue", user_id: "" }],
      ["/api/skills/match", "query", { query: blank }],
      ["/api/mcp/configure", "mcpServers.a.command", { mcpServers: { a: { command: blank } } }]
    ]
    for (const [path, field, body] of requests) {
      const problem = isProblem(yield* post(port, path, body), 400, "invalid-request")
      assert.deepStrictEqual(problem.errors?.map(({ path }) => path), [field])
    }
    assert.lengthOf(fakes.submitted, 1)
  })

  onServer("a cursor that this service did not make is refused with what to do", function*({ port }) {
    for (
      const path of ["/tasks", `/task/${idOf(1)}/subtasks`, "/users", "/users/default/notifications", "/api/skills/"]
    ) {
      for (const cursor of ["", "NO such", "../x"]) {
        const answer = yield* request(port, { path: `${path}?cursor=${encodeURIComponent(cursor)}` })
        assert.deepStrictEqual(isProblem(answer, 400, "invalid-request").errors, [
          { path: "cursor", message: "The cursor is not one that this service gave; start again without it." }
        ])
      }
    }
  })

  onServer("a value that is none of those allowed gets one error that lists them", function*({ port }) {
    const errorsOf = (query: string) =>
      Effect.map(
        request(port, { path: `/tasks?${query}` }),
        (answer) => isProblem(answer, 400, "invalid-request").errors
      )
    assert.deepStrictEqual(yield* errorsOf("status=done"), [{
      path: "status",
      message: "one of \"pending\", \"running\", \"completed\", \"failed\", \"waiting_input\", \"waiting_subagents\""
    }])
    assert.deepStrictEqual(yield* errorsOf("task_type=x"), [
      { path: "task_type", message: "one of \"task\", \"subtask\"" }
    ])
    assert.deepStrictEqual(yield* errorsOf("limit=ten"), [{
      path: "limit",
      message: "a whole number from 1 to 1000"
    }])
  })

  onServer("a body that is no object is refused in the words of JSON", function*({ port }) {
    for (const path of ["/chat", "/api/skills/", "/api/schedules", "/api/subscriptions", "/mcp"]) {
      for (const body of [[], 3, null]) {
        const { errors } = isProblem(yield* post(port, path, body), 400, "invalid-request")
        assert.deepStrictEqual(errors, [{ path: "", message: "a JSON object" }])
      }
    }
  })
})
