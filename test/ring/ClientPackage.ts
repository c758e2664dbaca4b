import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { execFile } from "node:child_process"
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import process from "node:process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { gzipSync } from "node:zlib"
import { build } from "rolldown"
import { freshFolder } from "../support/FreshFolder.ts"
import { until } from "../support/Processes.ts"

const project = fileURLToPath(new URL("../../", import.meta.url))

const run = (cwd: string, program: string, ...args: ReadonlyArray<string>) =>
  Effect.promise(() => promisify(execFile)(program, [...args], { cwd, timeout: 60_000 }))

const own = ["client", "api", "domain"].map((name) => `./packages/${name}`)

const libraries = ["eventsource-parser", "openapi-fetch", "openapi-typescript-helpers"].map((name) =>
  `./node_modules/${name}`
)

/**
 * An empty project with the client's tarball installed. Its dependencies are packed from this project's
 * node_modules, so that nothing is downloaded.
 */
const installed = Effect.gen(function*() {
  const folder = yield* freshFolder
  yield* run(project, "npm", "pack", "--pack-destination", folder, ...own, ...libraries)
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "consumer", type: "module", private: true }))
  const tarballs = readdirSync(folder).filter((name) => name.endsWith(".tgz")).map((name) => `./${name}`)
  const [ofEffect = [], ofPromises = []] = [true, false].map((is) =>
    tarballs.filter((name) => /troupe-(api|domain)/.test(name) === is)
  )
  yield* run(folder, "npm", "install", "--offline", "--no-audit", "--no-fund", ...ofPromises)
  return { folder, ofEffect }
})

/** What the Effect clients need besides: the other packages, and the libraries as this project has them. */
const installEffect = (folder: string, tarballs: ReadonlyArray<string>) =>
  Effect.gen(function*() {
    const modules = join(folder, "node_modules")
    for (const tarball of tarballs) {
      const target = join(modules, "@troupe", /troupe-(\w+)-/.exec(tarball)?.[1] ?? "")
      mkdirSync(target)
      yield* run(folder, "tar", "-xzf", tarball, "--strip-components=1", "-C", target)
    }
    symlinkSync(join(project, "node_modules", "@effect"), join(modules, "@effect"))
    symlinkSync(join(project, "node_modules", "effect"), join(modules, "effect"))
  })

/** The program of the README's section on Effect. */
const effectProgram = () => {
  const readme = readFileSync(join(project, "packages", "client", "README.md"), "utf8")
  const [, code = ""] = /\n## Effect\n+```ts\n(.+?)```/s.exec(readme) ?? []
  return `import { FetchHttpClient } from "@effect/platform"
import * as TroupeClient from "@troupe/client/TroupeClient"
import * as TroupeRpc from "@troupe/client/TroupeRpc"
import { Chunk, Effect, Stream } from "effect"
export const main = (baseUrl: string) => {
${code}
  return Effect.runPromise(Effect.map(program, Chunk.toReadonlyArray))
}
`
}

/** Uses the client as its README says: a file, a task with a question, its events, and what it refuses. */
const program = `import { createTroupe, TroupeError } from "@troupe/client"
export const main = async (url, log, seconds = 0) => {
  const troupe = createTroupe({ url })
  await troupe.files.upload("a note.txt", "hello")
  const notes = (await troupe.files.list()).items.filter(({ filename }) => filename === "a note.txt")
  log((await (await troupe.files.download("a note.txt")).text()) + " " + notes.length)
  const task = await troupe.submit({
    message: "use ask_human {\\"question\\": \\"Which?\\"}\\n\\nuse wait {\\"seconds\\": " + seconds + "}",
    attachments: ["a note.txt"]
  })
  const ids = []
  let last = null
  for await (const event of troupe.watch(task.id)) {
    if (event._tag === "text") continue
    ids.push(event.id)
    if (event._tag !== "status") continue
    if (event.status !== last) log(event.status)
    last = event.status
    if (event.status === "waiting_input") {
      log((await troupe.notifications.list()).items[0].kind)
      await troupe.answer(task.id, "This one")
    }
  }
  log(new Set(ids).size === ids.length ? "each once" : "repeated: " + ids.join(" "))
  await troupe.files.remove("a note.txt")
  log(await troupe.get("nope").catch((error) => error instanceof TroupeError ? error.status : error))
}
`

interface Program {
  readonly main: (url: string, log: (line: unknown) => void, seconds: number) => Promise<void>
}

interface EffectProgram {
  readonly main: (url: string) => Promise<ReadonlyArray<{ readonly status?: string }>>
}

const typed = `import { createTroupe, type Task, type TaskEvent } from "@troupe/client"
export const tasks: Promise<ReadonlyArray<Task>> = createTroupe({ url: "http://localhost" }).list().then(({ items }) => items)
export const eventId = (event: TaskEvent): string | null => event._tag === "text" ? null : event.id
// @ts-expect-error A task has no such field.
export const wrong = (task: Task) => task.colour
`

const started = `import { main } from "./program.js"
await main(process.argv[2], console.log)
`

/** Packs the client and installs it in a fresh folder, type-checks what uses it there, and bundles it for a browser. */
export const packedClient = Effect.gen(function*() {
  const { folder, ofEffect } = yield* installed
  writeFileSync(join(folder, "program.js"), program)
  writeFileSync(join(folder, "start.js"), started)
  writeFileSync(join(folder, "typed.ts"), typed)
  assert.deepStrictEqual(readdirSync(join(folder, "node_modules", "@troupe")), ["client"])

  const tsc = join(project, ".config", "tsc.mjs")
  const strict = ["--noEmit", "--strict", "--target", "es2023", "--module", "nodenext", "--lib", "es2023,dom"]
  yield* run(folder, process.execPath, tsc, ...strict, "--types", "", "typed.ts")

  yield* installEffect(folder, ofEffect)
  writeFileSync(join(folder, "effect.ts"), effectProgram())
  yield* run(folder, process.execPath, tsc, ...strict.slice(1), "--skipLibCheck", "--types", "", "effect.ts")

  // Platform "browser" has no modules of Node, so that an import of one would fail.
  yield* Effect.promise(() =>
    build({
      cwd: folder,
      input: "program.js",
      platform: "browser",
      transform: { target: "es2022" },
      logLevel: "silent",
      output: { file: join(folder, "bundle.mjs"), format: "esm", minify: true }
    })
  )
  assert.isBelow(gzipSync(readFileSync(join(folder, "bundle.mjs"))).length, 15_000)
  return folder
})

const expected = [
  "hello 1",
  "pending",
  "running",
  "waiting_input",
  "question",
  "running",
  "completed",
  "each once",
  "404"
]

/** Runs the programs in the folder, on Node. */
export const runPackedClient = (folder: string, url: string) =>
  Effect.gen(function*() {
    const { stdout } = yield* run(folder, process.execPath, "start.js", url)
    assert.deepStrictEqual(stdout.trim().split("\n"), expected)
    const effect: EffectProgram = yield* Effect.promise(() => import(join(folder, "effect.js")))
    assert.strictEqual((yield* Effect.promise(() => effect.main(url))).at(-1)?.status, "completed")
  })

/** Runs the bundle until its question is answered; yields what waits for its end. */
export const runBundle = (folder: string, url: string) =>
  Effect.gen(function*() {
    const lines: Array<string> = []
    const { main }: Program = yield* Effect.promise(() => import(join(folder, "bundle.mjs")))
    const whole = yield* Effect.fork(Effect.promise(() => main(url, (line) => lines.push(String(line)), 5)))
    yield* until("the question is answered", Effect.sync(() => lines.length >= 6))
    return Effect.zipRight(
      Effect.timeout(Effect.fromFiber(whole), "60 seconds"),
      Effect.sync(() => assert.deepStrictEqual(lines, expected))
    )
  })
