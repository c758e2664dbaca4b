import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { TroupeApi } from "@troupe/api/TroupeApi"
import { Effect, Stream } from "effect"
import { linkedPage } from "../../Runtime/Database/Page.ts"
import { onTask } from "../Tasks.ts"
import { type ExportedLine, TaskSteps } from "./TaskSteps.ts"

const encoder = new TextEncoder()
const lineOf = (line: ExportedLine): Uint8Array => encoder.encode(`${JSON.stringify(line)}\n`)

export const TaskStepsHttp = HttpApiBuilder.group(
  TroupeApi,
  "taskSteps",
  (handlers) =>
    Effect.map(TaskSteps, (steps) =>
      handlers
        .handle("list", ({ path, request, urlParams }) =>
          Effect.map(
            onTask(path, (id) => steps.list(id, urlParams)),
            (page) => linkedPage(page, { url: request.url, cursorOf: ({ seq }) => String(seq) })
          ))
        .handle("find", ({ path }) => onTask(path, (id) => steps.find(id, path.seq)))
        .handle("context", ({ path }) => onTask(path, (id) => steps.context(id, path.seq)))
        .handle("export", ({ path }) =>
          Effect.map(onTask(path, steps.export), (lines) =>
            HttpServerResponse.stream(Stream.map(lines, lineOf), {
              contentType: "application/x-ndjson",
              headers: { "content-disposition": `attachment; filename="task-${path.task_id}.jsonl"` }
            }))))
)
