import { HttpClient } from "@effect/platform"
import { NodeHttpClient } from "@effect/platform-node"
import { assert } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { execFile } from "node:child_process"
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from "node:fs"
import { dirname, join } from "node:path"
import process, { env } from "node:process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { processTest } from "../support/Deployment.ts"
import { freshFolder } from "../support/FreshFolder.ts"
import { freePort, start, terminated, until } from "../support/Processes.ts"
import { taskClient } from "../support/TaskClient.ts"

const project = fileURLToPath(new URL("../../", import.meta.url))

const run = (cwd: string, program: string, ...args: ReadonlyArray<string>) =>
  Effect.promise(() => promisify(execFile)(program, [...args], { cwd, timeout: 60_000 }))

const Names = Schema.Record({ key: Schema.String, value: Schema.String })
const Package = Schema.parseJson(Schema.Struct({ dependencies: Names, optionalDependencies: Names }))

/**
 * The archive, unpacked where npm would install it. Beside it is nothing but the dependencies that its package.json
 * names, as this project has them, so that nothing is downloaded.
 */
const installed = Effect.gen(function*() {
  const folder = yield* freshFolder
  yield* run(project, "npm", "pack", "--ignore-scripts", "--pack-destination", folder)
  const [tarball = ""] = readdirSync(folder)
  const modules = join(folder, "node_modules")
  const target = join(modules, "troupe")
  mkdirSync(target, { recursive: true })
  yield* run(folder, "tar", "-xzf", tarball, "--strip-components=1", "-C", target)
  const { dependencies, optionalDependencies } = yield* Schema.decode(Package)(
    readFileSync(join(target, "package.json"), "utf8")
  )
  for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
    const source = join(project, "node_modules", name)
    if (name in optionalDependencies && !existsSync(source)) continue
    mkdirSync(dirname(join(modules, name)), { recursive: true })
    symlinkSync(source, join(modules, name))
  }
  return { bytes: statSync(join(folder, tarball)).size, troupe: join(target, "packages/cli/bin/troupe.cjs") }
})

processTest("The packed archive starts in an empty folder, with its console, skills and agents", function*() {
  const { bytes, troupe } = yield* installed
  assert.isBelow(bytes, 25_000_000)
  const port = yield* freePort
  const service = yield* start("all", { PORT: port, LOG_LEVEL: "warning", PATH: env["PATH"] ?? "" }, [
    process.execPath,
    troupe,
    "start"
  ])
  const client = taskClient(port)
  const id = yield* client.submit("first", { message: "use write_file {\"path\": \"a.md\", \"content\": \"Hi\"}" })
  yield* until("the task is completed", Effect.map(client.find(id), ({ status }) => status === "completed"))
  const page = yield* HttpClient.get(`http://127.0.0.1:${port}/console/`).pipe(
    Effect.flatMap(({ text }) => text),
    Effect.provide(NodeHttpClient.layerUndici)
  )
  assert.include(page, "<script type=\"module\"")
  assert.include(JSON.stringify((yield* client.send("GET", "/api/skills")).body), "summarize-document")
  assert.include(JSON.stringify((yield* client.send("GET", "/api/agents")).body), "researcher")
  assert.match(yield* service.stdout, /embedded PostgreSQL in \S+troupe-test-\w+\/\.data,/, "where it was started")
  yield* terminated(service)
})
