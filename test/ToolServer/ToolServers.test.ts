import { assert, describe, it } from "@effect/vitest"
import { defaultUser } from "@troupe/domain/Ids"
import { Context, Deferred, Duration, Effect, Exit, Fiber, Layer, Scope } from "effect"
import { DatabaseUrl } from "../../src/Runtime/Database/DatabaseUrl.ts"
import type { ToolServers } from "../../src/ToolServer/ToolServers.ts"
import { ToolServerSettings } from "../../src/ToolServer/ToolServerSettings.ts"
import { askingServer, text } from "../support/AskingServer.ts"
import { query } from "../support/Database.ts"
import { eventually } from "../support/Eventually.ts"
import { withShortSleeps } from "../support/FrozenClock.ts"
import { httpToolServer } from "../support/HttpToolServer.ts"
import { until } from "../support/Processes.ts"
import { entry, isAlive, openPipes } from "../support/ToolServerFixture.ts"
import { alone, callTool, configure, onDatabase, settings, startServers } from "./world.ts"

/** One in which the server is killed, and one in which it crashes. */
const rounds = 2

const nothing = {
  total_servers: 0,
  connected_servers: 0,
  failed_servers: 0,
  disabled_servers: 0,
  total_tools: 0,
  servers: []
}

const offered = (servers: ToolServers["Type"]) =>
  eventually(Effect.sync(() => servers.tools()), ({ length }) => length > 0)

/** The tools at the address, after a process has listed them and ended. */
const listedOnce = (url: string) =>
  Effect.scoped(Effect.gen(function*() {
    const servers = yield* startServers()
    yield* configure({ srv: { url } })
    return yield* offered(servers)
  }))

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

describe("Tool servers", () => {
  it.scopedLive("are started as they are configured, one that does not start beside the others", () =>
    Effect.gen(function*() {
      const servers = yield* startServers()
      const report = yield* configure({
        good: entry(),
        dead: { ...entry("dies"), env: { SECRET_TOKEN: "hush-hush" } },
        off: { ...entry(), disabled: true },
        few: { ...entry(), allowed_tools: ["echo", "count", "unknown"] }
      })
      assert.deepInclude(report, { total_servers: 4, connected_servers: 2, failed_servers: 1, disabled_servers: 1 })
      assert.deepStrictEqual(report.servers.map(({ name, status }) => [name, status]), [
        ["dead", "failed"],
        ["few", "connected"],
        ["good", "connected"],
        ["off", "disabled"]
      ])
      const [dead, few, good, off] = report.servers
      const reason = "it ended with exit code 1\nThe end of its standard error:\nCannot find anything, key [redacted]"
      assert.strictEqual(dead?.error, reason)
      assert.strictEqual(dead?.last_error?.message, reason)
      assert.deepStrictEqual([good?.restarts, good?.last_error], [0, null])
      assert.deepStrictEqual(few?.tools, ["count", "echo"])
      assert.match(good?.connected_at ?? "", /^\d{4}-.*Z$/)
      assert.strictEqual(report.total_tools, (few?.tool_count ?? 0) + (good?.tool_count ?? 0))
      assert.deepStrictEqual(off?.tools, [])
      assert.notInclude(JSON.stringify(report), "hush")
      assert.strictEqual(servers.tools().length, report.total_tools)
      assert.strictEqual(servers.tools(), servers.tools())
    }).pipe(Effect.provide(onDatabase)))

  it.scopedLive(
    "that a new configuration does not change keep running, the others stop, and clearing it stops all",
    () =>
      Effect.gen(function*() {
        const servers = yield* startServers()
        yield* configure({ stays: { ...entry(), allowed_tools: ["count"] } })
        const [pid] = (yield* callTool(servers, "count")).split(" ").map(Number)
        yield* configure({
          stays: { ...entry(), allowed_tools: ["count"] },
          more: { ...entry(), allowed_tools: ["echo"] }
        })
        assert.strictEqual(yield* callTool(servers, "count"), `${pid} 2`)
        yield* configure({ stays: { ...entry(), allowed_tools: ["count", "echo"] } })
        assert.match(yield* callTool(servers, "count"), / 1$/)
        yield* until("the server before it has ended", Effect.sync(() => !isAlive(pid ?? 0)))
        const [next] = (yield* callTool(servers, "count")).split(" ").map(Number)
        assert.deepStrictEqual(yield* Effect.flatMap(ToolServerSettings, ({ clear }) => clear), nothing)
        yield* until("the last server has ended", Effect.sync(() => !isAlive(next ?? 0)))
        assert.deepStrictEqual(servers.tools(), [])
      }).pipe(Effect.provide(onDatabase)),
    60_000
  )

  it.scopedLive("that crash are restarted, and their tools stay listed meanwhile", () =>
    Effect.gen(function*() {
      const servers = yield* startServers()
      yield* configure({ test: entry() })
      const before = servers.tools()
      const failure = yield* Effect.flip(callTool(servers, "boom"))
      assert.strictEqual(failure.what, "lost")
      const meanwhile = yield* Effect.either(callTool(servers, "count"))
      assert.strictEqual(servers.tools(), before)
      if (meanwhile._tag === "Left") assert.include(meanwhile.left.reason, "it is not connected")
      yield* until("it is back", Effect.map(Effect.either(callTool(servers, "count")), ({ _tag }) => _tag === "Right"))
    }).pipe(Effect.provide(onDatabase)))

  it.scopedLive("of the last list are offered by a process that starts, and calls wait until it is connected", () =>
    Effect.gen(function*() {
      let connectable = Promise.resolve(true)
      const server = yield* askingServer({ count: () => text("one") }, { admits: () => connectable })
      yield* listedOnce(server.url)
      const gate = yield* Deferred.make<boolean>()
      connectable = Effect.runPromise(Deferred.await(gate))
      const servers = yield* startServers()
      yield* offered(servers)
      const call = yield* Effect.fork(callTool(servers, "count"))
      assert.lengthOf(server.rounds(), 0)
      yield* Deferred.succeed(gate, true)
      assert.strictEqual(yield* Fiber.join(call), "one")
      assert.lengthOf(server.rounds(), 1)
    }).pipe(Effect.provide(onDatabase)))

  it.scopedLive("that are not in the list any more when the server is connected again are not called", () =>
    Effect.gen(function*() {
      const names = ["count", "more"]
      const server = yield* httpToolServer({
        list: () => ({ result: { tools: names.map((name) => ({ name, inputSchema: { type: "object" } })) } })
      })
      const before = yield* listedOnce(server.url("http"))
      names.pop()
      const servers = yield* startServers()
      yield* offered(servers)
      const calls = yield* Effect.forEach(before, (tool) => Effect.either(servers.call(tool, {})))
      assert.deepStrictEqual(calls.map(({ _tag }) => _tag), ["Right", "Left"])
      assert.include(JSON.stringify(calls), "it does not offer this tool any more")
      assert.deepStrictEqual(server.called(), ["count"])
    }).pipe(Effect.provide(onDatabase)))

  it.scopedLive("never outlast the step of a call, and the error names both time-outs", () =>
    Effect.gen(function*() {
      const servers = yield* startServers({
        stepTimeout: { parent: Duration.seconds(4), subagent: Duration.seconds(4) }
      })
      yield* configure({ test: { ...entry(), timeout_seconds: 600 } })
      const { call } = yield* servers.openSession(defaultUser)
      for (const by of [servers.call, call]) {
        const { reason, what } = yield* Effect.flip(callTool(servers, "hang", {}, by))
        assert.strictEqual(what, "timedOut")
        assert.match(
          reason,
          /^it did not respond within (?:\d+s ?)?(?:\d+ms)?, which is all that .* step allows \(the time-out of the server is 10m\)$/
        )
      }
    }).pipe(Effect.provide(onDatabase)))

  it.scopedLive(
    "leave no process, no pipe and no socket behind, however often they are changed and killed",
    () =>
      Effect.gen(function*() {
        const scope = yield* Scope.make()
        const servers = yield* Scope.extend(startServers(), scope)
        const pids = new Set<number>()
        const round = (n: number) =>
          Effect.gen(function*() {
            yield* configure({ test: { ...entry(), env: { ROUND: String(n) } } })
            const [pid = 0] = (yield* callTool(servers, "count")).split(" ").map(Number)
            pids.add(pid)
            pids.add(Number(yield* callTool(servers, "fork")))
            if (n % 3 === 1) process.kill(pid, "SIGKILL")
            if (n % 3 === 2) yield* Effect.either(callTool(servers, "boom"))
          })
        yield* round(0)
        const before = yield* openPipes
        yield* Effect.forEach(Array.from({ length: rounds }, (_, n) => n + 1), round, { discard: true })
        yield* until("only the last is left", Effect.sync(() => [...pids].filter(isAlive).length <= 2))
        yield* until("their pipes are closed", Effect.map(openPipes, (open) => open - before <= 3))
        yield* withShortSleeps(Scope.close(scope, Exit.void))
        assert.deepStrictEqual([...pids].filter(isAlive), [])
      }).pipe(Effect.provide(onDatabase)),
    300_000
  )
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
