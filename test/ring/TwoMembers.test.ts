import { HttpBody, HttpClient, HttpClientRequest, OpenApi } from "@effect/platform"
import { NodeHttpClient } from "@effect/platform-node"
import { assert, it } from "@effect/vitest"
import { TroupeApi } from "@troupe/api/TroupeApi"
import { rpcPath } from "@troupe/api/TroupeRpcs"
import { Array as Arr, Effect } from "effect"
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { v7 } from "uuid"
import { query } from "../support/Database.ts"
import { audience, makeIdentityProvider } from "../support/IdentityProvider.ts"
import { start, until } from "../support/Processes.ts"
import { makeRing, makeSeat, type Ring } from "../support/Ring.ts"

/** In everything that only Ann may see. */
const secret = "FOR ANN ALONE"

interface Answer {
  readonly status: number
  readonly text: string
}

type Send = (method: string, path: string, body?: unknown) => Effect.Effect<Answer>

const sender = (port: number, token: string): Send => (method, path, body) =>
  HttpClientRequest.make(method as "GET")(`http://127.0.0.1:${port}${path}`, {
    headers: { authorization: `Bearer ${token}` },
    ...(body === undefined
      ? {}
      : {
        body: path === rpcPath ? HttpBody.text(JSON.stringify(body), "application/ndjson") : HttpBody.unsafeJson(body)
      })
  }).pipe(
    HttpClient.execute,
    Effect.flatMap((response) => Effect.map(response.text, (text) => ({ status: response.status, text }))),
    // A stream of events does not end.
    Effect.timeoutTo({
      duration: "3 seconds",
      onSuccess: (answer) => answer,
      onTimeout: () => ({ status: 0, text: "" })
    }),
    Effect.scoped,
    Effect.provide(NodeHttpClient.layerUndici),
    Effect.orDie
  )

const parsed = <A>({ text }: Answer): A => JSON.parse(text)

const idOf = (send: Send, email: string) =>
  Effect.map(send("GET", "/team/info"), (answer) => {
    const { members } = parsed<{ members: ReadonlyArray<{ user_id: string | null; email: string }> }>(answer)
    return members.find((member) => member.email === email)?.user_id ?? ""
  })

const ended = (send: Send, id: string, status: string) =>
  until(
    `task ${id} is ${status}`,
    Effect.map(send("GET", `/task/${id}`), (answer) => parsed<{ status: string }>(answer).status === status),
    "40 seconds"
  )

/** A service with an owner and two members, each of whom has signed in. */
const givenTeam = Effect.gen(function*() {
  const provider = yield* makeIdentityProvider
  const ring = yield* makeRing()
  const seat = yield* makeSeat
  yield* start("all", {
    ...ring.environment,
    ...seat.environment,
    DEPLOYMENT_MODE: "hosted",
    OIDC_ISSUER: provider.issuer,
    OIDC_AUDIENCE: audience,
    TEAM_OWNER_EMAIL: "owner@example.org"
  })
  const member = (name: string) =>
    Effect.map(
      provider.token({ sub: name, email: `${name}@example.org`, name }),
      (token) => sender(seat.port, token)
    )
  const [owner, ann, bob] = yield* Effect.all([member("owner"), member("ann"), member("bob")])
  for (const name of ["ann", "bob"]) yield* owner("POST", "/team/invite", { email: `${name}@example.org` })
  for (const send of [ann, bob]) assert.strictEqual((yield* send("GET", "/tasks")).status, 200)
  return {
    owner,
    ann,
    bob,
    annId: yield* idOf(ann, "ann@example.org"),
    bobId: yield* idOf(ann, "bob@example.org"),
    ring
  }
})

/** Everything of Ann: a profile, a file, a memory, a notification, and a task that asks her. */
const givenAnn = (ann: Send, owner: Send, annId: string, { storage, url }: Ring) =>
  Effect.gen(function*() {
    yield* ann("PUT", `/users/${annId}`, { title: secret })
    yield* Effect.promise(async () => {
      await mkdir(join(storage, annId), { recursive: true })
      await writeFile(join(storage, annId, "notes.txt"), secret)
    })
    yield* query(url, "insert into memory_owners values ($1, 1, 0, 1)", [annId])
    const [memoryId, notificationId] = [v7(), v7()]
    yield* query(
      url,
      `insert into memories values ($2, $1, $3, '{}', null, 'hashed-n-grams', 1, '{1}', 1, now(), now())`,
      [annId, memoryId, secret]
    )
    yield* query(
      url,
      "insert into notifications (id, user_id, kind, title, body) values ($2, $1, 'reminder', $3, 'Now')",
      [annId, notificationId, secret]
    )
    const header = { url: "https://tools.example.org/mcp", headers: { "x-key": secret }, disabled: true }
    assert.strictEqual((yield* owner("POST", "/api/mcp/configure", { mcpServers: { tools: header } })).status, 200)
    const chat = yield* ann("POST", "/chat", { message: "use ask_human {\"question\": \"Which one?\"}" })
    const { task_id: taskId } = parsed<{ task_id: string }>(chat)
    yield* ended(ann, taskId, "waiting_input")
    return { annId, memoryId, notificationId, taskId }
  })

/** All of Ann as she sees it herself, and as it is stored. */
const snapshot = (ann: Send, { annId, taskId }: { readonly annId: string; readonly taskId: string }, ring: Ring) =>
  Effect.gen(function*() {
    const seen = yield* Effect.forEach(
      [`/task/${taskId}`, `/users/${annId}/notifications`, `/task/${taskId}/messages`],
      (path) => ann("GET", path)
    )
    const rows = yield* Effect.forEach(
      ["select * from users where id = $1", "select * from memories where user_id = $1"],
      (text) => query(ring.url, text, [annId])
    )
    const folder = join(ring.storage, annId)
    const files = yield* Effect.promise(async () =>
      Promise.all(
        (await readdir(folder)).sort().map(async (name) => [name, await readFile(join(folder, name), "utf8")])
      )
    )
    const servers = yield* query(ring.url, "select version::integer from tool_server_config")
    return { seen, rows, files, servers }
  })

const bodies: Readonly<Record<string, unknown>> = {
  "post /human_response": { response: "Mine" },
  "post /task/{task_id}/message": { message: "Mine" },
  "put /users/{user_id}": { title: "Mine" },
  "post /api/mcp/configure": { mcpServers: {} },
  "post /api/skills/match": { query: "x" },
  "post /team/invite": { email: "eve@example.org" },
  "post /mcp": { jsonrpc: "2.0", id: 1, method: "tools/list" }
}

it.scopedLive("A member reaches nothing of another one, by any endpoint or any tool", () =>
  Effect.gen(function*() {
    const { ann, annId, bob, bobId, owner, ring } = yield* givenTeam
    const given = yield* givenAnn(ann, owner, annId, ring)
    const before = yield* snapshot(ann, given, ring)
    assert.include(JSON.stringify(before), secret)

    const values: Readonly<Record<string, string>> = {
      task_id: given.taskId,
      user_id: annId,
      notification_id: given.notificationId,
      memory_id: given.memoryId,
      path: "notes.txt",
      skill_name: "weekly-report-from-csv"
    }
    const refused: Array<string> = []
    for (const [template, operations] of Object.entries(OpenApi.fromApi(TroupeApi).paths)) {
      const path = template.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? "x")
      for (const method of Object.keys(operations)) {
        const operation = `${method} ${template}`
        const asAnn = { user_id: annId, task_id: given.taskId, message: "Mine" }
        const body = method === "post" || method === "put"
          ? { ...asAnn, ...Object(bodies[operation] ?? {}) }
          : undefined
        const query = template.includes("{user_id}") ? "" : `?user_id=${annId}`
        const { status, text } = yield* bob(method.toUpperCase(), `${path}${query}`, body)
        assert.notInclude(text, secret, `${operation}: ${status}`)
        assert.isBelow(status, 500, `${operation}: ${text}`)
        const isOfAnn = template.includes("{user_id}") || (template.includes("{task_id}") && method !== "get")
        if (isOfAnn) assert.include([403, 404], status, `${operation}: ${text}`)
        if (status === 403) refused.push(operation)
      }
    }
    for (
      const operation of [
        "post /chat",
        "post /human_response",
        "delete /task/{task_id}",
        "post /task/{task_id}/cancel",
        "put /users/{user_id}",
        "get /users/{user_id}/notifications",
        "post /api/mcp/configure"
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

    const other = `../${annId}/notes.txt`
    const calls = [
      ["read_file", { path: other }],
      ["read_file", { path: join(ring.storage, annId, "notes.txt") }],
      ["read_document", { path: other }],
      ["list_directory", { path: `../${annId}` }],
      ["attach_file", { path: other }],
      ["convert_markdown_to_docx", { source_path: other, output_path: "stolen.docx" }],
      ["convert_markdown_to_docx", { markdown: "x", output_path: `../${annId}/mine.docx` }],
      ["write_file", { path: other, content: "Mine", append: true }],
      ["send_email", { to: "bob@example.org", subject: "x", body: "x", attachments: [other] }],
      ["memory_search", { query: "what is for Ann" }],
      ["memory_save", { content: "Bob was here" }],
      ["run_skill_script", { skill_name: "..", script: other }],
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
    const subtasks = yield* bob("GET", `/task/${taskId}/subtasks`)
    for (const { id } of parsed<ReadonlyArray<{ id: string }>>(subtasks)) {
      assert.notInclude((yield* bob("GET", `/task/${id}/messages?full=true`)).text, secret)
    }

    assert.deepStrictEqual(yield* snapshot(ann, given, ring), before)
    assert.notInclude((yield* bob("GET", `/users/${bobId}/notifications`)).text, secret)
    assert.include((yield* owner("GET", `/users/${annId}/notifications`)).text, secret)
  }), 120_000)
