import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { execFile } from "node:child_process"
import { createRequire } from "node:module"
import { dirname } from "node:path"
import process from "node:process"
import { promisify } from "node:util"
import { request } from "../Http/RawHttp.ts"
import { Service, startService } from "../Http/service.ts"

const inspector = createRequire(import.meta.url).resolve("@modelcontextprotocol/inspector-cli")

/** What the command prints for one request, as README.md shows it; a failure throws. */
const inspect = (...words: ReadonlyArray<string>) =>
  Effect.flatMap(Service, ({ port }) => {
    const target = ["--cli", `http://127.0.0.1:${port}/mcp`, "--transport", "http", "--method"]
    const run = promisify(execFile)(process.execPath, [inspector, ...target, ...words], {
      // It looks for its own package.json from the working directory.
      cwd: dirname(inspector),
      timeout: 60_000
    })
    return Effect.map(Effect.promise(() => run), ({ stdout }): unknown => JSON.parse(stdout))
  })

layer(Layer.scoped(Service, startService()), { excludeTestServices: true })(
  "The command line of the MCP inspector",
  (it) => {
    it.effect("lists the tools and the resources, and makes a task", () =>
      Effect.gen(function*() {
        const [listed, resources, called] = yield* Effect.all([
          inspect("tools/list"),
          inspect("resources/list"),
          inspect("tools/call", "--tool-name", "create_task", "--tool-arg", "message=Write a poem", "title=Poem")
        ], { concurrency: "unbounded" })
        const { tools } = listed as { readonly tools: ReadonlyArray<{ readonly name: string }> }
        assert.includeMembers(tools.map(({ name }) => name), ["create_task", "get_task", "answer_task"])
        assert.deepStrictEqual(resources, { resources: [] })
        const { structuredContent } = called as { readonly structuredContent: Readonly<Record<string, unknown>> }
        assert.strictEqual(structuredContent["status"], "pending")
        const { port } = yield* Service
        const task = yield* request(port, { path: `/task/${structuredContent["task_id"]}` })
        assert.deepInclude(task.json, { title: "Poem", description: "Write a poem" })
      }), 60_000)
  }
)
