import { OpenApi } from "@effect/platform"
import { assert } from "@effect/vitest"
import { TroupeApi } from "@troupe/api/TroupeApi"
import { rpcPath } from "@troupe/api/TroupeRpcs"
import type { TaskCounts } from "@troupe/domain/TaskCounts"
import { Array as Arr, Effect } from "effect"
import { join } from "node:path"
import { processTest } from "../support/Deployment.ts"
import { until } from "../support/Processes.ts"
import { ended, forAnn, givenAnn, givenTeam, parsed, secret } from "./members.ts"
import { snapshot } from "./memberSnapshot.ts"

const bodies: Readonly<Record<string, unknown>> = {
  "post /human_response": { response: "Mine" },
  "post /task/{task_id}/approvals": { decisions: [{ tool_call_id: "c1", decision: "approve" }] },
  "post /task/{task_id}/message": { message: "Mine" },
  "put /users/{user_id}": { title: "Mine" },
  "post /api/mcp/configure": { mcpServers: {} },
  "post /api/skills/match": { query: "x" },
  "post /api/schedules": { every: "hourly" },
  "post /api/subscriptions": { url: "https://hooks.example.org/", events: ["task.archived"] },
  "post /team/invite": { email: "eve@example.org" },
  "post /mcp": { jsonrpc: "2.0", id: 1, method: "tools/list" }
}

/** What shows more than without it. */
const queries: Readonly<Record<string, string>> = {
  "get /events": "&last_event_id=0",
  "get /tasks": "&include_archived=true",
  "get /task/{task_id}/messages": "&full=true"
}

/** A stream of events is read for a second. */
const inParallel = { concurrency: 4 }

processTest("A member reaches nothing of another one, by any endpoint or any tool", function*() {
  const { ann, annId, bob, bobId, owner, deployment } = yield* givenTeam()
  const given = yield* givenAnn(ann, owner, annId, deployment)
  const before = yield* snapshot(ann, given, deployment)
  assert.include(JSON.stringify(before), secret)

  const taskIds = [given.taskId, given.failedTaskId, given.webhookTaskId]
  const values: Readonly<Record<string, string>> = {
    task_id: given.taskId,
    user_id: annId,
    notification_id: given.notificationId,
    memory_id: given.memoryId,
    schedule_id: given.scheduleId,
    subscription_id: given.subscriptionId,
    delivery_id: given.deliveryId,
    outbox_id: given.deliveryId,
    channel_id: given.channelId,
    path: "notes.txt",
    skill_name: "weekly-report-from-csv",
    server_name: "tools"
  }
  const operations = Object.entries(OpenApi.fromApi(TroupeApi).paths).flatMap(([template, methods]) =>
    Object.keys(methods).map((method) => ({ method, operation: `${method} ${template}`, template }))
  )
  const refused = yield* Effect.forEach(operations, ({ method, operation, template }) =>
    Effect.gen(function*() {
      const path = template.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? "x")
      const asAnn = { user_id: annId, task_id: given.taskId, message: "Mine" }
      const body = method === "post" || method === "put"
        ? { ...asAnn, ...Object(bodies[operation] ?? {}) }
        : undefined
      const query = template.includes("{user_id}") ? "" : `?user_id=${annId}${queries[operation] ?? ""}`
      const { status, text } = yield* bob(method.toUpperCase(), `${path}${query}`, body)
      assert.notInclude(text, secret, `${operation}: ${status}`)
      assert.isBelow(status, 500, `${operation}: ${text}`)
      const isOfAnn = /\{(user|schedule|subscription|delivery|outbox|channel)_id\}/.test(template)
        || (template.includes("{task_id}") && method !== "get")
      if (isOfAnn) assert.include([403, 404], status, `${operation}: ${text}`)
      return status === 403 ? [operation] : []
    }), inParallel).pipe(Effect.map(Arr.flatten))
  yield* Effect.forEach(taskIds, (id) =>
    Effect.gen(function*() {
      for (const part of ["", "/subtasks", "/events", "/worker-status", "/steps", "/steps/1", "/steps/2"]) {
        const { status, text } = yield* bob("GET", `/task/${id}${part}`)
        assert.strictEqual(status, 200, text)
        assert.notInclude(text, secret, part)
      }
      for (const part of ["/messages", "/steps/2/context", "/export"]) {
        const { status, text } = yield* bob("GET", `/task/${id}${part}`)
        assert.strictEqual(status, 403, part)
        assert.match(text, /Only its creator, its assignee, an owner or an admin may (?:read the conversation|export)/)
      }
    }), inParallel)
  assert.include((yield* ann("GET", `/task/${given.taskId}/export`)).text, secret)
  const search = `/tasks?include_archived=true&q=${encodeURIComponent(secret)}`
  assert.deepStrictEqual(parsed(yield* bob("GET", search)), [])
  assert.lengthOf(parsed<ReadonlyArray<unknown>>(yield* ann("GET", search)), 2)
  const count = (send: typeof bob) =>
    Effect.map(
      send("GET", search.replace("/tasks", "/tasks/counts")),
      (answer) => {
        const { cancelled, capped, sleeping, ...counts } = parsed<TaskCounts>(answer)
        assert.deepStrictEqual(capped, [])
        assert.isAtMost(sleeping + cancelled, counts.running + counts.failed)
        return Object.values(counts).reduce((sum, number) => sum + number, 0)
      }
    )
  assert.deepStrictEqual([yield* count(bob), yield* count(ann)], [0, 2])

  // A member's operation sees of Ann's tasks what the list shows, finds nothing by their content, and changes none.
  for (const [filter, matched] of [[{ creator: annId }, 4], [{ q: secret }, 0]] as const) {
    const begun = yield* bob("POST", "/tasks/bulk", { action: "archive", filter })
    assert.strictEqual(begun.status, 202, begun.text)
    const { id } = parsed<{ id: string }>(begun)
    const progress = bob("GET", `/tasks/bulk/${id}`)
    yield* until("it is finished", Effect.map(progress, ({ text }) => !text.includes("\"finished_at\":null")))
    assert.deepInclude(parsed<object>(yield* progress), { matched, done: 0, failed: matched })
    assert.strictEqual((yield* ann("GET", `/tasks/bulk/${id}`)).status, 404)
  }
  for (
    const operation of [
      "post /chat",
      "post /human_response",
      "delete /task/{task_id}",
      "post /task/{task_id}/cancel",
      "put /users/{user_id}",
      "get /task/{task_id}/messages",
      "get /users/{user_id}/notifications",
      "get /system/settings",
      "get /system/history",
      "get /system/storage",
      "get /api/mcp/configure",
      "post /api/mcp/configure",
      "post /api/mcp/servers/{server_name}/accept",
      "post /api/mcp/servers/{server_name}/tools/{tool_name}/test",
      "get /api/schedules",
      "post /api/schedules",
      "get /api/subscriptions",
      "post /api/subscriptions"
    ]
  ) assert.include(refused, operation)

  for (
    const [name, args] of [
      ["create_task", { user_id: annId, message: "Mine" }],
      ["answer_task", { task_id: given.taskId, response: "Mine" }],
      ["send_message", { task_id: given.taskId, message: "Mine" }],
      ["cancel_task", { task_id: given.taskId }]
    ] as const
  ) {
    const params = { name, arguments: args }
    const answer = yield* bob("POST", "/mcp", { jsonrpc: "2.0", id: 1, method: "tools/call", params })
    const { result } = parsed<{ result: { isError?: boolean } }>(answer)
    assert.isTrue(result.isError, `${name}: ${answer.text}`)
    assert.match(answer.text, /may change task|belongs to another user/, name)
  }

  const tool = (name: string, args: object) =>
    bob("POST", "/mcp", { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } })
  for (const id of taskIds) {
    const { text } = yield* tool("get_task", { task_id: id, logs: 200 })
    assert.include(text, id)
    assert.notInclude(text, secret)
  }
  assert.notInclude((yield* tool("list_tasks", {})).text, secret)
  assert.notInclude((yield* tool("list_tasks", { q: secret })).text, "A task of Ann")

  const resources = (send: typeof bob, method: string, params: object) =>
    send("POST", "/mcp", { jsonrpc: "2.0", id: 1, method: `resources/${method}`, params })
  const listed = yield* resources(ann, "list", {})
  const { result } = parsed<{ result: { resources: ReadonlyArray<{ uri: string }> } }>(listed)
  const own = yield* Effect.filter(
    result.resources,
    ({ uri }) => Effect.map(resources(ann, "read", { uri }), ({ text }) => text.includes(secret))
  )
  assert.lengthOf(own, 1)
  assert.match((yield* resources(bob, "read", { uri: own[0]?.uri })).text, /belongs to another user/)
  assert.notInclude((yield* resources(bob, "list", {})).text, secret)
  for (const method of ["GET", "HEAD", "DELETE"]) {
    for (const path of ["notes.txt", "folder/notes.txt"]) {
      const { status, text } = yield* bob(method, `/files/${annId}/${path}`)
      assert.strictEqual(status, 403, `${method} ${path}: ${text}`)
    }
  }

  for (
    const [tag, payload] of [
      ["submit", { user_id: annId, message: "Mine" }],
      ["answer", { task_id: given.taskId, response: "Mine" }],
      ["message", { task_id: given.taskId, message: "Mine" }],
      ["cancel", { task_id: given.taskId }],
      ["retry", { task_id: given.taskId }],
      ["notifications", { user_id: annId }],
      ["markNotificationRead", { user_id: annId, notification_id: given.notificationId }]
    ] as const
  ) {
    const { text } = yield* bob("POST", rpcPath, { _tag: "Request", id: "1", tag, payload })
    assert.match(text, /"_tag":"NotAllowed"/, `${tag}: ${text}`)
  }

  for (
    const [tag, payload] of [
      ...taskIds.map((id) => ["get", { task_id: id }] as const),
      ["list", {}],
      ["watch", { task_id: given.failedTaskId }],
      ["watch", { task_id: given.webhookTaskId }]
    ] as const
  ) {
    const { text } = yield* bob("POST", rpcPath, { _tag: "Request", id: "1", tag, payload })
    assert.match(text, /"_tag":"Success"/, `${tag}: ${text}`)
    assert.notInclude(text, secret, tag)
  }

  const other = `../${annId}/notes.txt`
  const calls = [
    ["read_file", { path: other }],
    ["read_file", { path: join(deployment.storage, annId, "notes.txt") }],
    ["read_document", { path: other }],
    ["list_directory", { path: `../${annId}` }],
    ["attach_file", { path: other }],
    ["convert_markdown_to_docx", { source_path: other, output_path: "stolen.docx" }],
    ["convert_markdown_to_docx", { markdown: "x", output_path: `../${annId}/mine.docx` }],
    ["write_file", { path: other, content: "Mine", append: true }],
    ["send_email", { to: "bob@example.org", subject: "x", body: "x", attachments: [other] }],
    ["memory_search", { query: forAnn }],
    ["memory_save", { content: "Bob was here" }],
    ["run_skill_script", { skill_name: "..", script: other }],
    ["run_skill_script", { skill_name: "weekly-report-from-csv", script: "weekly.mjs", args: [other] }],
    ["dispatch_subagent", { task_description: `use read_file ${JSON.stringify({ path: other })}` }]
  ] as const
  // At most five calls a turn are run.
  const message = Arr.chunksOf(calls, 5).map((turn) =>
    turn.map(([tool, args]) => `use ${tool} ${JSON.stringify(args)}`).join("\n")
  ).join("\n\n")
  const { task_id: taskId } = parsed<{ task_id: string }>(yield* bob("POST", "/chat", { message }))
  yield* ended(bob, taskId, "completed")
  const results = parsed<ReadonlyArray<{ role: string; content: string; name?: string }>>(
    yield* bob("GET", `/task/${taskId}/messages?full=true`)
  ).filter(({ role }) => role === "tool")
  assert.deepStrictEqual(results.map(({ name }) => name), calls.map(([tool]) => tool))
  for (const { content, name } of results) assert.notInclude(content, secret, name)
  // Its PATH has no bubblewrap.
  assert.match(results[12]?.content ?? "", /^Error: .*bubblewrap.*ALLOW_UNCONFINED_SCRIPTS=true/)
  assert.include((yield* owner("GET", "/api/health")).text, "Skill scripts are refused")
  const subtasks = yield* bob("GET", `/task/${taskId}/subtasks`)
  for (const { id } of parsed<ReadonlyArray<{ id: string }>>(subtasks)) {
    assert.notInclude((yield* bob("GET", `/task/${id}/messages?full=true`)).text, secret)
  }

  assert.deepStrictEqual(yield* snapshot(ann, given, deployment), before)
  assert.notInclude((yield* bob("GET", `/users/${bobId}/notifications`)).text, secret)
  assert.include((yield* owner("GET", `/users/${annId}/notifications`)).text, secret)
})
