import { assert, describe, it } from "@effect/vitest"
import { Context, Duration, Effect, Layer } from "effect"
import { DatabaseUrl } from "../../src/Runtime/Database/DatabaseUrl.ts"
import { ToolServerSettings } from "../../src/ToolServer/ToolServerSettings.ts"
import { query } from "../support/Database.ts"
import { until } from "../support/Processes.ts"
import { entry } from "../support/ToolServerFixture.ts"
import { nothing } from "./listedServers.ts"
import { alone, callTool, configure, onDatabase, settings, startServers } from "./world.ts"

describe("The configuration of tool servers", () => {
  it.scopedLive("is shown without its secrets, and keeps those that are sent back masked", () =>
    Effect.gen(function*() {
      const { configuration } = yield* ToolServerSettings
      const servers = yield* startServers()
      const given = { ...entry(), env: { TOKEN: "hush-hush", PLACE: "here" }, allowed_tools: ["count"] }
      yield* configure({
        test: given,
        off: { url: "https://example.org/mcp", headers: { "X-Key": "k" }, disabled: true }
      })
      const [pid] = (yield* callTool(servers, "count")).split(" ")
      const shown = yield* configuration
      assert.deepStrictEqual(shown.mcpServers, {
        test: { ...given, env: { TOKEN: "********", PLACE: "********" } },
        off: { url: "https://example.org/mcp", type: "http", headers: { "X-Key": "********" }, disabled: true }
      })
      yield* configure(shown.mcpServers)
      assert.strictEqual((yield* callTool(servers, "count")).split(" ")[0], pid, "the same process")

      // Another program, address or name must not get what was given to this one.
      for (
        const [name, changed] of [
          ["test", { ...shown.mcpServers["test"], args: ["--eval", "console.log(process.env)"] }],
          ["test", { ...given, env: { TOKEN: "********", PLACE: "here", NODE_OPTIONS: "--require=/tmp/other.js" } }],
          ["test", { ...given, env: { TOKEN: "********", PLACE: "there" } }],
          // The same response for the value that is stored: none says whether a guess is right.
          ["test", { ...given, env: { TOKEN: "********", PLACE: "here" } }],
          ["test", { ...given, env: { TOKEN: "hush-hush", PLACE: "********" } }],
          ["other", shown.mcpServers["test"]],
          ["off", { ...shown.mcpServers["off"], url: "https://attacker.example/mcp" }]
        ] as const
      ) {
        const { mistakes } = yield* Effect.flip(configure({ [name]: changed }))
        assert.match(mistakes[0].path, new RegExp(`^mcpServers\\.${name}\\.(env|headers)\\.`))
        assert.include(mistakes[0].message, "the value itself")
      }
      yield* configure({ test: { ...given, env: { PLACE: "********", TOKEN: "********" } } })
      assert.strictEqual((yield* callTool(servers, "count")).split(" ")[0], pid, "nothing has changed")
      yield* configure({ test: { ...given, env: { TOKEN: "hush-hush", PLACE: "there" } } })
      assert.notStrictEqual((yield* callTool(servers, "count")).split(" ")[0], pid, "with the new value")
    }).pipe(Effect.provide(onDatabase)))
})

describe("The configuration in the database", () => {
  it.scopedLive("holds no secret that can be read without the key", () =>
    Effect.gen(function*() {
      yield* configure({
        one: { ...entry(), env: { TOKEN: "hush-hush" } },
        two: { url: "https://example.org/mcp", headers: { Authorization: "Bearer hush-hush" }, disabled: true }
      })
      const url = yield* DatabaseUrl
      const [row] = yield* query<{ servers: string }>(url, "select servers from tool_server_config")
      assert.include(row?.servers, "sealed")
      assert.notInclude(row?.servers, "hush")
    }).pipe(Effect.provide(alone)))

  it.scopedLive("that was stored with another key is reported as failed, with what to do", () =>
    Effect.gen(function*() {
      yield* configure({ one: { ...entry(), env: { TOKEN: "hush-hush" } } })
      yield* Effect.gen(function*() {
        yield* startServers()
        const { status } = yield* ToolServerSettings
        yield* until("the status says so", Effect.map(status, ({ servers: [one] }) => one?.status === "failed"))
        assert.include((yield* status).servers[0]?.error, "SECRETS_KEY")
      }).pipe(Effect.provide(settings("another key of thirty-two letters")))
    }).pipe(Effect.provide(alone)))

  it.scopedLive("is the whole of one request, however many processes configure at once, and each of them counts", () =>
    Effect.gen(function*() {
      const worker = yield* startServers()
      const elsewhere = Layer.build(Layer.fresh(settings()))
      const processes = [yield* ToolServerSettings, Context.get(yield* elsewhere, ToolServerSettings)] as const
      const reports = yield* Effect.forEach(Array.from({ length: 20 }, (_, number) => number), (number) => {
        const one = { ...entry(), disabled: true }
        return processes[number % 2 === 0 ? 0 : 1].configure({
          mcpServers: { [`a${number}`]: one, [`b${number}`]: one }
        })
      }, { concurrency: "unbounded" })
      const namesOf = ({ servers }: (typeof reports)[number]) => servers.map(({ name }) => name)
      for (const report of reports) {
        const [first = ""] = namesOf(report)
        assert.deepStrictEqual(namesOf(report), [first, first.replace("a", "b")])
      }
      const last = namesOf(yield* processes[0].status)
      assert.deepStrictEqual(namesOf(yield* processes[1].status), last)
      const [row] = yield* query<{ version: string }>(yield* DatabaseUrl, "select version from tool_server_config")
      assert.strictEqual(row?.version, "20")
      yield* until(
        "the worker has the last",
        Effect.sync(() => last.every((name) => worker.absent(`${name}__x`) !== null))
      )
    }).pipe(Effect.provide(onDatabase)))

  it.scopedLive("is reported as connecting while no process runs servers", () =>
    Effect.gen(function*() {
      const report = yield* configure({ test: entry() })
      assert.deepInclude(report.servers[0], { name: "test", status: "connecting" })
      assert.include(report.servers[0]?.error, "npm start -- worker")
      assert.deepStrictEqual(yield* Effect.flatMap(ToolServerSettings, ({ clear }) => clear), nothing)
    }).pipe(Effect.provide(alone)))

  it.scopedLive("is applied by every process, and a server that fails in one of them counts as failed", () =>
    Effect.gen(function*() {
      yield* startServers()
      yield* startServers({ connectTimeout: Duration.millis(1) })
      const report = yield* configure({ test: entry() })
      assert.strictEqual(report.servers[0]?.status, "failed")
      assert.include(report.servers[0]?.error, "On 1 of 2 workers")
    }).pipe(Effect.provide(onDatabase)))
})
