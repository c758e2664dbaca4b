import { Effect } from "effect"
import { CommandFailed } from "./CommandFailed.ts"
import { safeLine } from "./SafeText.ts"

const option = /^--?[a-z][\w-]*(?:=.*)?$/i

/**
 * The words of a text on the command line. The parser takes an option that it does not know for a word, and a mistyped
 * option must not become a part of a task.
 */
export const textOf = (words: ReadonlyArray<string>): Effect.Effect<string, CommandFailed> => {
  const mistyped = words.find((word) => option.test(word))
  return mistyped === undefined ? Effect.succeed(words.join(" ").trim()) : new CommandFailed({
    reason: "usage",
    message: `There is no option ${safeLine(mistyped)} here. Write options before the text, and a text that looks like `
      + "an option on standard input."
  })
}
