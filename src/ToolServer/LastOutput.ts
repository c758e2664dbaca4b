import { shortened } from "@troupe/domain/Text"
import { stripVTControlCharacters } from "node:util"
import type { Redact } from "./Redaction.ts"

const maxLines = 10
const maxCharacters = 2_000
const maxLineCharacters = 300

/** More than are shown, because frames of a stack are left out. */
const keptLines = 50

/** A call in the stack trace of Node or Java; what went wrong stands before it. */
const stackFrame = /^\s+at .*(?:\)|:\d+)(?: \{)?$/

/** Control characters, and those that change the direction of the text around them. */
const unprintable = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}]/gu

/** What a terminal would show of a line in the end: a progress bar writes over itself. */
const printed = (line: string): string =>
  (stripVTControlCharacters(line).split("\r").findLast((part) => part.trim() !== "") ?? "")
    .replaceAll("\t", "  ")
    .replaceAll(unprintable, "")
    .trimEnd()

/** What a program has written last, to show why it ended. Lines are whole, so that no secret is cut before it is redacted. */
export interface LastOutput {
  /** A line of its standard error. */
  readonly error: (line: string) => void
  /** A line of its standard output that is no message. */
  readonly other: (line: string) => void
  /** The last lines of its standard error, or else of its standard output, without secrets; empty if there are none. */
  readonly text: () => string
}

export const makeLastOutput = (redact: Redact): LastOutput => {
  const kept = { error: new Array<string>(), other: new Array<string>() }
  const keep = (lines: Array<string>) => (line: string) => {
    lines.push(line)
    if (lines.length > keptLines) lines.shift()
  }
  const lastOf = (lines: ReadonlyArray<string>): string => {
    const shown = lines
      .map((line) => redact(printed(redact(line))))
      .filter((line) => line.trim() !== "" && !stackFrame.test(line))
      .slice(-maxLines)
      .map((line) => shortened(line, maxLineCharacters))
    while (shown.join("\n").length > maxCharacters) shown.shift()
    return shown.join("\n")
  }
  const titled = (stream: string, lines: ReadonlyArray<string>) => {
    const last = lastOf(lines)
    return last === "" ? "" : `The end of its ${stream}:\n${last}`
  }
  return {
    error: keep(kept.error),
    other: keep(kept.other),
    text: () => titled("standard error", kept.error) || titled("standard output", kept.other)
  }
}
