import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { existsSync } from "node:fs"
import { readFile, stat } from "node:fs/promises"
import { join } from "node:path"
import { troupeAt } from "../support/CommandLine.ts"
import { makePorts, processTest } from "../support/Deployment.ts"
import { freshFolder } from "../support/FreshFolder.ts"
import { start, until } from "../support/Processes.ts"
import { taskClient } from "../support/TaskClient.ts"

const script = [
  `use write_file ${JSON.stringify({ path: "notes.md", content: "Hello." })}`,
  `use ask_human ${JSON.stringify({ question: "Red or blue?" })}`,
  `use read_file ${JSON.stringify({ path: "notes.md" })}`
].join("\n\n")

processTest("A paused task is backed up while the service runs, and goes on in another data folder", function*() {
  const [dataDir, fresh, outside] = [yield* freshFolder, join(yield* freshFolder, "new"), yield* freshFolder]
  const ports = yield* makePorts
  const settings = (DATA_DIR: string) => ({ ...ports.environment, DATA_DIR, LOG_FORMAT: "json", LOG_LEVEL: "warning" })
  const troupe = (folder: string) => troupeAt(ports.http, settings(folder))
  const client = taskClient(ports.http)
  const file = join(outside, "troupe.tar.gz")

  const first = yield* start("all", settings(dataDir))
  const id = yield* client.submit("paused", { message: script })
  yield* until("it asks", Effect.map(client.find(id), ({ status }) => status === "waiting_input"))
  const saved = yield* troupe(dataDir)(["backup", file])
  assert.strictEqual(saved.code, 0, saved.stderr)
  assert.match(saved.stdout, /troupe\.tar\.gz: \d+ rows and 1 file, [\d.]+ kB\n$/)
  assert.include(saved.stderr, "Keep it safe")
  assert.strictEqual((yield* Effect.promise(() => stat(file))).mode & 0o777, 0o600)
  const busy = yield* troupe(dataDir)(["restore", "--replace", file])
  assert.strictEqual(busy.code, 4)
  assert.match(busy.stderr, /^Another process serves from /)
  yield* first.signal("SIGTERM")
  yield* first.ended

  const restored = yield* troupe(fresh)(["restore", "--json", file])
  assert.strictEqual(restored.code, 0, restored.stderr)
  assert.isFalse(existsSync(join(fresh, "files", ".restoring")))

  yield* start("all", settings(fresh))
  assert.strictEqual((yield* client.find(id)).question, "Red or blue?")
  yield* client.send("POST", "/human_response", { task_id: id, response: "Blue" })
  yield* until("it completes", Effect.map(client.find(id), ({ status }) => status === "completed"))
  const output = (yield* client.find(id)).outputs[0]?.content
  assert.include(output, "ask_human: ok: Blue")
  assert.include(output, "read_file: ok: Hello.")
  assert.strictEqual(
    yield* Effect.promise(() => readFile(join(fresh, "files", "default", "notes.md"), "utf8")),
    "Hello."
  )
})
