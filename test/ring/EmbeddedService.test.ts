import { assert } from "@effect/vitest"
import type { Task } from "@troupe/domain/Task"
import { Config, Effect } from "effect"
import { existsSync } from "node:fs"
import { readFile, stat } from "node:fs/promises"
import { join } from "node:path"
import process from "node:process"
import { troupeAt } from "../support/CommandLine.ts"
import { makePorts, processTest } from "../support/Deployment.ts"
import { freshFolder } from "../support/FreshFolder.ts"
import { launch, npmStart, start, terminated, until } from "../support/Processes.ts"
import { taskClient } from "../support/TaskClient.ts"

const use = (tool: string, args: object) => `use ${tool} ${JSON.stringify(args)}`

const append = (name: string, line: string) =>
  use("write_file", { path: `${name}.txt`, content: `${line}\n`, append: true })

/** A wait of more than five seconds leaves the process, a shorter one does not. */
const waiting = (name: string, seconds: number) =>
  [append(name, "first"), use("wait", { seconds }), append(name, "second")].join("\n\n")

const asking = [
  use("write_file", { path: "notes.md", content: "Hello." }),
  use("ask_human", { question: "Red or blue?" }),
  use("read_file", { path: "notes.md" })
].join("\n\n")

const logged = (task: Task, event: string, text: string) =>
  task.logs.filter((log) => log.event === event && log.message.startsWith(text)).length

const read = (...path: ReadonlyArray<string>) => Effect.promise(() => readFile(join(...path), "utf8"))

processTest(
  "The tasks of a service with the embedded database outlive a kill of everything, and a backup that is restored elsewhere",
  function*() {
    const [dataDir, fresh, outside] = [yield* freshFolder, join(yield* freshFolder, "new"), yield* freshFolder]
    const ports = yield* makePorts
    const settings = (DATA_DIR: string) => ({
      ...ports.environment,
      COMPACTION_THRESHOLD: "1000",
      DATA_DIR,
      LOG_FORMAT: "json",
      LOG_LEVEL: "warning"
    })
    const client = taskClient(ports.http)
    const completed = (id: string) =>
      Effect.zipRight(
        until("the task completes", Effect.map(client.find(id), ({ status }) => status === "completed")),
        client.find(id)
      )

    const first = yield* start("all", settings(dataDir))
    const second = yield* launch("all", { ...(yield* makePorts).environment, DATA_DIR: dataDir })
    const paused = yield* client.submit("paused", { message: asking })
    yield* until("it asks", Effect.map(client.find(paused), ({ status }) => status === "waiting_input"))
    assert.strictEqual((yield* Effect.timeout(second.ended, "60 seconds")).code, 1)
    assert.match(
      yield* second.stderr,
      /^Troupe can't start\. Another process serves from .+\. Stop the other process, give this one its own DATA_DIR/
    )

    const troupe = (folder: string) => troupeAt(ports.http, settings(folder))
    const file = join(outside, "troupe.tar.gz")
    const saved = yield* troupe(dataDir)(["backup", file])
    assert.strictEqual(saved.code, 0, saved.stderr)
    assert.match(saved.stdout, /troupe\.tar\.gz: \d+ rows and 1 file, [\d.]+ kB\n$/)
    assert.include(saved.stderr, "Keep it safe")
    assert.strictEqual((yield* Effect.promise(() => stat(file))).mode & 0o777, 0o600)
    const busy = yield* troupe(dataDir)(["restore", "--replace", file])
    assert.strictEqual(busy.code, 4)
    assert.match(busy.stderr, /^Another process serves from /)

    const waits = [["parked", 5.5], ["in-place", 3]] as const
    const ids = yield* Effect.forEach(
      waits,
      ([name, seconds]) => client.submit(name, { message: waiting(name, seconds) })
    )
    for (const id of ids) {
      yield* until("it waits", Effect.map(client.find(id), (task) => logged(task, "tool_call", "wait") === 1))
    }
    yield* first.signal("SIGKILL")
    yield* first.ended
    const npm = yield* start("all", { ...settings(dataDir), PATH: yield* Config.string("PATH") }, npmStart("all"))
    for (const [index, [name]] of waits.entries()) {
      const task = yield* completed(ids[index] ?? "")
      assert.strictEqual(task.error, null)
      assert.strictEqual(logged(task, "tool_result", "wait: "), 1)
      assert.strictEqual(logged(task, "tool_result", "write_file: "), 2)
      assert.strictEqual(yield* read(dataDir, "files", "default", `${name}.txt`), "first\nsecond\n")
      assert.lengthOf(task.outputs, 1)
      assert.include(task.outputs[0]?.content, "Tool calls made: 3")
      assert.notInclude(task.outputs[0]?.content, "error")
    }
    const serverFile = join(dataDir, "postgres", "cluster", "postmaster.pid")
    assert.isTrue(existsSync(serverFile), "the database runs")
    // To npm alone. The pipes of its output close with the last process that holds them: npm, the service or the database.
    process.kill(npm.pid, "SIGTERM")
    yield* Effect.timeout(npm.ended, "60 seconds")
    assert.isFalse(existsSync(serverFile), "the database was shut down")

    const restored = yield* troupe(fresh)(["restore", "--json", file])
    assert.strictEqual(restored.code, 0, restored.stderr)
    assert.isFalse(existsSync(join(fresh, "files", ".restoring")))
    const service = yield* start("all", settings(fresh))
    assert.strictEqual((yield* client.find(paused)).question, "Red or blue?")
    yield* client.send("POST", "/human_response", { task_id: paused, response: "Blue" })
    const output = (yield* completed(paused)).outputs[0]?.content
    assert.include(output, "ask_human: ok: Blue")
    assert.include(output, "read_file: ok: Hello.")
    assert.strictEqual(yield* read(fresh, "files", "default", "notes.md"), "Hello.")
    assert.strictEqual((yield* terminated(service)).code, 0)
  }
)

processTest("Settings that can't be used stop the start, and all of them are named", function*() {
  const [service, worker] = [
    yield* launch("all", {
      PORT: "eighty",
      LOG_LEVEL: "loud",
      TASK_MAX_CRASHES: -1,
      DATABASE_URL: "mysql://user:hunter2@host/troupe",
      MAX_RECENT_MESSAGES: 13
    }),
    // A role that shares a database.
    yield* launch("worker", {})
  ]
  assert.strictEqual((yield* Effect.timeout(service.ended, "60 seconds")).code, 1)
  const said = yield* service.stderr
  for (const name of ["PORT", "LOG_LEVEL", "TASK_MAX_CRASHES", "DATABASE_URL", "MAX_RECENT_MESSAGES"]) {
    assert.match(said, new RegExp(`^  ${name} is .+ must be `, "m"))
  }
  assert.notInclude(`${said}${yield* service.stdout}`, "hunter2")
  assert.strictEqual((yield* Effect.timeout(worker.ended, "60 seconds")).code, 1)
  assert.match(yield* worker.stderr, /^Troupe can't start\. The role worker needs DATABASE_URL/)
})
