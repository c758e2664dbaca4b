import * as Options from "@effect/cli/Options"
import { PersonName } from "@troupe/domain/User"
import { Config, ConfigError, Effect, Either, type Option, Redacted, Schema } from "effect"
import { type CommandFailed, wrongUsage } from "./CommandFailed.ts"
import { safeLine } from "./Format.ts"

/** An option that may be left out. */
export const optional = <A>(option: Options.Options<A>, description: string): Options.Options<Option.Option<A>> =>
  Options.optional(Options.withDescription(option, description))

export const defaultUrl = "http://127.0.0.1:8000"

/** A variable of the environment; a blank one counts as unset. */
const variable = (name: string): Config.Config<string> =>
  Config.mapOrFail(
    Config.string(name),
    (text) => text.trim() === "" ? Either.left(ConfigError.MissingData([name], "It is blank")) : Either.right(text)
  )

/** The options of every command that calls the service. */
export const connection = {
  url: Options.text("url").pipe(
    Options.withDescription(`Address of the service, or TROUPE_URL; default: ${defaultUrl}`),
    Options.withFallbackConfig(variable("TROUPE_URL")),
    Options.withDefault(defaultUrl)
  ),
  token: Options.redacted("token").pipe(
    Options.withDescription("Bearer token of a hosted service; better in TROUPE_TOKEN, which other users can't list"),
    Options.withFallbackConfig(Config.map(variable("TROUPE_TOKEN"), Redacted.make)),
    Options.optional
  ),
  json: Options.boolean("json").pipe(Options.withDescription("Write results as JSON"))
}

export interface Connection {
  readonly url: string
  readonly token: Option.Option<Redacted.Redacted>
}

/** Somebody whom the service looks up by an id, an address or a name. */
export const person = (name: string) => Options.text(name).pipe(Options.withSchema(PersonName))

/** Whose files, memories, schedules or subscriptions are meant. */
export const userOption = optional(person("user"), "Whose, by id, address or name; default: yours")

export const limitOption = Options.integer("limit").pipe(
  Options.withAlias("n"),
  Options.withSchema(Schema.Int.pipe(Schema.between(1, 1000, { message: () => "a whole number from 1 to 1000" }))),
  Options.withDefault(20),
  Options.withDescription("How many, newest first; default: 20")
)

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
  return mistyped === undefined ?
    Effect.succeed(words.join(" ").trim()) :
    wrongUsage(
      `There is no option ${safeLine(mistyped)} here. Write options before the text, and a text that looks like `
        + "an option on standard input."
    )
}
