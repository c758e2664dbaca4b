import { assert, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import { execPath } from "node:process"
import { fileURLToPath } from "node:url"
import { posix } from "../support/Need.ts"

const built = (module: string) => JSON.stringify(new URL(`../../dist/${module}`, import.meta.url).href)

/** Starts each kind of child process while no descriptor is left, and prints what came of it. */
const program = `
import { UserId } from "@troupe/domain/Ids"
import { Effect } from "effect"
import { openSync } from "node:fs"
import { Documents } from ${built("File/Documents/Documents.js")}
import { runScript } from ${built("Skill/ScriptProcess.js")}
import { Watchdog } from ${built("Runtime/Process/Watchdog.js")}

const run = (effect) => Effect.runPromise(Effect.merge(effect))
const command = { program: "/bin/true", args: [], env: {}, cwd: "/", confinement: { _tag: "sandbox" } }
const limits = { seconds: 5, outputBytes: 1, processes: 9, memoryBytes: 1e9, isOverfull: Effect.succeed(false) }
const made = Effect.provide(Effect.flatMap(Documents, ({ docx }) => docx(UserId.make("alice"), "Text")), Documents.layer())
const watched = Effect.map(Watchdog, (watchdog) => (watchdog.guard("id", { group: process.pid, variable: null, folder: null }), "guarded"))
try { for (;;) openSync("/dev/null") } catch {}
const none = { guard: () => {}, release: () => {} }
const results = [
  (await run(made)).reason,
  await run(runScript(command, limits, none)),
  await run(Effect.scoped(Effect.provide(watched, Watchdog.layer)))
]
await Effect.runPromise(Effect.yieldNow())
console.log(JSON.stringify(results))
`

it.skipIf(posix.isMissing)(
  posix.named("a process that can't be started for lack of descriptors affects no other work"),
  () => {
    const { status, stderr, stdout } = spawnSync(
      "/bin/sh",
      ["-c", "ulimit -n 2000; exec \"$@\"", "sh", execPath, "--input-type=module", "--eval", program],
      { cwd: fileURLToPath(new URL("../..", import.meta.url)), encoding: "utf8", timeout: 25_000 }
    )
    assert.strictEqual(status, 0, stderr)
    assert.deepStrictEqual(JSON.parse(stdout.trim().split("\n").at(-1) ?? ""), [
      "The service could not start a process to read it. Try again in a minute.",
      "spawn /bin/true EMFILE",
      "guarded"
    ])
  }
)
