import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import { TroupeApi } from "@troupe/api/TroupeApi"
import { TaskRequestInvalid } from "@troupe/domain/Task"
import { Effect } from "effect"
import { Agents } from "./Definition/Agents.ts"
import { TaskPreview } from "./TaskPreview.ts"

export const TaskPreviewHttp = HttpApiBuilder.group(
  TroupeApi,
  "taskPreview",
  (handlers) =>
    Effect.map(
      Effect.all([Agents, TaskPreview]),
      ([agents, preview]) =>
        handlers.handle("preview", ({ payload: { agent, agent_draft, message } }) => {
          const named = typeof agent === "string"
            ? Effect.mapError(
              agents.find(agent),
              ({ message }) => new TaskRequestInvalid({ path: "agent", reason: message })
            )
            : Effect.succeed(null)
          return Effect.flatMap(named, (found) => preview.of(message, agent_draft ?? found))
        })
    )
)
