import * as FileSystem from "@effect/platform/FileSystem"
import * as PlatformConfigProvider from "@effect/platform/PlatformConfigProvider"
import { type ConfigProvider, Effect } from "effect"
import { decodeText } from "../TextDecoding.ts"

export const dotEnv = ".env"

export interface DotEnvFile {
  readonly provider: ConfigProvider.ConfigProvider
  /** Numbers of lines that are neither an assignment nor a comment. */
  readonly unread: ReadonlyArray<number>
  /** Names whose values end at a `#` that no space precedes. */
  readonly cut: ReadonlyArray<string>
}

const assignment = /^\s*(?:export\s+)?([\w.-]+)(?:\s*=|:\s)/

/** A value in quotes may have several lines. */
const quoted = /^([ \t]*(?:export\s+)?[\w.-]+[ \t]*=)[ \t]*(?:"(?:\\.|[^"\\])*"|'[^']*'|`[^`]*`)[ \t]*(?:#.*)?$/gm

/** The file in whatever encoding the editor or shell has: PowerShell writes UTF-16. Fails with what is wrong. */
export const readDotEnv = (files: FileSystem.FileSystem): Effect.Effect<DotEnvFile, string> =>
  Effect.gen(function*() {
    const bytes = yield* Effect.mapError(files.readFile(dotEnv), () => "a file that can't be read")
    const text = decodeText(bytes)
    if (text.includes("\0")) return yield* Effect.fail("a file with NUL characters")
    const decoded = FileSystem.makeNoop({ readFileString: () => Effect.succeed(text) })
    const provider = yield* PlatformConfigProvider.fromDotEnv(dotEnv).pipe(
      Effect.provideService(FileSystem.FileSystem, decoded),
      Effect.orDie
    )
    const lines = text.replace(/\r\n?/g, "\n").replace(
      quoted,
      (value, name: string) => name + "\n".repeat(value.split("\n").length - 1)
    ).split("\n")
    return {
      provider,
      unread: lines.flatMap((line, index) => /^\s*(?:#.*)?$/.test(line) || assignment.test(line) ? [] : [index + 1]),
      cut: lines.flatMap((line) => {
        const [start, name] = assignment.exec(line) ?? []
        const value = line.slice(start?.length ?? 0).trimStart()
        return name !== undefined && /^[^\s#'"`][^#]*#/.test(value) && !/^[^#]*\s#/.test(value) ? [name] : []
      })
    }
  })
