import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import { tmpdir } from "node:os"
import { basename, dirname } from "node:path"
import { removeStaleFolders, temporaryFolder } from "../../src/Skill/ScriptProcess.ts"

/** A folder whose name says that this process made it. */
const made = (owner: number, age = 0) =>
  Effect.gen(function*() {
    const own = yield* Effect.scoped(temporaryFolder(tmpdir()))
    const folder = `${dirname(own)}/${basename(own).replace(`-${process.pid}-`, `-${owner}-`)}`
    yield* Effect.acquireRelease(
      Effect.sync(() => fs.mkdirSync(folder)),
      () => Effect.sync(() => fs.rmSync(folder, { recursive: true, force: true }))
    )
    fs.writeFileSync(`${folder}/file`, "")
    const time = (yield* Clock.currentTimeMillis) / 1000 - age
    fs.utimesSync(folder, time, time)
    return folder
  })

describe("The temporary folders of scripts", () => {
  it.scopedLive("of processes that are gone are removed, and old ones, and no others", () =>
    Effect.gen(function*() {
      const ended = spawnSync("true").pid
      const own = yield* temporaryFolder(tmpdir())
      const stale = [yield* made(ended), yield* made(process.ppid, 4_000)]
      const other = yield* made(process.ppid)
      yield* removeStaleFolders
      assert.deepStrictEqual(stale.map((folder) => fs.existsSync(folder)), [false, false])
      assert.deepStrictEqual([own, other].map((folder) => fs.existsSync(folder)), [true, true])
    }))
})
