import { assert, describe, it } from "@effect/vitest"
import type { TaskEvent } from "@troupe/api/TaskEvent"
import { Deferred, Effect, Fiber, Stream } from "effect"
import { idOf, makeFakes } from "../Http/Fakes.ts"
import { hosted, signedInUsers } from "../Http/hardening.ts"
import { connected, exchange, isProblem, post, request } from "../Http/RawHttp.ts"
import { started } from "../Http/TestServer.ts"
import { eventually } from "../support/Eventually.ts"
import { overHttp } from "../support/McpClient.ts"

const log = (n: number, message: string): TaskEvent => ({
  _tag: "log",
  id: `${n}.0`,
  entry: { id: `${n}.0`, timestamp: "2026-01-01T00:00:00.000Z", level: "info", event: "model", message, data: null }
})

const initialize = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "raw", version: "1" } }
}
const call = (name: string, args: object, meta: object = {}) => ({
  jsonrpc: "2.0",
  id: 2,
  method: "tools/call",
  params: { name, arguments: args, _meta: meta }
})

const opened = Effect.gen(function*() {
  const fakes = makeFakes()
  const port = yield* started(fakes, {
    MAX_EVENT_STREAMS_PER_CALLER: "1",
    BACKEND_API_URL: "https://troupe.example.org/at/"
  })
  return { fakes, port, mcp: yield* overHttp(port) }
})

describe("POST /mcp", () => {
  it.scopedLive("lists the tools with parameters that say what they mean, and what they change", () =>
    Effect.gen(function*() {
      const { mcp } = yield* opened
      const { tools } = yield* mcp.ask((client) => client.listTools())
      assert.deepStrictEqual(tools.map(({ annotations, name }) => [name, annotations?.readOnlyHint]), [
        ["create_task", false],
        ["get_task", true],
        ["list_tasks", true],
        ["answer_task", false],
        ["send_message", false],
        ["cancel_task", false],
        ["list_skills", true]
      ])
      const undescribed = tools.flatMap(({ inputSchema, name }) =>
        Object.entries(inputSchema.properties ?? {}).flatMap(([field, schema]) =>
          "description" in schema || "anyOf" in schema ? [] : [`${name}.${field}`]
        )
      )
      assert.deepStrictEqual(undescribed, [])
      assert.deepStrictEqual(tools[0]?.inputSchema.required, ["message"])
      assert.include(mcp.client.getInstructions(), "Create a task")
    }))

  it.scopedLive("makes a task as POST /chat does, with an idempotency key of the caller", () =>
    Effect.gen(function*() {
      const { mcp, fakes } = yield* opened
      const made = yield* mcp.call("create_task", { message: "Say hello", title: null, idempotency_key: "k" })
      assert.deepInclude(made.content, {
        task_id: idOf(1),
        status: "pending",
        console_url: `https://troupe.example.org/at/console/tasks/${idOf(1)}`
      })
      assert.deepStrictEqual(JSON.parse(made.text), made.content)
      assert.deepInclude((yield* mcp.call("get_task", { task_id: idOf(1) })).content, { task_id: idOf(1) })
      const { content } = yield* mcp.call("list_tasks", { limit: 1 })
      assert.strictEqual(content["next_cursor"], null)
      assert.strictEqual(fakes.submitted.length, 1)
    }))

  it.scopedLive("answers wrong calls with what is wrong, so that a model can correct them", () =>
    Effect.gen(function*() {
      const { mcp, fakes } = yield* opened
      const missing = yield* mcp.call("create_task", { mesage: "typo" })
      assert.isTrue(missing.isError)
      assert.match(missing.text, /no parameter "mesage".*"message" must be .* and is missing.*The parameters are/)
      const unknown = yield* mcp.call("get_task", { task_id: "nonsense" })
      assert.deepStrictEqual([unknown.isError, unknown.text], [true, "There is no task nonsense."])
      const long = yield* mcp.call("get_task", { task_id: idOf(1), wait_seconds: 301 })
      assert.match(long.text, /at most 300/)
      const conflict = yield* Effect.zipRight(
        mcp.call("create_task", { message: "m" }),
        mcp.call("answer_task", { task_id: idOf(1), response: "Blue" })
      )
      assert.match(conflict.text, /waits for no answer/)
      const noTool = yield* Effect.flip(mcp.call("delete_everything"))
      assert.match(noTool.message, /-32602.*no tool delete_everything.*create_task, get_task/)
      const noResource = yield* Effect.flip(
        mcp.ask((client) => client.readResource({ uri: `troupe://tasks/${idOf(9)}/outputs/1.0` }))
      )
      assert.match(noResource.message, /-32002.*There is no task/)
      fakes.submit = () => Effect.die(new Error("secret cause"))
      const broken = yield* mcp.call("create_task", { message: "m" })
      assert.isTrue(broken.isError)
      assert.notInclude(broken.text, "secret cause")
    }))

  it.scopedLive("reports progress to a client that asks for it, and limits the streams of a caller", () =>
    Effect.gen(function*() {
      const { mcp, port, fakes } = yield* opened
      fakes.events = () => Stream.make(log(1, "Thinking"), log(2, "Acting"))
      const watched = yield* mcp.call("create_task", { message: "m", wait_seconds: 5 }, { watch: true })
      assert.deepStrictEqual(watched.progress, ["Thinking", "Acting"])
      assert.strictEqual(fakes.submitted.at(-1)?.live, true)
      const text = (delta: string): TaskEvent => ({ _tag: "text", delta })
      fakes.events = () => Stream.make(text("One "), text("line\nand"), text(" more"), log(3, "Answered"))
      const streamed = yield* mcp.call("create_task", { message: "m", wait_seconds: 5 }, { watch: true })
      assert.deepStrictEqual(streamed.progress, ["One line", "and more", "Answered"])
      fakes.events = () => Stream.concat(Stream.make(log(1, "Thinking")), Stream.never)
      const quiet = yield* mcp.call("create_task", { message: "m" }, { watch: true })
      assert.deepStrictEqual([quiet.isError, quiet.progress], [false, []])
      assert.strictEqual(fakes.submitted.at(-1)?.live, false, "nobody waits")

      const ended = yield* Deferred.make<void>()
      fakes.events = () => Stream.ensuring(Stream.never, Deferred.succeed(ended, undefined))
      const events = { accept: "application/json, text/event-stream" }
      const connection = yield* connected(port)
      const body = JSON.stringify(call("create_task", { message: "first", wait_seconds: 300 }))
      yield* exchange(connection, port, { method: "POST", path: "/mcp", headers: events, body })
      yield* eventually(Effect.sync(() => fakes.submitted.length), (count) => count === 4)
      const refused = yield* post(port, "/mcp", call("create_task", { message: "second", wait_seconds: 300 }), events)
      isProblem(refused, 429, "too-many-streams")
      assert.deepStrictEqual(fakes.submitted.map(({ message }) => message), ["m", "m", "m", "first"])

      // A closed connection ends its call.
      connection.socket.destroy()
      yield* Deferred.await(ended)
      fakes.events = () => Stream.empty
      yield* eventually(
        post(port, "/mcp", call("get_task", { task_id: idOf(1), wait_seconds: 300 }), events),
        ({ status }) => status === 200
      )
    }))

  it.scopedLive("needs no session, and answers in JSON if the client accepts no events", () =>
    Effect.gen(function*() {
      const { port } = yield* opened
      const welcomed = yield* post(port, "/mcp", initialize)
      assert.strictEqual(welcomed.headers["content-type"], "application/json")
      assert.nestedPropertyVal(welcomed.json, "result.serverInfo.name", "troupe")
      assert.notProperty(welcomed.headers, "mcp-session-id")
      const notified = yield* post(port, "/mcp", { jsonrpc: "2.0", method: "notifications/initialized" })
      assert.strictEqual(notified.status, 202)
      const made = yield* post(port, "/mcp", call("create_task", { message: "m", wait_seconds: 1 }))
      assert.nestedPropertyVal(made.json, "result.structuredContent.status", "pending")
      const unknown = yield* post(port, "/mcp", { ...call("x", {}), method: "tools/run" })
      assert.nestedPropertyVal(unknown.json, "error.code", -32_601)
      for (const method of ["GET", "DELETE"]) {
        const refused = yield* request(port, { method, path: "/mcp", headers: { accept: "text/event-stream" } })
        isProblem(refused, 405, "method-not-allowed")
      }
    }))

  it.scopedLive("refuses foreign pages, other hosts, other versions, and what is no message", () =>
    Effect.gen(function*() {
      const { port, fakes } = yield* opened
      const make = call("create_task", { message: "m" })
      isProblem(yield* post(port, "/mcp", make, { origin: "https://evil.example" }), 403, "forbidden")
      isProblem(yield* post(port, "/mcp", make, { host: "evil.example" }), 403, "forbidden")
      isProblem(yield* post(port, "/mcp", make, { "content-type": "text/plain" }), 415, "unsupported-media-type")
      const version = yield* post(port, "/mcp", make, { "mcp-protocol-version": "1999-01-01" })
      assert.strictEqual(isProblem(version, 400, "invalid-request").errors?.[0]?.path, "mcp-protocol-version")
      for (const body of [[make], {}, "text", { ...make, jsonrpc: "1.0" }, { ...make, id: {} }]) {
        isProblem(yield* post(port, "/mcp", body), 400, "invalid-request")
      }
      assert.deepStrictEqual(fakes.submitted, [])
      assert.strictEqual((yield* post(port, "/mcp", make, { origin: `http://localhost:${port}` })).status, 200)
    }))
})

const settings = { MAX_EVENT_STREAMS_PER_CALLER: "2", ...hosted }

const waiting = (message: string) => call("create_task", { message, wait_seconds: 300 })

const of = (user: string) => ({ authorization: `Bearer user-${user}` })

/** A client that accepts events gets the answer as events. */
const watching = (user: string) => ({ ...of(user), accept: "application/json, text/event-stream" })

it.scopedLive("A hosted service limits the waiting MCP calls of each user, from whichever connection they come", () =>
  Effect.gen(function*() {
    const fakes = makeFakes()
    const ended = yield* Deferred.make<void>()
    fakes.events = () => Stream.interruptWhenDeferred(Stream.never, ended)
    const port = yield* started(fakes, settings, signedInUsers)
    const submitted = (count: number) =>
      eventually(Effect.sync(() => fakes.submitted.length), (submitted) => submitted === count)

    const first = yield* Effect.fork(post(port, "/mcp", waiting("first of ann"), of("ann")))
    yield* submitted(1)
    const body = JSON.stringify(waiting("second of ann"))
    yield* exchange(yield* connected(port), port, { method: "POST", path: "/mcp", headers: watching("ann"), body })
    yield* submitted(2)

    const refused = yield* post(port, "/mcp", waiting("third of ann"), of("ann"))
    isProblem(refused, 429, "too-many-streams")
    assert.isAtLeast(Number(refused.headers["retry-after"]), 1)
    isProblem(yield* post(port, "/mcp", waiting("third of ann"), watching("ann")), 429, "too-many-streams")
    isProblem(yield* request(port, { path: "/events", headers: of("ann") }), 429, "too-many-streams")
    assert.strictEqual((yield* post(port, "/mcp", call("list_tasks", {}), of("ann"))).status, 200)

    const other = yield* Effect.fork(post(port, "/mcp", waiting("first of bob"), of("bob")))
    yield* submitted(3)
    yield* Deferred.succeed(ended, undefined)
    assert.strictEqual((yield* Fiber.join(first)).status, 200)
    assert.strictEqual((yield* Fiber.join(other)).status, 200)
    const later = call("get_task", { task_id: idOf(1), wait_seconds: 300 })
    yield* eventually(post(port, "/mcp", later, of("ann")), ({ status }) => status === 200)
    assert.deepStrictEqual(fakes.submitted.map(({ message }) => message), [
      "first of ann",
      "second of ann",
      "first of bob"
    ])
  }))
