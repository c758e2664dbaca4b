import { assert, describe, it } from "@effect/vitest"
import { defaultUser } from "@troupe/domain/Ids"
import { Deferred, Duration, Effect, Exit, Fiber, Scope } from "effect"
import type { ToolServers } from "../../src/ToolServer/ToolServers.ts"
import { ToolServerSettings } from "../../src/ToolServer/ToolServerSettings.ts"
import { askingServer, text } from "../support/AskingServer.ts"
import { eventually } from "../support/Eventually.ts"
import { withShortSleeps } from "../support/FrozenClock.ts"
import { httpToolServer } from "../support/HttpToolServer.ts"
import { until } from "../support/Processes.ts"
import { entry, isAlive, openPipes } from "../support/ToolServerFixture.ts"
import { nothing } from "./listedServers.ts"
import { callTool, configure, onDatabase, startServers } from "./world.ts"

/** One in which the server is killed, and one in which it crashes. */
const rounds = 2

const offered = (servers: ToolServers["Type"]) =>
  eventually(Effect.sync(() => servers.tools()), ({ length }) => length > 0)

/** The tools at the address, after a process has listed them and ended. */
const listedOnce = (url: string) =>
  Effect.scoped(Effect.gen(function*() {
    const servers = yield* startServers()
    yield* configure({ srv: { url } })
    return yield* offered(servers)
  }))

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
