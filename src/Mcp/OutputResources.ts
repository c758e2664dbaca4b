import { TaskId } from "@troupe/domain/Ids"
import type { Task, TaskOutput } from "@troupe/domain/Task"
import { Effect, Option, Schema } from "effect"
import { isUtf8 } from "node:buffer"
import { Sandbox } from "../File/Sandbox.ts"
import { allowedOn } from "../People/User/Access.ts"
import { nextCursor } from "../Runtime/Database/Page.ts"
import { taskIdOf, Tasks } from "../Task/UseCase/Tasks.ts"
import type { ResourceLink } from "./McpTool.ts"

export const outputUriTemplate = "troupe://tasks/{task_id}/outputs/{output_id}"

export const outputUri = (taskId: TaskId, outputId: string) => `troupe://tasks/${taskId}/outputs/${outputId}`

/** Null for a URI of another form. */
const parseOutputUri = (uri: string): { readonly taskId: string; readonly outputId: string } | null => {
  const [, taskId, outputId] = /^troupe:\/\/tasks\/([^/]+)\/outputs\/([^/]+)$/.exec(uri) ?? []
  return taskId === undefined || outputId === undefined ? null : { taskId, outputId }
}

export const linkOf = ({ id, title }: Task, output: TaskOutput): ResourceLink => ({
  uri: outputUri(id, output.id),
  name: output.filename ?? `Result of ${title}`,
  ...(output.type === "text" ? { mimeType: "text/markdown" } : {}),
  ...(output.size === null ? {} : { size: output.size })
})

/** Tasks whose outputs are one page of the list. */
const tasksPerPage = 20

/** There is no resource with this URI, or it can't be read. */
export class ResourceUnavailable extends Schema.TaggedError<ResourceUnavailable>()("ResourceUnavailable", {
  uri: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `${this.uri}: ${this.reason}`
  }
}

export type ResourceContent =
  & { readonly uri: string; readonly mimeType: string }
  & ({ readonly text: string } | { readonly blob: string })

const decodeCursor = Schema.decodeUnknown(TaskId)

const contentOf = (uri: string, bytes: Uint8Array): ResourceContent => {
  const content = Buffer.from(bytes)
  return isUtf8(content) && !content.includes(0)
    ? { uri, mimeType: "text/plain", text: content.toString("utf8") }
    : { uri, mimeType: "application/octet-stream", blob: content.toString("base64") }
}

export type OutputResources = Effect.Effect.Success<typeof outputResources>

/** The outputs of tasks as resources. */
export const outputResources = Effect.gen(function*() {
  const tasks = yield* Tasks
  const sandbox = yield* Sandbox

  const list = Effect.fn("OutputResources.list")(function*(cursor: string | undefined) {
    const after = cursor === undefined ? undefined : yield* decodeCursor(cursor)
    const found = yield* tasks.list({ status: "completed", limit: tasksPerPage, cursor: after })
    // A task that was deleted meanwhile has no outputs.
    const whole = yield* Effect.forEach(found.items, ({ id }) => Effect.option(tasks.find(id)), { concurrency: 4 })
    return {
      links: whole.flatMap(Option.match({
        onNone: () => [],
        onSome: (task) => task.outputs.map((output) => linkOf(task, output))
      })),
      next: nextCursor(found)
    }
  })

  /** The files of a task belong to its creator; the texts may be read by all who see the task. */
  const read = Effect.fn("OutputResources.read")(
    function*(uri: string) {
      const parsed = parseOutputUri(uri)
      const unavailable = (reason: string) => new ResourceUnavailable({ uri, reason })
      if (parsed === null) return yield* unavailable("resources have the form troupe://tasks/<task>/outputs/<output>")
      const task = yield* taskIdOf(parsed.taskId).pipe(
        Effect.flatMap(tasks.find),
        Effect.mapError(({ message }) => unavailable(message))
      )
      const output = task.outputs.find(({ id }) => id === parsed.outputId)
      if (output === undefined) return yield* unavailable(`the task has no output ${parsed.outputId}`)
      if (output.filename === null) return { uri, mimeType: "text/markdown", text: output.content ?? "" }
      const bytes = yield* allowedOn(task.creator).pipe(
        Effect.zipRight(sandbox.readBytes(task.creator, output.filename)),
        Effect.mapError(({ message }) => unavailable(message))
      )
      return contentOf(uri, bytes)
    }
  )

  return { list, read }
})
