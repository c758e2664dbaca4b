import { assert, describe, it } from "@effect/vitest"
import { Deferred, Duration, Effect, Exit, Fiber, Scope } from "effect"
import { publicLookup } from "../../src/Runtime/NetworkAddress.ts"
import type { Watchdog } from "../../src/Runtime/Process/Watchdog.ts"
import type { Connection } from "../../src/ToolServer/Connection.ts"
import { CallFailed } from "../../src/ToolServer/ServerCall.ts"
import { atOneMoment } from "../support/FrozenClock.ts"
import { freePort } from "../support/Processes.ts"
import {
  address,
  connected,
  everything,
  everythingOver,
  isAlive,
  misbehaved,
  program,
  said
} from "../support/ToolServerFixture.ts"

describe("A connection to a tool server", () => {
  it.scopedLive("ignores lines that are no messages, and ends at a flood of them or a message without end", () =>
    Effect.gen(function*() {
      const noisy = yield* connected(misbehaved("babbles"))
      assert.strictEqual(yield* said(noisy, "echo", { text: "still here" }), "still here")
      assert.deepInclude(yield* Effect.flip(said(noisy, "giant")), {
        what: "lost",
        reason: "it sent a message of more than 10 MB"
      })
      const endOf = (mode: string) =>
        connected(misbehaved(mode)).pipe(
          Effect.flatMap(({ closed }) => closed),
          Effect.catchAll(({ reason }) => Effect.succeed(reason)),
          atOneMoment
        )
      assert.strictEqual(yield* endOf("floods"), "it writes text to its standard output that is not of the protocol")
      assert.match(yield* endOf("chatters"), /^it sent more than 2000 messages, .* that no call asked for$/)
      assert.match(yield* endOf("raves"), /^it wrote more than 10000 lines, .* to its standard error in a second$/)
    }))

  it.scopedLive("fails with the reason where none comes about", () =>
    Effect.gen(function*() {
      const reason = (server: Parameters<typeof connected>[0], seconds = 20) =>
        Effect.map(
          Effect.flip(connected(server, { connectTimeout: Duration.seconds(seconds) })),
          ({ reason }) => reason
        )
      assert.strictEqual(yield* reason(misbehaved("dies")), "it ended with exit code 1")
      assert.match(yield* reason(misbehaved("hang-at-start"), 2), /did not start within 2s|timed out/)
      const nowhere = {
        ...program([]),
        target: {
          ...program([]).target,
          transport: "stdio" as const,
          command: "/no/such",
          args: [],
          cwd: null,
          env: {}
        }
      }
      assert.strictEqual(yield* reason(nowhere), "there is no program \"/no/such\" on the PATH")
      const nobody = `http://127.0.0.1:${yield* freePort}/`
      assert.include(yield* reason(address("http", nobody)), "ECONNREFUSED")
      assert.include(yield* reason(address("sse", nobody)), "ECONNREFUSED")
    }))

  it.scopedLive(
    "is not made to an address or a program that the rules of a hosted service forbid, whatever was configured before",
    () =>
      Effect.gen(function*() {
        const local = yield* everythingOver("streamableHttp")
        const rules = { isHosted: true, allowStdio: false }
        const reason = (server: Parameters<typeof connected>[0]) =>
          Effect.map(Effect.flip(connected(server, { rules })), ({ reason }) => reason)
        for (const host of ["127.0.0.1", "[::1]", "2130706433", "localhost"]) {
          const url = local.replace("127.0.0.1", host)
          assert.include(yield* reason(address("http", url)), "private, local and reserved addresses", host)
        }
        assert.include(yield* reason(program([everything, "stdio"])), "programs can't be started")
        // A name that looks public may resolve to an address that is not.
        const resolved = yield* Effect.async<unknown>((resume) =>
          publicLookup("localhost", { all: true }, (error) => resume(Effect.succeed(error)))
        )
        assert.include(String(resolved), "localhost has no address that may be connected to from here")
      }),
    60_000
  )

  it.scopedLive("leaves no process or pipe of the server behind, whatever signals it ignores", () =>
    Effect.gen(function*() {
      const scope = yield* Scope.make()
      const connection = yield* Scope.extend(connected(misbehaved("stubborn")), scope)
      const child = Number(yield* said(connection, "fork"))
      const [server] = (yield* said(connection, "count")).split(" ").map(Number)
      assert.isTrue(isAlive(child) && isAlive(server ?? 0))
      yield* Scope.close(scope, Exit.void)
      assert.isFalse(isAlive(server ?? 0))
      assert.isFalse(isAlive(child))
    }))

  it.scopedLive("leaves no daemon behind that left the server's process group, however the server ended", () =>
    Effect.gen(function*() {
      const leftBy = (end: (connection: Connection) => Effect.Effect<unknown>) =>
        Effect.scoped(Effect.gen(function*() {
          const connection = yield* connected(misbehaved())
          const pids = [Number(yield* said(connection, "daemonize")), Number(yield* said(connection, "estrange"))]
          assert.deepStrictEqual(pids.map(isAlive), [true, true])
          yield* end(connection)
          return pids
        }))
      assert.deepStrictEqual((yield* leftBy(() => Effect.void)).map(isAlive), [false, false])
      const [daemon = 0, stranger = 0] = yield* leftBy((connection) => Effect.either(said(connection, "boom")))
      assert.isFalse(isAlive(daemon))
      // After a crash nothing tells whose process it was.
      process.kill(stranger, "SIGKILL")
    }))

  it.scopedLive("is guarded by the watchdog until nothing of the server is left", () =>
    Effect.gen(function*() {
      const guarded: Array<{ readonly id: string; readonly isStarted: boolean }> = []
      const released: Array<{ readonly id: string; readonly daemonIsAlive: boolean }> = []
      let daemon = 0
      const watchdog: Watchdog["Type"] = {
        guard: (id, { group }) => void guarded.push({ id, isStarted: group !== null }),
        release: (id) => void released.push({ id, daemonIsAlive: isAlive(daemon) })
      }
      yield* Effect.scoped(Effect.gen(function*() {
        const connection = yield* connected(misbehaved(), { watchdog })
        daemon = Number(yield* said(connection, "daemonize"))
        assert.isTrue(isAlive(daemon))
      }))
      const id = guarded[0]?.id ?? ""
      assert.deepStrictEqual(guarded, [{ id, isStarted: false }, { id, isStarted: true }])
      assert.deepStrictEqual(released, [{ id, daemonIsAlive: false }])
    }))

  it.scopedLive("over HTTP ends when the other side is gone, and with it its calls", () =>
    Effect.gen(function*() {
      const scope = yield* Scope.make()
      const url = yield* Scope.extend(everythingOver("streamableHttp"), scope)
      const connection = yield* connected(address("http", url))
      const begun = yield* Deferred.make<void>()
      const calling = yield* Effect.fork(
        Effect.zipRight(
          Deferred.succeed(begun, undefined),
          connection.call("trigger-long-running-operation", { duration: 30, steps: 30 }, Duration.seconds(60))
        )
      )
      yield* Deferred.await(begun)
      yield* Effect.sleep("500 millis")
      yield* Scope.close(scope, Exit.void)
      const failure = yield* Effect.flip(Fiber.join(calling))
      assert.instanceOf(failure, CallFailed)
      assert.strictEqual(failure.what, "lost")
      yield* connection.closed
    }))
})
