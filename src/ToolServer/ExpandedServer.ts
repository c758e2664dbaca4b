import { DEFAULT_INHERITED_ENV_VARS } from "@modelcontextprotocol/client/stdio"
import { Config, Effect, Either, Option, Record, Redacted } from "effect"
import { access } from "node:fs/promises"
import { isAbsolute } from "node:path"
import { entryWith } from "./MaskedSecrets.ts"
import { namesOfService } from "./ReferenceRules.ts"
import { definitionOf } from "./ServerConfig.ts"
import type { ToolServer } from "./ToolServer.ts"
import { expandedText, mapTexts, textsOf } from "./VariableReferences.ts"

export interface ExpandedServer {
  readonly server: ToolServer
  /** The values of the variables, which errors don't show. */
  readonly values: ReadonlyArray<string>
  /** Those that results don't show either. */
  readonly secrets: ReadonlyArray<string>
}

/** The server with values in place of its references to variables; fails with the reason, which has names only. */
export const expandedServer = (server: ToolServer): Effect.Effect<ExpandedServer, string> =>
  Effect.gen(function*() {
    if (server.variables === "none") return { server, values: [], secrets: [] }
    const entry = entryWith(server, Redacted.value)
    const values = server.variables === "service"
      ? yield* valuesOf(new Set(textsOf(entry).flatMap((referring) => namesOfService(entry, referring))))
      : new Map<string, string>()
    const own = Record.map(entry.env ?? {}, (text) => expandedText(text, (name) => values.get(name), () => {}))
    const missing: Array<string> = []
    const complete = mapTexts(entry, ({ field, isCommand, text }) =>
      expandedText(
        text,
        (name) => isCommand && Object.hasOwn(own, name) ? own[name] : values.get(name),
        (name) => missing.push(`its ${field} refers to the variable ${name}`)
      ))
    const [first] = missing
    if (first !== undefined) return yield* Effect.fail(`${first}, which is not set in the environment of the service`)
    const expanded = yield* Either.mapLeft(
      definitionOf("its", complete, { ...server, variables: "none" }),
      ([{ message, path }]) => `${path.replace(".", " ")} can't be used with the values of its variables: ${message}`
    )
    const origin = expanded.transport === "stdio" ? "" : new URL(expanded.url).origin
    const secret = yield* Effect.filter([...values], ([name, value]) => isSecret(name, value, origin))
    return { server: expanded, values: [...values.values()], secrets: secret.map(([, value]) => value) }
  })

/** Of those that are set and not empty. */
const valuesOf = (names: ReadonlySet<string>): Effect.Effect<ReadonlyMap<string, string>> =>
  Effect.map(
    Effect.forEach(names, (name) =>
      Effect.map(
        Effect.option(Config.nonEmptyString(name)),
        Option.match({ onNone: () => [], onSome: (value) => [[name, value] as const] })
      )),
    (found) => new Map(found.flat())
  )

/** Every program gets some of the variables, and an agent has to read the names of files and the addresses in results. */
const isSecret = (name: string, value: string, origin: string): Effect.Effect<boolean> => {
  if (DEFAULT_INHERITED_ENV_VARS.includes(name) || origin.includes(value)) return Effect.succeed(false)
  return isAbsolute(value) ? Effect.promise(() => access(value).then(() => false, () => true)) : Effect.succeed(true)
}
