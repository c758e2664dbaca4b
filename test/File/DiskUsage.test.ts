import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { diskUsage } from "../../src/File/DiskUsage.ts"
import { linux } from "../support/Need.ts"

const freshFolder = Effect.acquireRelease(
  Effect.sync(() => fs.mkdtempSync(join(tmpdir(), "usage-"))),
  // A path that is too long for Node is not for rm.
  (folder) => Effect.sync(() => execFileSync("rm", ["-rf", folder]))
)

describe("What is kept in a folder", () => {
  it.scoped("counts everything that has a name, and at least one block for each", () =>
    Effect.gen(function*() {
      const folder = yield* freshFolder
      assert.deepStrictEqual(yield* diskUsage(folder), { bytes: 0, files: 0 })
      assert.deepStrictEqual(yield* diskUsage(join(folder, "none")), { bytes: 0, files: 0 })
      fs.mkdirSync(join(folder, "deep"))
      fs.writeFileSync(join(folder, "deep/empty"), "")
      fs.writeFileSync(join(folder, ".troupe-writing-x"), "x".repeat(4_097))
      fs.symlinkSync("/", join(folder, "link"))
      assert.deepStrictEqual(yield* diskUsage(folder), { bytes: 5 * 4_096, files: 4 })
    }))

  it.scoped("is counted only up to the maximum number of files", () =>
    Effect.gen(function*() {
      const folder = yield* freshFolder
      for (let at = 0; at < 1_000; at++) fs.writeFileSync(join(folder, `f${at}`), "")
      assert.strictEqual((yield* diskUsage(folder, 1_000)).files, 1_000)
      const { files } = yield* diskUsage(folder, 10)
      assert.isTrue(files > 10 && files < 1_000)
    }))

  it.scoped.skipIf(linux.isMissing)(
    linux.named("counts what was allocated beyond the end of a file"),
    () =>
      Effect.gen(function*() {
        const folder = yield* freshFolder
        fs.writeFileSync(join(folder, "hollow"), "")
        execFileSync("fallocate", ["--keep-size", "--length", "1MiB", join(folder, "hollow")])
        assert.isAtLeast((yield* diskUsage(folder)).bytes, 2 ** 20)
      })
  )

  it.scoped.skipIf(linux.isMissing)(
    linux.named("is infinite where folders are nested too deeply to be counted"),
    () =>
      Effect.gen(function*() {
        const folder = yield* freshFolder
        const name = "n".repeat(200)
        execFileSync("sh", [
          "-c",
          `for i in $(seq 30); do mkdir ${name} && cd -P ${name} || exit 1; done; touch hidden`
        ], {
          cwd: folder
        })
        assert.strictEqual((yield* diskUsage(folder)).files, Infinity)
      })
  )

  it.scoped.skipIf(linux.isMissing)(
    linux.named("is counted behind permissions that keep the service out, as a script may leave them"),
    () =>
      Effect.gen(function*() {
        const folder = yield* freshFolder
        fs.chmodSync(folder, 0o777)
        const program = `
        import { Effect } from "effect"
        import fs from "node:fs"
        import { diskUsage } from ${JSON.stringify(new URL("../../dist/File/DiskUsage.js", import.meta.url).href)}
        if (process.getuid() === 0) process.seteuid(65534)
        process.chdir(${JSON.stringify(folder)})
        fs.mkdirSync("shut/in", { recursive: true })
        fs.chmodSync("shut/in", 0o400)
        fs.chmodSync("shut", 0)
        Effect.runPromise(diskUsage(process.cwd())).then(({ files }) => console.log(files))
      `
        const args = ["--input-type=module", "--eval", program]
        assert.strictEqual(execFileSync(process.execPath, args, { encoding: "utf8" }).trim(), "2")
      })
  )
})
