import { assert, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { execFile } from "node:child_process"
import { readdirSync, statSync, utimesSync } from "node:fs"
import { join } from "node:path"
import { execPath } from "node:process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { Sandbox } from "../../src/File/Sandbox.ts"
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

/** This process is killed once it has written the bytes, before it has synced them. */
const killed = `
import { Effect } from "effect"
import { open } from "node:fs/promises"
import { kill, pid } from "node:process"
import { Sandbox } from ${JSON.stringify(sandbox)}
const [root] = process.argv.slice(1)
Object.getPrototypeOf(await open("/dev/null")).sync = () => kill(pid, "SIGKILL")
const write = Effect.flatMap(Sandbox, (sandbox) => sandbox.write("alice", "a.txt", "text"))
await Effect.runPromise(Effect.provide(write, Sandbox.layer({ root })))
`

const limited = (script: string, root: string) =>
  Effect.promise(() =>
    promisify(execFile)("/bin/sh", [
      "-c",
      "ulimit -c 0; ulimit -f 100; exec \"$@\"",
      "sh",
      execPath,
      "--input-type=module",
      "--eval",
      script,
      root
    ], { cwd: fileURLToPath(new URL("../..", import.meta.url)) }).catch((
      error: { readonly signal: string; readonly stdout: string }
    ) => error)
  )

const folder = freshFolder

it.scopedLive("A write that fails half-way leaves the file as it was", () =>
  Effect.gen(function*() {
    const root = yield* folder
    const { stdout } = yield* limited(script, root)
    const reasons: ReadonlyArray<string> = JSON.parse(stdout)
    assert.strictEqual(reasons.length, 4)
    for (const reason of reasons) assert.match(reason, /too large/)
    const sizes = readdirSync(join(root, "alice")).sort().map((
      name
    ) => [name, statSync(join(root, "alice", name)).size])
    assert.deepStrictEqual(sizes, [["empty.txt", 0], ["old.txt", 20_001]])
  }))

it.scopedLive("A write that is killed half-way leaves nothing in the user's folder, and elsewhere for an hour", () =>
  Effect.gen(function*() {
    const root = yield* folder
    assert.propertyVal(yield* limited(killed, root), "signal", "SIGKILL")
    assert.isEmpty(readdirSync(join(root, "alice")))
    const [left = ""] = readdirSync(join(root, ".uploads"))
    const { removeUnfinished } = Context.get(yield* Layer.build(Sandbox.layer({ root })), Sandbox)
    assert.deepStrictEqual(readdirSync(join(root, ".uploads")), [left])
    utimesSync(join(root, ".uploads", left), 1_000, 1_000)
    yield* removeUnfinished
    assert.isEmpty(readdirSync(join(root, ".uploads")))
  }))
