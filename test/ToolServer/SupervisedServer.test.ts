import { assert, describe, it } from "@effect/vitest"
import { Chunk, Duration, Effect, Logger, LogLevel, Random, Schedule } from "effect"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { restartSchedule, supervise } from "../../src/ToolServer/SupervisedServer.ts"
import { freshFolder } from "../support/FreshFolder.ts"
import { atOneMoment } from "../support/FrozenClock.ts"
import { until } from "../support/Processes.ts"
import { misbehaved, options, program } from "../support/ToolServerFixture.ts"

/** A server whose list can't be reviewed these times. */
const supervised = (broken: ReadonlySet<number>, server = misbehaved()) => {
  let reviews = 0
  return supervise(
    server,
    {
      ...options,
      callTimeout: Duration.seconds(20),
      callLimit: Duration.seconds(20),
      firstPause: Duration.millis(20),
      stableAfter: Duration.seconds(30)
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
  Schedule.run(Schedule.delays(restartSchedule(Duration.millis(500))), 0, wereStable).pipe(
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
  it.scopedLive("is restarted after a defect of the service, and reports it until then", () =>
    Effect.gen(function*() {
      const server = yield* supervised(new Set([1]))
      yield* until(
        "the defect is reported",
        Effect.sync(() => server.state().error?.includes("internal error") === true)
      )
      yield* until("it is connected", Effect.sync(() => server.state().status === "connected"))
      assert.isNull(server.state().error)
    }).pipe(Effect.provide(quiet)))

  it.scopedLive("still notices changes after one whose review failed", () =>
    Effect.gen(function*() {
      const server = yield* supervised(new Set([2]))
      yield* until("it is connected", Effect.sync(() => server.state().status === "connected"))
      const grow = server.tools().filter(({ name }) => name === "grow")
      const grown = Effect.zipRight(
        Effect.forEach(grow, (tool) => server.call(tool, {})),
        Effect.sync(() => server.tools().some(({ name }) => name.startsWith("grown_")))
      )
      yield* until("a later change is noticed", grown)
    }).pipe(Effect.provide(quiet)))

  it.scopedLive("that floods the service is stopped with the reason and restarted after the usual pause", () =>
    Effect.gen(function*() {
      const starts = join(yield* freshFolder, "starts")
      const server = yield* atOneMoment(
        supervised(new Set(), program(["test/support/toolServer.mjs", "raves"], { STARTS: starts }))
      )
      const { state } = server
      yield* until(
        "the reason is reported",
        Effect.sync(() => state().error?.includes("its standard error in a") === true)
      )
      const started = Effect.promise(() => readFile(starts, "utf8"))
      yield* until("it is restarted", Effect.map(started, (text) => text.split("\n").length > 2))
    }).pipe(Effect.provide(quiet)))
})
