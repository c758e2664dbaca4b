import * as ValidationError from "@effect/cli/ValidationError"
import * as NodeContext from "@effect/platform-node/NodeContext"
import * as Terminal from "@effect/platform/Terminal"
import { Cause, Console, Effect, Exit, Layer, Option } from "effect"
import { stripVTControlCharacters } from "node:util"
import { CommandFailed, exits } from "./CommandFailed.ts"
import { run } from "./Program.ts"
import { Screen, type Sink, type Source } from "./Screen.ts"

const failureOf = (cause: Cause.Cause<unknown>): CommandFailed => {
  if (Cause.isInterruptedOnly(cause)) return new CommandFailed({ reason: "interrupted", message: "" })
  const error = Option.getOrNull(Cause.failureOption(cause))
  if (error instanceof CommandFailed) return error
  // The parser has written the reason already.
  if (ValidationError.isValidationError(error)) return new CommandFailed({ reason: "usage", message: "" })
  return new CommandFailed({ reason: "unavailable", message: `troupe failed unexpectedly: ${Cause.pretty(cause)}` })
}

const report = (cause: Cause.Cause<unknown>) =>
  Effect.flatMap(Screen, ({ note, notePaint }) => {
    const { message } = failureOf(cause)
    return note(message === "" ? "" : `${notePaint.red(message)}\n`)
  })

const style = new RegExp(`${String.fromCharCode(27)}\\[[\\d;]*m`, "g")

/** What the parser writes and its prompts are coloured always; the colours stay only where they are wanted. */
const plain = Layer.unwrapEffect(
  Effect.gen(function*() {
    const screen = yield* Screen
    const terminal = yield* Terminal.Terminal
    const hasColors = screen.paint.bold("x") !== "x"
    const text = (parts: ReadonlyArray<unknown>) => {
      const line = `${parts.join(" ")}\n`
      return hasColors ? line : stripVTControlCharacters(line)
    }
    const display = (shown: string) => terminal.display(hasColors ? shown : shown.replace(style, ""))
    const original = yield* Effect.console
    return Layer.merge(
      Console.setConsole({
        ...original,
        log: (...parts) => screen.write(text(parts)),
        error: (...parts) => screen.note(text(parts))
      }),
      Layer.succeed(Terminal.Terminal, { ...terminal, display })
    )
  })
)

export interface Streams {
  readonly stdin: Source
  readonly stdout: Sink
  readonly stderr: Sink
}

/** Runs the command with the arguments of a process, program and script first, and writes why it fails. */
export const execute = (words: ReadonlyArray<string>, streams: Streams) =>
  run(words).pipe(
    Effect.tapErrorCause(report),
    Effect.provide(plain.pipe(Layer.provideMerge(Layer.merge(NodeContext.layer, Screen.layer(streams))))),
    // Its spans are not exported, so the service would show traces without their root.
    Effect.withTracerEnabled(false)
  )

/** What the process of the command exits with. */
export const exitCodeOf = (exit: Exit.Exit<unknown, unknown>): number =>
  exits[Exit.isSuccess(exit) ? "ok" : failureOf(exit.cause).reason].code
