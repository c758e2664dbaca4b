import * as Command from "@effect/cli/Command"
import { Config, Duration, Effect, type Option, Schedule } from "effect"
import { spawn } from "node:child_process"
import { execPath } from "node:process"
import { connection, defaultUrl } from "./Arguments.ts"
import { CommandFailed } from "./CommandFailed.ts"
import { connectModel } from "./ConnectModel.ts"
import { needed, nodeOptions, serviceOption } from "./Installation.ts"
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

/** The program in the group of this process, so that what ends the group ends it too. Interrupted, it gets SIGTERM. */
const exitCodeOf = (folder: string, words: ReadonlyArray<string>, stdin: "inherit" | "pipe") =>
  Effect.async<number | null, CommandFailed>((resume) => {
    const child = spawn(execPath, words, { cwd: folder, stdio: [stdin, "inherit", "inherit"] })
    child.once(
      "error",
      ({ message }) =>
        resume(new CommandFailed({ reason: "unavailable", message: `The service could not be started: ${message}` }))
    )
    child.once("exit", (code) => resume(Effect.succeed(code)))
    return Effect.async<void>((ended) => {
      child.once("exit", () => ended(Effect.void))
      if (!child.kill()) ended(Effect.void)
    })
  })

/** Runs a role of the service in its folder until it ends. */
const execute = (service: Option.Option<string>, role: ReadonlyArray<string>, stdin: "inherit" | "pipe") =>
  Effect.gen(function*() {
    const { folder, program } = yield* needed(service, "main.js")
    const code = yield* exitCodeOf(folder, [...nodeOptions, program, ...role], stdin)
    if (code !== 0) return yield* new CommandFailed({ reason: "failed", message: "" })
  })

export const start = Command.make(
  "start",
  { ...connection, service: serviceOption },
  ({ service, token, url }) =>
    Effect.gen(function*() {
      const screen = yield* Screen
      if (!screen.isInteractive || (yield* isAutomated)) return yield* execute(service, [], "inherit")
      // What goes wrong with a model ends no service.
      const port = yield* Effect.orElseSucceed(Config.string("PORT"), () => "")
      const own = url === defaultUrl && port !== "" ? `http://127.0.0.1:${port}` : url
      const offered = Effect.catchAll(
        Effect.provide(offer, Service.layer({ url: own, token })),
        ({ message }) => message === "" ? Effect.void : screen.note(`${screen.notePaint.yellow(message)}\n`)
      )
      yield* Effect.scoped(Effect.zipRight(Effect.forkScoped(offered), execute(service, [], "pipe")))
    })
).pipe(forService("Starts the service here, and offers to connect a model if there is none"))

const role = <Name extends string>(name: Name, description: string) =>
  Command.make(name, { service: serviceOption }, ({ service }) => execute(service, [name], "inherit")).pipe(
    Command.withDescription(description)
  )

export const api = role("api", "Starts a process that serves HTTP and runs no tasks; needs DATABASE_URL")
export const worker = role("worker", "Starts a process that runs tasks; needs DATABASE_URL")
export const ingestor = role("ingestor", "Starts a process that accepts webhooks; needs DATABASE_URL")
export const chatHandler = role(
  "chat-handler",
  "Starts a process that accepts requests of the team chat; needs DATABASE_URL"
)
