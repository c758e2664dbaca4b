import * as Options from "@effect/cli/Options"
import { UserId } from "@troupe/domain/Ids"
import { Effect, type Option, type Redacted } from "effect"
import { CommandFailed } from "./CommandFailed.ts"
import { safeLine } from "./Format.ts"

export const defaultUrl = "http://127.0.0.1:8000"

/** An option that may be left out. */
export const optional = <A>(option: Options.Options<A>, description: string): Options.Options<Option.Option<A>> =>
  Options.optional(Options.withDescription(option, description))

/** The options of every command that calls the service. */
export const connection = {
  url: optional(Options.text("url"), `Address of the service; default: TROUPE_URL, else ${defaultUrl}`),
  token: optional(
    Options.redacted("token"),
    "Bearer token of a hosted service; better in TROUPE_TOKEN, which other users can't list"
  ),
  json: Options.boolean("json").pipe(Options.withDescription("Write results as JSON"))
}

export interface Connection {
  readonly url: Option.Option<string>
  readonly token: Option.Option<Redacted.Redacted>
}

export const userId = (name: string) => Options.text(name).pipe(Options.withSchema(UserId))

/** Whose files, memories, schedules or subscriptions are meant. */
export const userOption = optional(userId("user"), "Whose; default: yours")

export const watchOption = Options.boolean("watch").pipe(
  Options.withAlias("w"),
  Options.withDescription("Show the steps until the task is finished, then its output")
)

const optionLike = /^--?[a-z][\w-]*(?:=.*)?$/i

/**
 * The words of a text on the command line. The parser takes an option that it does not know for a word, and a mistyped
 * option must not become a part of a task.
 */
export const textOf = (words: ReadonlyArray<string>): Effect.Effect<string, CommandFailed> => {
  const mistyped = words.find((word) => optionLike.test(word))
  return mistyped === undefined ? Effect.succeed(words.join(" ").trim()) : new CommandFailed({
    reason: "usage",
    message: `There is no option ${safeLine(mistyped)} here. Write options before the text, and a text that looks like `
      + "an option on standard input."
  })
}
