import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Logger, LogLevel, Random } from "effect"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { pauseAfter, supervise } from "../../src/ToolServer/SupervisedServer.ts"
import { freshFolder } from "../support/PostgresFolder.ts"
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

it.effect("The pause before a server is started again doubles up to a minute, give or take a fifth", () =>
  Effect.gen(function*() {
    const pauses = (random: number) =>
      Effect.forEach([0, 1, 2, 6, 7, 1_000], (failures) => pauseAfter(failures, Duration.millis(500))).pipe(
        Effect.map((all) => all.map(Duration.toMillis)),
        Effect.withRandom(Random.fixed([random]))
      )
    const doubled = [500, 1_000, 2_000, 32_000, 60_000, 60_000]
    assert.deepStrictEqual(yield* pauses(0), doubled.map((millis) => millis * 0.8))
    assert.deepStrictEqual(yield* pauses(1), doubled.map((millis) => millis * 1.2))
  }))

const quiet = Logger.minimumLogLevel(LogLevel.None)

describe("A supervised server", () => {
  it.scopedLive("is tried again after a defect of ours, and says so meanwhile", () =>
    Effect.gen(function*() {
      const server = yield* supervised(new Set([1]))
      yield* until("the defect is told", Effect.sync(() => server.state().error?.includes("error of its own") === true))
      yield* until("it is connected", Effect.sync(() => server.state().status === "connected"))
      assert.isNull(server.state().error)
    }).pipe(Effect.provide(quiet)), 60_000)

  it.scopedLive("goes on to hear of changes after one that met a defect", () =>
    Effect.gen(function*() {
      const server = yield* supervised(new Set([2]))
      yield* until("it is connected", Effect.sync(() => server.state().status === "connected"))
      const grow = server.tools().filter(({ name }) => name === "grow")
      const grown = Effect.zipRight(
        Effect.forEach(grow, (tool) => server.call(tool, {})),
        Effect.sync(() => server.tools().some(({ name }) => name.startsWith("grown_")))
      )
      yield* until("a later change is heard of", grown)
    }).pipe(Effect.provide(quiet)), 60_000)

  it.scopedLive(
    "that floods is ended, says why, and is started again after the usual pause",
    () =>
      Effect.gen(function*() {
        const starts = join(yield* freshFolder, "starts")
        const server = yield* supervised(
          new Set(),
          program(["test/support/toolServer.mjs", "raves"], { STARTS: starts })
        )
        const { state } = server
        yield* until(
          "the reason is told",
          Effect.sync(() => state().error?.includes("its standard error in a") === true)
        )
        const started = Effect.promise(() => readFile(starts, "utf8"))
        yield* until("it is started again", Effect.map(started, (text) => text.split("\n").length > 2))
      }).pipe(Effect.provide(quiet)),
    60_000
  )
})
