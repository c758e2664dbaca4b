import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import { TroupeApi } from "@troupe/api/TroupeApi"
import { Effect } from "effect"
import { ChatHealth } from "./ChatHealth.ts"

export const TeamChatHttp = HttpApiBuilder.group(
  TroupeApi,
  "teamChat",
  (handlers) => Effect.map(ChatHealth, ({ check }) => handlers.handle("health", () => check))
)
