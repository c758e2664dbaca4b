import { assert, describe, it } from "@effect/vitest"
import { Chunk, Duration, Effect, Logger, LogLevel, Random, Schedule } from "effect"
import { restartSchedule, supervise, type SupervisedServer } from "../../src/ToolServer/SupervisedServer.ts"
import { withShortSleeps } from "../support/FrozenClock.ts"
import { until } from "../support/Processes.ts"
import { misbehaved, options } from "../support/ToolServerFixture.ts"

/** A server whose list can't be reviewed these times. */
const supervised = (broken: ReadonlySet<number>, server = misbehaved()) => {
  let reviews = 0
  return supervise(
    server,
    {
      ...options,
      callTimeout: Duration.seconds(20),
      callLimit: Duration.seconds(20)
    },
    {
      onChange: () => {},
      review: (
        _server,
        tools
      ) => (broken.has(++reviews) ? Effect.dieMessage("no database") : Effect.succeed({ usable: tools, held: [] }))
    }
  )
}

/** The pauses after connections that were stable or not. */
const pauses = (wereStable: ReadonlyArray<boolean>, random: number) =>
  Schedule.run(Schedule.delays(restartSchedule), 0, wereStable).pipe(
    Effect.map((all) => Chunk.toReadonlyArray(all).map((pause) => Math.round(Duration.toMillis(pause)))),
    Effect.withRandom(Random.fixed([random]))
  )

it.effect("The pause before a server is restarted doubles up to a minute, with 20 % jitter", () =>
  Effect.gen(function*() {
    const failures = Array.from({ length: 1_200 }, () => false)
    for (const [random, factor] of [[0, 0.8], [1, 1.2]] as const) {
      const all = yield* pauses(failures, random)
      const some = [0, 1, 2, 6, 7, 1_000, 1_199].map((index) => all[index])
      const doubled = [500, 1_000, 2_000, 32_000, 60_000, 60_000, 60_000]
      assert.deepStrictEqual(some, doubled.map((millis) => millis * factor))
    }
  }))

it.effect("The pause before a restart begins anew after a stable connection", () =>
  Effect.map(
    pauses([false, false, false, true, false], 0.5),
    (all) => assert.deepStrictEqual(all, [500, 1_000, 2_000, 500, 1_000])
  ))

const quiet = Logger.minimumLogLevel(LogLevel.None)

describe("A supervised server", () => {
  const isConnected = ({ state }: SupervisedServer) =>
    until("it is connected", Effect.sync(() => state().status === "connected"))
  const called = (server: SupervisedServer, name: string) =>
    Effect.forEach(server.tools().filter((tool) => tool.name === name), (tool) => server.call(tool, {}))

  it.scopedLive("is restarted after a defect of the service, and notices changes after another", () =>
    Effect.gen(function*() {
      const server = yield* withShortSleeps(supervised(new Set([1, 3])))
      yield* until(
        "the defect is reported",
        Effect.sync(() => server.state().error?.includes("internal error") === true)
      )
      yield* isConnected(server)
      assert.isNull(server.state().error)
      const grown = Effect.zipRight(
        called(server, "grow"),
        Effect.sync(() => server.tools().some(({ name }) => name.startsWith("grown_")))
      )
      yield* until("a later change is noticed", grown)
    }).pipe(Effect.provide(quiet)))

  it.scopedLive("that answers neither a call nor a ping is restarted", () =>
    Effect.gen(function*() {
      const server = yield* withShortSleeps(supervised(new Set(), { ...misbehaved("no-ping"), timeoutSeconds: 1 }))
      yield* isConnected(server)
      const { what } = yield* Effect.flip(withShortSleeps(called(server, "hang")))
      assert.strictEqual(what, "timedOut")
      yield* until("it is stopped", Effect.sync(() => server.state().last_error?.message === "it stopped answering"))
      yield* isConnected(server)
    }).pipe(Effect.provide(quiet)))
})
