import * as NodeContext from "@effect/platform-node/NodeContext"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { version } from "@troupe/domain/Version"
import { Cause, Console, Data, Duration, Effect, Fiber, Layer, Option } from "effect"
import { channel } from "node:diagnostics_channel"
import * as all from "./apps/all.ts"
import * as api from "./apps/api.ts"
import { banner, type ProcessRole, scriptsOf } from "./apps/Banner.ts"
import * as chatHandler from "./apps/chatHandler.ts"
import * as ingestor from "./apps/ingestor.ts"
import { dropBackup } from "./apps/upgrade.ts"
import * as worker from "./apps/worker.ts"
import { builtFolder } from "./Http/Console.ts"
import { usualDrainTime } from "./Http/HttpOptions.ts"
import * as GarbageCollection from "./Runtime/Process/GarbageCollection.ts"
import { Settings } from "./Runtime/Settings/Settings.ts"
import * as OtlpTracing from "./Runtime/Telemetry/OtlpTracing.ts"
import * as ProcessMetrics from "./Runtime/Telemetry/ProcessMetrics.ts"
import * as Telemetry from "./Runtime/Telemetry/Telemetry.ts"

/** The service can't start; the message says what to do. */
class StartRefused extends Data.TaggedError("StartRefused")<{ readonly message: string }> {}

/** `.config/launch-service.mjs` keeps what V8 has compiled until now. */
const isReady = channel("troupe.ready")

const roles = {
  all: all.layer,
  api: api.layer,
  worker: worker.layer,
  ingestor: ingestor.layer,
  "chat-handler": chatHandler.layer
} satisfies Record<ProcessRole, unknown>

const isRole = (word: string): word is ProcessRole => Object.hasOwn(roles, word)

const roleOf = (words: ReadonlyArray<string>): Effect.Effect<ProcessRole, StartRefused> => {
  const [word = "all", ...rest] = words
  return isRole(word) && rest.length === 0
    ? Effect.succeed(word)
    : new StartRefused({
      message: `There is no role "${words.join(" ")}". Usage: npm start -- [${Object.keys(roles).join(" | ")}]`
    })
}

const check = (role: ProcessRole, settings: Settings["Type"]): Effect.Effect<void, StartRefused> => {
  if (role !== "all" && Option.isNone(settings.database.url)) {
    return new StartRefused({
      message: `The role ${role} needs DATABASE_URL: a PostgreSQL that all processes share. `
        + "Without it, run everything in one process: npm start"
    })
  }
  return Effect.void
}

const program = Effect.gen(function*() {
  const role = yield* roleOf(process.argv.slice(2))
  const given = yield* Settings
  yield* check(role, given)
  const { http, worker: { shutdownGrace } } = given
  // A process that does everything has no other one behind the same load balancer.
  const drainTime = Option.getOrElse(http.drainTime, () => role === "all" ? Duration.zero : usualDrainTime)
  const settings = { ...given, http: { ...http, drainTime: Option.some(drainTime) } }
  yield* endInTime(role === "worker" ? shutdownGrace : Duration.sum(drainTime, shutdownGrace))
  const probed = yield* Effect.fork(Effect.zip(scriptsOf(role, settings), builtFolder))
  const ready = Layer.effectDiscard(
    Effect.flatMap(
      Fiber.join(probed),
      ([scripts, folder]) =>
        Effect.zipRight(
          Console.log(
            banner(role, settings, { hasConsole: folder !== null, isColored: process.stdout.isTTY, scripts })
          ),
          Effect.zipRight(Effect.sync(() => isReady.publish(role)), dropBackup(settings))
        )
    )
  )
  return yield* Layer.launch(Layer.provideMerge(ready, roles[role](settings)))
})

/** A failed start is reported in one message, a defect with its whole cause. */
const report = (cause: Cause.Cause<{ readonly message: string }>): Effect.Effect<void> =>
  Cause.isInterruptedOnly(cause) ? Effect.void : Option.match(Cause.failureOption(cause), {
    onNone: () => Effect.logFatal("Troupe stops after a defect", cause),
    onSome: ({ message }) => Console.error(`Troupe can't start. ${message}`)
  })

/** What a shutdown may take after its steps and requests had their time: it ends within 5 s. Locks that are still held then expire. */
const shutdownMillis = 4_700

/** Ends the process when a shutdown takes too long, for example because the database does not respond. */
const endInTime = (grace: Duration.Duration) =>
  Effect.sync(() => {
    const millis = Duration.toMillis(grace) + shutdownMillis
    const end = () => void setTimeout(() => process.exit(0), millis).unref()
    process.once("SIGTERM", end).once("SIGINT", end)
  })

program.pipe(
  Effect.provide(
    Layer.unwrapEffect(
      Effect.map(
        Settings,
        ({ log, tracing }) =>
          Layer.mergeAll(
            OtlpTracing.layer(tracing, { version }),
            ProcessMetrics.layer,
            GarbageCollection.layer({ interval: "5 seconds" })
          ).pipe(Layer.provideMerge(Telemetry.layer(log)))
      )
    ).pipe(
      Layer.provideMerge(Settings.layer),
      Layer.provideMerge(NodeContext.layer)
    )
  ),
  Effect.tapErrorCause(report),
  NodeRuntime.runMain({ disableErrorReporting: true, disablePrettyLogger: true })
)
