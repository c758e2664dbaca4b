import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { execFile } from "node:child_process"
import { readdirSync, statSync } from "node:fs"
import { join } from "node:path"
import { execPath } from "node:process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { freshFolder } from "../support/FreshFolder.ts"

const sandbox = fileURLToPath(new URL("../../dist/File/Sandbox.js", import.meta.url))

/** Writes in a process whose files may only grow so far: the kernel takes a part of the bytes, then no more. */
const script = `
import { Effect } from "effect"
import { Sandbox } from ${JSON.stringify(sandbox)}
// Else the kernel ends the process instead of refusing the write.
process.on("SIGXFSZ", () => {})
const [root] = process.argv.slice(1)
const half = "x".repeat(20_000)
const tooMuch = "y".repeat(200_000)
const program = Effect.gen(function*() {
  const sandbox = yield* Sandbox
  const failing = (path, append) => Effect.map(Effect.flip(sandbox.write("alice", path, tooMuch, { append })), String)
  yield* sandbox.write("alice", "old.txt", half)
  yield* sandbox.write("alice", "empty.txt", "")
  const reasons = [
    yield* failing("old.txt", true),
    yield* failing("empty.txt", true),
    yield* failing("new.txt", true),
    yield* failing("old.txt", false)
  ]
  yield* sandbox.write("alice", "old.txt", "z", { append: true })
  return reasons
})
const reasons = await Effect.runPromise(Effect.provide(program, Sandbox.layer({ root })))
process.stdout.write(JSON.stringify(reasons))
`

const folder = freshFolder

it.scopedLive("A write that fails half-way leaves the file as it was", () =>
  Effect.gen(function*() {
    const root = yield* folder
    const { stdout } = yield* Effect.promise(() =>
      promisify(execFile)("/bin/sh", [
        "-c",
        "ulimit -f 100; exec \"$@\"",
        "sh",
        execPath,
        "--input-type=module",
        "--eval",
        script,
        root
      ], { cwd: fileURLToPath(new URL("../..", import.meta.url)) })
    )
    const reasons: ReadonlyArray<string> = JSON.parse(stdout)
    assert.strictEqual(reasons.length, 4)
    for (const reason of reasons) assert.match(reason, /too large/)
    const sizes = readdirSync(join(root, "alice")).sort().map((
      name
    ) => [name, statSync(join(root, "alice", name)).size])
    assert.deepStrictEqual(sizes, [["empty.txt", 0], ["old.txt", 20_001]])
  }))
