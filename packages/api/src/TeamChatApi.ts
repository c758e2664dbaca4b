import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import { Schema } from "effect"
import { Authentication } from "./Authentication.ts"
import { described, titled } from "./Fields.ts"

export const TeamChatHealth = Schema.Struct({
  status: Schema.Literal("ok", "not_configured", "unreachable", "unauthorized").annotations({
    description: "State of the connection to the chat platform"
  }),
  team: Schema.NullOr(Schema.String).annotations({ description: "Name of the workspace" }),
  bot_user_id: Schema.NullOr(Schema.String).annotations({ description: "The chat platform's id of the bot" }),
  latency_ms: Schema.Number.annotations({ description: "Duration of the check in milliseconds" }),
  detail: Schema.String.annotations({ description: "What was found, or what to set to fix it" })
}).annotations({ identifier: "TeamChatHealth" })
export type TeamChatHealth = typeof TeamChatHealth.Type

/** The connection to the chat platform. */
export class TeamChatApi extends HttpApiGroup.make("teamChat")
  .add(
    HttpApiEndpoint.get("health", "/team-chat/health")
      .addSuccess(TeamChatHealth)
      .middleware(Authentication)
      .annotateContext(described("Tests the connection to the chat platform by a call; always 200"))
  )
  .annotateContext(titled("Team chat", "The connection to the chat platform."))
{}
