import type { AgentReload } from "@troupe/domain/Agent"
import type { SkillReload } from "@troupe/domain/Skill"
import { Config, Context, Effect, Layer, Stream } from "effect"
import { type CommandFailed, wrongUsage } from "./CommandFailed.ts"
import { makeTextStyle, safeJson, safeLine, type TextStyle } from "./Format.ts"

/** The part of a terminal's or pipe's stream that is used. */
export interface Sink {
  readonly isTTY?: boolean
  readonly columns?: number
  readonly write: (text: string, done: () => void) => boolean
}

/** The part of standard input that is used. */
export interface Source extends AsyncIterable<Uint8Array> {
  readonly isTTY?: boolean
}

const maxInput = 1024 * 1024
const tooLong = wrongUsage("Standard input is longer than 1 MiB. Upload it with --file and say what it is.")
const unreadable = wrongUsage("Standard input could not be read.")

/** Null: there is too much of it. Not a stream, whose interruption would wait for the next input. */
const readAll = async (source: Source): Promise<string | null> => {
  const decoder = new TextDecoder()
  let text = ""
  for await (const piece of source) {
    text += decoder.decode(piece, { stream: true })
    if (text.length > maxInput) return null
  }
  return text + decoder.decode()
}

/** Where the command writes: results on standard output, everything else on standard error. */
export class Screen extends Context.Tag("@troupe/cli/Screen")<Screen, {
  /** Writes a result, as it is. */
  readonly write: (text: string) => Effect.Effect<void>
  /** Writes a result as JSON on lines of its own. */
  readonly json: (value: unknown) => Effect.Effect<void>
  /** Writes one JSON value of several, on one line. */
  readonly jsonLine: (value: unknown) => Effect.Effect<void>
  /** Writes progress or a hint, as it is. */
  readonly note: (text: string) => Effect.Effect<void>
  /** Progress goes to a terminal, where a line may be rewritten. */
  readonly isLive: boolean
  /** Results and progress are on the same terminal. */
  readonly isShared: boolean
  readonly isInteractive: boolean
  readonly input: Effect.Effect<string, CommandFailed>
  /** The lines of standard input as they come. */
  readonly lines: Stream.Stream<string, CommandFailed>
  /** How this command is called here, for hints. */
  readonly program: "npx troupe" | "troupe"
  readonly columns: Effect.Effect<number>
  readonly paint: TextStyle
  readonly notePaint: TextStyle
}>() {
  static readonly layer = (
    { stderr, stdin, stdout }: { readonly stdin: Source; readonly stdout: Sink; readonly stderr: Sink }
  ): Layer.Layer<Screen> =>
    Layer.effect(
      this,
      Effect.gen(function*() {
        const noColor = yield* Effect.orElseSucceed(Config.string("NO_COLOR"), () => "")
        const dumb = (yield* Effect.orElseSucceed(Config.string("TERM"), () => "")) === "dumb"
        const caller = yield* Effect.orElseSucceed(Config.string("npm_lifecycle_event"), () => "")
        const to = (sink: Sink) => (text: string) =>
          text === "" ? Effect.void : Effect.async<void>((resume) => void sink.write(text, () => resume(Effect.void)))
        const isTerminal = (sink: Sink) => sink.isTTY === true
        const paintFor = (sink: Sink) => makeTextStyle(isTerminal(sink) && noColor === "" && !dumb)
        const write = to(stdout)
        return Screen.of({
          write,
          json: (value) => write(`${safeJson(value, 2)}\n`),
          jsonLine: (value) => write(`${safeJson(value)}\n`),
          note: to(stderr),
          isLive: isTerminal(stderr) && !dumb,
          isShared: isTerminal(stderr) && isTerminal(stdout),
          isInteractive: stdin.isTTY === true && isTerminal(stdout) && isTerminal(stderr),
          input: Effect.tryPromise({ try: () => readAll(stdin), catch: () => unreadable }).pipe(
            Effect.filterOrFail((text) => text !== null, () => tooLong)
          ),
          lines: Stream.fromAsyncIterable(stdin, () => unreadable).pipe(Stream.decodeText(), Stream.splitLines),
          program: caller === "npx" ? "npx troupe" : "troupe",
          columns: Effect.sync(() => stdout.columns || stderr.columns || 80),
          paint: paintFor(stdout),
          notePaint: paintFor(stderr)
        })
      })
    )
}

/** Writes a result as JSON, or else as a text. */
export const writeResult = <A>(
  result: A,
  options: { readonly json: boolean; readonly text: (result: A, paint: TextStyle) => string }
): Effect.Effect<void, never, Screen> =>
  Effect.flatMap(Screen, ({ json, paint, write }) => options.json ? json(result) : write(options.text(result, paint)))

/** Writes what was found as JSON, or else as a table; where nothing was found, a note says so. */
export const writeList = <A>(
  found: ReadonlyArray<A>,
  options: {
    readonly json: boolean
    readonly table: (found: ReadonlyArray<A>, paint: TextStyle) => string
    readonly none: string
  }
): Effect.Effect<void, never, Screen> =>
  found.length === 0
    ? writeDone(found, { ...options, note: options.none })
    : writeResult(found, { ...options, text: options.table })

/** Writes what came of a change as JSON, or else a note that it is done. */
export const writeDone = (
  result: unknown,
  { json, note }: { readonly json: boolean; readonly note: string }
): Effect.Effect<void, never, Screen> =>
  Effect.flatMap(Screen, (screen) => json ? screen.json(result) : screen.note(`${note}\n`))

/** Writes what changed in a folder of agents or skills, and which files are not valid. */
export const writeReload = (noun: string, json: boolean) => (report: AgentReload | SkillReload) =>
  Effect.gen(function*() {
    const screen = yield* Screen
    const { added, count, errors, removed, updated } = report
    if (json) return yield* screen.json({ count, added, updated, removed, errors })
    yield* screen.write(
      `${count} ${noun}; ${added.length} added, ${updated.length} updated, ${removed.length} removed\n`
    )
    for (const { message, path } of errors) {
      yield* screen.note(`${screen.notePaint.yellow("!")} ${safeLine(path, 1000)}: ${safeLine(message, 1000)}\n`)
    }
  })
