import type { SqlClient } from "@effect/sql/SqlClient"
import { ToolServersRequest } from "@troupe/api/ToolServersApi"
import { defaultUser } from "@troupe/domain/Ids"
import { Context, Duration, Effect, Layer, Logger, LogLevel, Option, Redacted, Schema, type Scope } from "effect"
import { Signals } from "../../src/Runtime/Database/Signals.ts"
import * as Sql from "../../src/Runtime/Database/Sql.ts"
import { Sealing } from "../../src/Runtime/Sealing.ts"
import { AccessTokens } from "../../src/ToolServer/AccessTokens.ts"
import { Authorizations } from "../../src/ToolServer/Authorizations.ts"
import { ToolServerRepo } from "../../src/ToolServer/ToolServerRepo.ts"
import { ToolServers, type ToolServersOptions } from "../../src/ToolServer/ToolServers.ts"
import { ToolServerSettings } from "../../src/ToolServer/ToolServerSettings.ts"
import * as Database from "../support/Database.ts"
import { withShortSleeps } from "../support/FrozenClock.ts"

const rules = { isHosted: false, allowStdio: false, maxCallSeconds: 600 }

/** The configuration on a database of its own, and no process that runs servers. */
export const settings = (secretsKey = "k".repeat(32), timeout: Duration.DurationInput = "15 seconds") =>
  ToolServerSettings.layer({ rules, timeout }).pipe(
    Layer.provideMerge(
      Layer.merge(ToolServerRepo.layer, Authorizations.layer).pipe(
        Layer.provide(Signals.layerLocal),
        Layer.provide(Sealing.layer(Option.some(Redacted.make(secretsKey)))),
        Layer.provideMerge(Layer.orDie(Sql.layer({ maxConnections: 4 })))
      )
    )
  )

/** Servers fail on purpose here. */
const quiet = Logger.minimumLogLevel(LogLevel.None)

/** Answers wait only briefly for servers. */
export const alone = Layer.merge(Layer.provideMerge(settings(undefined, "500 millis"), Database.layer), quiet)

export const onDatabase = Layer.merge(Layer.provideMerge(settings(), Database.layer), quiet)

/** A process that runs the configured servers, until the scope ends. Its pauses and time-outs take a fifth of their time. */
export const startServers = (
  options: Partial<ToolServersOptions> = {}
): Effect.Effect<ToolServers["Type"], never, ToolServerRepo | SqlClient | Scope.Scope> =>
  Effect.map(
    withShortSleeps(Layer.build(
      ToolServers.layer({
        connectTimeout: Duration.seconds(100),
        callTimeout: Duration.seconds(100),
        stepTimeout: { parent: Duration.minutes(5), subagent: Duration.minutes(10) },
        rules,
        acceptChanges: false,
        admin: defaultUser,
        ...options
      }).pipe(Layer.provide(AccessTokens.layerNone))
    )),
    (context) => Context.get(context, ToolServers)
  )

const decode = Schema.decodeUnknown(ToolServersRequest)

export const configure = (mcpServers: unknown) =>
  Effect.flatMap(
    ToolServerSettings,
    ({ configure }) => Effect.flatMap(Effect.orDie(decode({ mcpServers })), configure)
  )

/** Calls a tool by its name over the shared connections and answers the text of its first part. */
export const callTool = (
  servers: ToolServers["Type"],
  name: string,
  args: Readonly<Record<string, unknown>> = {},
  call = servers.call
) =>
  Effect.suspend(() => {
    const tool = servers.tools().find((tool) => tool.name === name)
    return tool === undefined ? Effect.dieMessage(`no tool ${name}`) : call(tool, args)
  }).pipe(Effect.map(({ content }) => {
    const first: unknown = Array.isArray(content) ? content[0] : undefined
    return typeof first === "object" && first !== null && "text" in first ? String(first.text) : JSON.stringify(content)
  }))
