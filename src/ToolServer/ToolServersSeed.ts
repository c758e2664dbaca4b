import { FileSystem } from "@effect/platform"
import { timeoutRule, ToolServersRequest } from "@troupe/api/ToolServersApi"
import { Effect, Either, Layer, Option, ParseResult, Schema } from "effect"
import { type EntryRules, toolServersOf } from "./Entries.ts"
import { ToolServerRepo } from "./ToolServerRepo.ts"

/** MCP_CONFIG_FILE can't be used. Nothing of the file stands in the reason but names. */
export class ToolServersSeedRefused extends Schema.TaggedError<ToolServersSeedRefused>()("ToolServersSeedRefused", {
  file: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `MCP_CONFIG_FILE is ${JSON.stringify(this.file)}, which can't be used: ${this.reason}`
  }
}

const decode = Schema.decodeUnknown(Schema.parseJson(ToolServersRequest), { errors: "all" })

/** Takes the servers of the file over while none were ever configured. A start with a file that is wrong is refused. */
export const layer = (options: {
  readonly file: Option.Option<string>
  readonly rules: EntryRules
}): Layer.Layer<never, ToolServersSeedRefused, ToolServerRepo | FileSystem.FileSystem> =>
  Layer.effectDiscard(Effect.gen(function*() {
    if (Option.isNone(options.file)) return
    const file = options.file.value
    const repo = yield* ToolServerRepo
    if ((yield* repo.version) > 0) return
    const refused = (reason: string) => new ToolServersSeedRefused({ file, reason })
    const text = yield* Effect.flatMap(FileSystem.FileSystem, (files) => files.readFileString(file)).pipe(
      Effect.mapError(() => refused("it can't be read"))
    )
    const request = yield* Effect.mapError(decode(text), (error) => refused(misfit(error)))
    const servers = yield* Either.mapLeft(toolServersOf(request, options.rules), ({ message }) => refused(message))
    yield* repo.seed(servers)
    yield* Effect.logInfo(`Took ${servers.length} tool servers over from ${file}`)
  }))

/** Where it does not fit. What the file says there is left out: it may be a secret. */
const misfit = (error: ParseResult.ParseError): string => {
  const [first] = ParseResult.ArrayFormatter.formatErrorSync(error)
  if (first === undefined || first.path.length === 0) {
    return "it must be JSON of the form {\"mcpServers\": {\"<name>\": {\"command\": ...}}}"
  }
  const path = first.path.map(String).join(".")
  return first.path.at(-1) === "timeout_seconds"
    ? `${path} must be ${timeoutRule}`
    : `${path} does not fit: see POST /api/mcp/configure in the docs`
}
