import * as FileSystem from "@effect/platform/FileSystem"
import { serversRule, timeoutRule, ToolServersRequest } from "@troupe/api/ToolServersApi"
import { plural } from "@troupe/domain/Text"
import { Effect, Either, Layer, Option, ParseResult, Schema } from "effect"
import { untilAvailable } from "../Runtime/Database/Sql.ts"
import { decodeText } from "../Runtime/TextDecoding.ts"
import { type ServerRules, toolServersOf } from "./ServerConfig.ts"
import { ToolServerRepo } from "./ToolServerRepo.ts"
import { warningsOf } from "./UnknownFields.ts"

/** MCP_CONFIG_FILE can't be used. The reason contains only names from the file, no values. */
export class ToolServersSeedRefused extends Schema.TaggedError<ToolServersSeedRefused>()("ToolServersSeedRefused", {
  file: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `MCP_CONFIG_FILE is ${JSON.stringify(this.file)}, which can't be used: ${this.reason}`
  }
}

const decode = Schema.decodeUnknown(Schema.parseJson(ToolServersRequest), { errors: "all" })

/** Stores the servers of the file if none were ever configured. An invalid file stops the start. */
export const layer = (options: {
  readonly file: Option.Option<string>
  readonly rules: ServerRules
}): Layer.Layer<never, ToolServersSeedRefused, ToolServerRepo | FileSystem.FileSystem> =>
  Layer.effectDiscard(Effect.gen(function*() {
    if (Option.isNone(options.file)) return
    const file = options.file.value
    const repo = yield* ToolServerRepo
    if ((yield* Effect.orDie(untilAvailable()(repo.version))) > 0) return
    const refused = (reason: string) => new ToolServersSeedRefused({ file, reason })
    const text = yield* Effect.flatMap(FileSystem.FileSystem, (files) => files.readFile(file)).pipe(
      Effect.mapBoth({ onFailure: () => refused("it can't be read"), onSuccess: (bytes) => decodeText(bytes) })
    )
    const request = yield* Effect.mapError(decode(text), (error) => refused(describeError(error)))
    const servers = yield* Either.mapLeft(
      // The operator wrote the file.
      toolServersOf(request, options.rules, () => true),
      ({ message }) => refused(message)
    )
    yield* repo.seed(servers)
    for (const [name, warnings] of warningsOf(request)) {
      for (const warning of warnings) yield* Effect.logWarning(`Tool server ${name}: ${warning}`)
    }
    yield* Effect.logInfo(`Configured ${plural(servers.length, "tool server")} from ${file}`)
  }))

/** The place of the first error, without the value there: it may be a secret. */
const describeError = (error: ParseResult.ParseError): string => {
  const [first] = ParseResult.ArrayFormatter.formatErrorSync(error)
  if (first === undefined || first.path.length === 0) {
    return "it must be JSON of the form {\"mcpServers\": {\"<name>\": {\"command\": ...}}}"
  }
  const path = first.path.map(String).join(".")
  if (path === "mcpServers" && first._tag === "Missing") return serversRule
  return first.path.at(-1) === "timeout_seconds"
    ? `${path} must be ${timeoutRule}`
    : `${path} is invalid: see POST /api/mcp/configure in the docs`
}
