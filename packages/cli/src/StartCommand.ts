import * as Command from "@effect/cli/Command"
import * as Process from "@effect/platform/Command"
import { Config, Duration, Effect, Option, Schedule } from "effect"
import { execPath } from "node:process"
import { connection, defaultUrl } from "./Arguments.ts"
import { CommandFailed } from "./CommandFailed.ts"
import { connectModel } from "./ConnectModel.ts"
import { installed, serviceOption } from "./Installation.ts"
import { Screen } from "./Screen.ts"
import { call, forService, Service } from "./Service.ts"

/** Where nobody answers, whatever the terminal looks like. */
const isAutomated = Effect.map(
  Effect.orElseSucceed(Config.string("CI"), () => ""),
  (value) => value !== "" && value !== "false" && value !== "0"
)

/** Waits for the service, and offers to connect a model where only the offline one answers. */
const offer = Effect.gen(function*() {
  const screen = yield* Screen
  const { features } = yield* Effect.retry(
    call(({ system }) => system.version({})),
    Schedule.spaced("500 millis").pipe(Schedule.upTo(Duration.minutes(5)))
  )
  if (features.language_model) return
  yield* screen.note(
    `\nNo language model is connected: the built-in offline model answers, which understands no language.\n`
      + `Connect one now, or leave with Ctrl-C: ${screen.program} models connect does it later.\n`
  )
  yield* connectModel("main")
})

/** `troupe start`. */
export const start = Command.make(
  "start",
  { ...connection, service: serviceOption },
  ({ service, token, url }) =>
    Effect.gen(function*() {
      const screen = yield* Screen
      const found = yield* installed(service, "main.js")
      if (Option.isNone(found)) {
        return yield* new CommandFailed({
          reason: "usage",
          message:
            "The service is not built where this command is. Run npm run build there, or name its folder with --service."
        })
      }
      const { folder, program } = found.value
      const isAsking = screen.isInteractive && !(yield* isAutomated)
      const running = Process.make(
        execPath,
        "--max-semi-space-size=64",
        "--heap-growing-percent=100",
        "--expose-gc",
        program
      )
        .pipe(
          Process.workingDirectory(folder),
          Process.stdin(isAsking ? "pipe" : "inherit"),
          Process.stdout("inherit"),
          Process.stderr("inherit"),
          Process.exitCode,
          Effect.mapError(({ message }) =>
            new CommandFailed({ reason: "unavailable", message: `The service could not be started: ${message}` })
          )
        )
      // What goes wrong with a model ends no service.
      const port = yield* Effect.orElseSucceed(Config.string("PORT"), () => "")
      const own = url === defaultUrl && port !== "" ? `http://127.0.0.1:${port}` : url
      const offered = Effect.catchAll(
        Effect.provide(offer, Service.layer({ url: own, token })),
        ({ message }) => message === "" ? Effect.void : screen.note(`${screen.notePaint.yellow(message)}\n`)
      )
      const code = isAsking
        ? yield* Effect.scoped(Effect.zipRight(Effect.forkScoped(offered), running))
        : yield* running
      if (code !== 0) return yield* new CommandFailed({ reason: "failed", message: "" })
    })
).pipe(forService("Starts the service here, and offers to connect a model if there is none"))
