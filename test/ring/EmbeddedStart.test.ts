import { assert } from "@effect/vitest"
import type { Task } from "@troupe/domain/Task"
import { Config, Effect } from "effect"
import { existsSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import process from "node:process"
import { makePorts, processTest } from "../support/Deployment.ts"
import { freshFolder } from "../support/FreshFolder.ts"
import { launch, npmStart, start, until } from "../support/Processes.ts"
import { taskClient } from "../support/TaskClient.ts"

const append = (line: string) =>
  `use write_file ${JSON.stringify({ path: "log.txt", content: `${line}\n`, append: true })}`

const lines = ["first", "second", "third"]

const script = [
  append("first"),
  "use wait {\"seconds\": 5.5}",
  append("second"),
  "use wait {\"seconds\": 1}",
  append("third")
].join("\n\n")

/** How many calls of the tool the model has asked for. */
const asked = (task: Task, tool: string) =>
  task.logs.filter(({ event, message }) => event === "tool_call" && message === tool).length

const answered = (task: Task, tool: string) =>
  task.logs.filter(({ event, message }) => event === "tool_result" && message.startsWith(`${tool}: `)).length

processTest(
  "A task of the offline model on the embedded database outlives two kills of everything, and a second process is refused",
  function*() {
    const dataDir = yield* freshFolder
    const ports = yield* makePorts
    const settings = {
      ...ports.environment,
      COMPACTION_THRESHOLD: "1000",
      DATA_DIR: dataDir,
      LOG_FORMAT: "json",
      LOG_LEVEL: "warning"
    }
    const client = taskClient(ports.http)
    const moments = [
      { what: "it sleeps", reached: (task: Task) => asked(task, "wait") >= 1 && task.status === "running" },
      { what: "it waits in place", reached: (task: Task) => asked(task, "wait") === 2 }
    ]

    let current = yield* start("all", settings)
    const second = yield* launch("all", { ...(yield* makePorts).environment, DATA_DIR: dataDir })
    assert.strictEqual((yield* Effect.timeout(second.ended, "60 seconds")).code, 1)
    assert.match(
      yield* second.stderr,
      /^Troupe can't start\. Another process serves from .+\. Stop the other process, give this one its own DATA_DIR/
    )
    const id = yield* client.submit("outliving", { message: script })
    for (const { reached, what } of moments) {
      yield* until(what, Effect.map(client.find(id), reached))
      yield* current.signal("SIGKILL")
      yield* current.ended
      current = yield* start("all", settings)
    }
    yield* until("the task completes", Effect.map(client.find(id), ({ status }) => status !== "running"))

    const task = yield* client.find(id)
    assert.deepStrictEqual([task.status, task.error], ["completed", null])
    assert.strictEqual(answered(task, "wait"), 2)
    assert.strictEqual(answered(task, "write_file"), 3)
    const written = yield* Effect.promise(() => readFile(join(dataDir, "files", "default", "log.txt"), "utf8"))
    assert.deepStrictEqual(written, lines.map((line) => `${line}\n`).join(""))
    assert.include(task.outputs[0]?.content, "Tool calls made: 5")
    assert.notInclude(task.outputs[0]?.content, "error")
    assert.strictEqual(task.outputs.length, 1)
    yield* current.signal("SIGTERM")
    assert.strictEqual((yield* Effect.timeout(current.ended, "60 seconds")).code, 0)
  }
)

processTest("A signal to the process of npm start ends the service and its database", function*() {
  const dataDir = yield* freshFolder
  const ports = yield* makePorts
  const environment = { ...ports.environment, DATA_DIR: dataDir, PATH: yield* Config.string("PATH") }
  const npm = yield* start("all", environment, npmStart("all"))
  const serverFile = join(dataDir, "postgres", "cluster", "postmaster.pid")
  assert.isTrue(existsSync(serverFile), "the database runs")
  process.kill(npm.pid, "SIGTERM")
  // The pipes of its output close with the last process that holds them: npm, the service or the database.
  yield* Effect.timeout(npm.ended, "60 seconds")
  assert.isFalse(existsSync(serverFile), "the database was shut down")
})

processTest("Settings that can't be used stop the start, and all of them are named", function*() {
  const service = yield* launch("all", {
    PORT: "eighty",
    LOG_LEVEL: "loud",
    TASK_MAX_CRASHES: -1,
    DATABASE_URL: "mysql://user:hunter2@host/troupe",
    MAX_RECENT_MESSAGES: 13
  })
  const { code } = yield* Effect.timeout(service.ended, "60 seconds")
  assert.strictEqual(code, 1)
  const said = yield* service.stderr
  for (const name of ["PORT", "LOG_LEVEL", "TASK_MAX_CRASHES", "DATABASE_URL", "MAX_RECENT_MESSAGES"]) {
    assert.match(said, new RegExp(`^  ${name} is .+ must be `, "m"))
  }
  assert.notInclude(`${said}${yield* service.stdout}`, "hunter2")
})

processTest("A role that shares a database does not start without one", function*() {
  const worker = yield* launch("worker", {})
  assert.strictEqual((yield* Effect.timeout(worker.ended, "60 seconds")).code, 1)
  assert.match(yield* worker.stderr, /^Troupe can't start\. The role worker needs DATABASE_URL/)
})
