import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import { TroupeApi } from "@troupe/api/TroupeApi"
import { Effect } from "effect"
import { via } from "../Task/Command/CurrentVia.ts"
import { outputResources } from "./OutputResources.ts"
import { skillTools } from "./SkillTools.ts"
import { taskTools } from "./TaskTools.ts"

/** The endpoint of MCP clients. The protocol's library is loaded with the first message. */
export const McpHttp = (options: {
  readonly version: string
  /** Where people open the console; null: nowhere that is known. */
  readonly console: URL | null
}) =>
  HttpApiBuilder.group(TroupeApi, "mcp", (handlers) =>
    Effect.gen(function*() {
      const tools = [...yield* taskTools(options.console), ...yield* skillTools]
      const offer = { ...options, tools, outputs: yield* outputResources }
      const server = yield* Effect.cached(Effect.promise(() => import("./ProtocolServer.ts")))
      return handlers.handle("message", ({ headers, payload, request }) =>
        Effect.flatMap(server, ({ respond }) =>
          respond(offer, payload, {
            protocolVersion: headers["mcp-protocol-version"],
            acceptsEvents: request.headers["accept"]?.includes("text/event-stream") === true
          })).pipe(via("mcp")))
    }))
