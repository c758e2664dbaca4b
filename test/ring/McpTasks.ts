import { assert } from "@effect/vitest"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
import { Effect, Fiber } from "effect"
import process from "node:process"
import { command, troupeHere } from "../support/CommandLine.ts"
import { overHttp, overTransport } from "../support/McpClient.ts"
import { until } from "../support/Processes.ts"
import { taskClient } from "../support/TaskClient.ts"

const use = (tool: string, args: object) => `use ${tool} ${JSON.stringify(args)}`

const asking = use("ask_human", { question: "Red or blue?" })

/** A client makes a task, watches it, answers its question and reads its result and its file. */
export const workTask = Effect.fnUntraced(function*(port: number) {
  const mcp = yield* overHttp(port)
  const message = [
    asking,
    "",
    use("write_file", { path: "colour.txt", content: "Blue it is." }),
    "",
    use("attach_file", { path: "colour.txt" }),
    "",
    "Painted."
  ].join("\n")
  const made = yield* mcp.call("create_task", { message, wait_seconds: 30 }, { watch: true })
  assert.deepInclude(made.content, { status: "waiting_input", question: "Red or blue?" })
  assert.isTrue(made.progress.some((line) => line.includes("ask_human")), made.progress.join("\n"))

  const { task_id } = made.content
  const done = yield* mcp.call("answer_task", { task_id, response: "Blue", wait_seconds: 30 }, { watch: true })
  const { result, status } = done.content
  assert.strictEqual(status, "completed")
  assert.include(result, "ask_human: ok: Blue")
  assert.isTrue(done.progress.some((line) => line.includes("write_file")), done.progress.join("\n"))

  const { resources } = yield* mcp.ask((client) => client.listResources())
  // The newest come first.
  const newest = resources.slice(0, done.links.length)
  assert.deepStrictEqual(newest.map(({ uri }) => uri), done.links.map(({ uri }) => uri))
  const read = yield* Effect.forEach(done.links, ({ uri }) => mcp.ask((client) => client.readResource({ uri })))
  assert.deepStrictEqual(
    read.flatMap(({ contents }) => contents.map((content) => "text" in content ? content.text : "")),
    [result, "Blue it is."]
  )

  const next = yield* mcp.call("send_message", { task_id, message: "And now?", wait_seconds: 30 })
  assert.strictEqual(next.content["status"], "completed")
  assert.notStrictEqual(next.content["task_id"], task_id)
})

/** An agent makes a task of the service that it runs in, and another agent answers that. */
export const workTaskOfAgent = Effect.fnUntraced(function*(port: number) {
  const client = taskClient(port)
  yield* client.send("POST", "/api/mcp/configure", {
    mcpServers: { troupe: { type: "http", url: `http://127.0.0.1:${port}/mcp` } }
  })
  const becomes = (id: string, status: string) =>
    until(`${id} is ${status}`, Effect.map(client.find(id), (task) => task.status === status), "40 seconds")
  const first = yield* client.submit("first", {
    message: use("troupe__create_task", { message: asking, title: "Made by an agent", wait_seconds: 20 })
  })
  yield* becomes(first, "completed")
  const mcp = yield* overHttp(port)
  const { content } = yield* mcp.call("list_tasks", { status: "waiting_input" })
  const [made] = content["tasks"] as ReadonlyArray<{ readonly task_id: string; readonly title: string }>
  assert.strictEqual(made?.title, "Made by an agent")
  const second = yield* client.submit("second", {
    message: use("troupe__answer_task", { task_id: made?.task_id, response: "Blue", wait_seconds: 20 })
  })
  yield* becomes(second, "completed")
  assert.strictEqual((yield* client.find(made?.task_id ?? "")).status, "completed")
})

/** Calls the service through the command `troupe mcp`; yields what holds once the service was killed in the middle of a call. */
export const callByCommand = Effect.fnUntraced(function*(port: number) {
  const mcp = yield* overTransport(
    new StdioClientTransport({
      command: process.execPath,
      args: [command, "mcp"],
      env: { TROUPE_URL: `http://127.0.0.1:${port}` }
    })
  )
  const made = yield* mcp.call("create_task", { message: asking, wait_seconds: 30 }, { watch: true })
  assert.strictEqual(made.content["status"], "waiting_input")
  assert.isTrue(made.progress.some((line) => line.includes("ask_human")), made.progress.join("\n"))
  const wrong = yield* Effect.flip(mcp.call("nothing"))
  assert.include(wrong.message, "There is no tool nothing")

  // A call whose answer is lost with the service ends with the reason, and the next one too.
  const waiting = yield* Effect.fork(
    Effect.flip(
      mcp.call("create_task", { message: use("wait", { seconds: 600 }), title: "Long", wait_seconds: 60 })
    )
  )
  yield* until(
    "the task is made",
    Effect.map(
      taskClient(port).send("GET", "/tasks?q=Long"),
      ({ body }) => Array.isArray(body) && body.length === 1
    )
  )
  return Effect.gen(function*() {
    assert.include((yield* Fiber.join(waiting)).message, `127.0.0.1:${port}`)
    assert.include(
      (yield* Effect.flip(mcp.call("list_tasks"))).message,
      `No response from http://127.0.0.1:${port}`
    )

    const piped = yield* troupeHere(port)(["mcp"], "no JSON\n")
    assert.deepStrictEqual([piped.code, JSON.parse(piped.stdout).error.code], [0, -32_700])
  })
})
