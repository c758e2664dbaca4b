import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import { TroupeApi } from "@troupe/api/TroupeApi"
import { Effect } from "effect"
import { TaskPreview } from "./TaskPreview.ts"

export const TaskPreviewHttp = HttpApiBuilder.group(
  TroupeApi,
  "taskPreview",
  (handlers) =>
    Effect.map(TaskPreview, (preview) => handlers.handle("preview", ({ payload }) => preview.of(payload.message)))
)
