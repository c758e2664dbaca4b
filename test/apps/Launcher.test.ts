import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { execFile } from "node:child_process"
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import process from "node:process"
import { promisify } from "node:util"
import { serialize } from "node:v8"
import { crc32 } from "node:zlib"
import { freshFolder } from "../support/FreshFolder.ts"

const launcher = readFileSync(new URL("../../.config/launch-service.mjs", import.meta.url), "utf8")

const files = {
  "main.mjs": launcher.replace("BUNDLE", "main-1.cjs"),
  "main-1.cjs": `const { greet } = require("./part-2.cjs")
importModule("name").then(({ name }) => {
  console.log(greet(name))
  require("node:diagnostics_channel").channel("troupe.ready").publish("all")
})`,
  "part-2.cjs": "exports.greet = (name) => `Hello ${name}`",
  "node_modules/name/package.json": `{ "name": "name", "type": "module", "exports": "./name.js" }`,
  "node_modules/name/name.js": `export const name = "Ada"`
}

/** A folder with a built service that greets, which says that it is ready and ends. */
const built = Effect.map(freshFolder, (folder) => {
  mkdirSync(join(folder, "node_modules/name"), { recursive: true })
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content)
  return folder
})

const run = (folder: string, ...options: ReadonlyArray<string>) =>
  Effect.promise(() => promisify(execFile)(process.execPath, [...options, join(folder, "main.mjs")]))

const sources = "sourceMappingURL=data:application/json;base64,"
  + Buffer.from(JSON.stringify({ version: 3, sources: ["greeting.ts"], names: [], mappings: "AAQA" })).toString(
    "base64"
  )

const greeting = { stdout: "Hello Ada\n", stderr: "" }

const kept = (folder: string) =>
  readdirSync(join(folder, ".compiled")).map((name) => {
    const { ino, size } = statSync(join(folder, ".compiled", name))
    return { name, ino, size }
  })

describe("The start of the built service", () => {
  it.scoped("keeps what was compiled for the next process, which does not write it again", () =>
    Effect.gen(function*() {
      const folder = yield* built
      assert.deepInclude(yield* run(folder), greeting)
      const first = kept(folder)
      assert.lengthOf(first, 1)
      assert.deepInclude(yield* run(folder), greeting)
      assert.deepStrictEqual(kept(folder), first)
    }))

  it.scoped.each([
    { why: "it was damaged", changed: (stored: Buffer) => stored.fill(0, 100, 200) },
    {
      why: "V8 refuses it",
      changed: () => {
        const data = serialize(new Map([["main-1.cjs", Buffer.from("of another version")]]))
        return Buffer.concat([Buffer.from(Uint32Array.of(crc32(data)).buffer), data])
      }
    }
  ])("writes it once more where $why", ({ changed }) =>
    Effect.gen(function*() {
      const folder = yield* built
      yield* run(folder)
      const [first] = kept(folder)
      const file = join(folder, ".compiled", first?.name ?? "")
      const unusable = changed(readFileSync(file))
      writeFileSync(file, unusable)
      assert.deepInclude(yield* run(folder), greeting)
      assert.isFalse(readFileSync(file).equals(unusable))
      assert.lengthOf(kept(folder), 1)
    }))

  it.scoped("leaves one file when several processes start at the same time", () =>
    Effect.gen(function*() {
      const folder = yield* built
      const outputs = yield* Effect.all([run(folder), run(folder), run(folder)], { concurrency: "unbounded" })
      for (const output of outputs) assert.deepInclude(output, greeting)
      assert.lengthOf(kept(folder), 1)
    }))

  it.scoped("begins with what all roles in one process kept, and keeps its own", () =>
    Effect.gen(function*() {
      const folder = yield* built
      yield* run(folder)
      const [all] = kept(folder)
      const worker = yield* Effect.promise(() =>
        promisify(execFile)(process.execPath, [join(folder, "main.mjs"), "worker"])
      )
      assert.deepInclude(worker, greeting)
      const names = kept(folder).map(({ name }) => name.replace(/.*-/, ""))
      assert.sameMembers(names, ["all", "worker"])
      assert.deepInclude(kept(folder), all)
    }))

  it.scoped("compiles anew where nothing can be written", () =>
    Effect.gen(function*() {
      const folder = yield* built
      writeFileSync(join(folder, ".compiled"), "")
      assert.deepInclude(yield* run(folder), greeting)
      assert.deepInclude(yield* run(folder), greeting)
    }))

  it.scoped("has stack traces that name the sources where Node is to read source maps", () =>
    Effect.gen(function*() {
      const folder = yield* built
      writeFileSync(
        join(folder, "main-1.cjs"),
        `importModule("name").then(() => console.log(new Error().stack))\n//# ${sources}`
      )
      const { stdout } = yield* run(folder, "--enable-source-maps")
      assert.include(stdout, "greeting.ts:9")
    }))

  it.scoped("loads a part anew that could not be loaded at first", () =>
    Effect.gen(function*() {
      const folder = yield* built
      writeFileSync(
        join(folder, "main-1.cjs"),
        `const load = () => require("./part-3.cjs").value
try { load() } catch { require("node:fs").writeFileSync(__dirname + "/there.cjs", "") }
console.log(load())`
      )
      writeFileSync(join(folder, "part-3.cjs"), `require(__dirname + "/there.cjs"), exports.value = "loaded"`)
      assert.strictEqual((yield* run(folder)).stdout, "loaded\n")
    }))
})
