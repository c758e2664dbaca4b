import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import type { HttpServerRequest } from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { CurrentUser } from "@troupe/api/Authentication"
import type { AnyTaskEvent, TaskEvent } from "@troupe/api/TaskEvent"
import type { Accepted } from "@troupe/api/TasksApi"
import { TroupeApi } from "@troupe/api/TroupeApi"
import type { Task } from "@troupe/domain/Task"
import { Chunk, Effect, Option, Stream } from "effect"
import { Buffer } from "node:buffer"
import { answering, ownIdOf } from "../People/Access.ts"
import { Identity, whileSignedIn } from "../People/Identity.ts"
import { linkedPage } from "../Runtime/Database/Page.ts"
import { WorkerHealth } from "./Runners.ts"
import { chatTask, idempotencyOf, onTask, taskIdOf, Tasks } from "./Tasks.ts"

const accepted = (task: Task) =>
  HttpServerResponse.unsafeJson(
    { task_id: task.id, status: task.status, task } satisfies typeof Accepted.Encoded,
    { status: 202, headers: { location: `/task/${task.id}` } }
  )

const encoder = new TextEncoder()
const data = (event: AnyTaskEvent | TaskEvent): unknown => {
  const task = "task_id" in event ? { task_id: event.task_id } : {}
  switch (event._tag) {
    case "position":
      return {}
    case "log":
      return { ...task, ...event.entry }
    case "status":
      return { ...task, status: event.status, error: event.error }
    case "usage":
      return event.usage
    case "text":
      return { delta: event.delta }
  }
}
/** All readers of the events of all tasks get the same objects, so each event is encoded once in a process. */
const encoded = new WeakMap<AnyTaskEvent | TaskEvent, Uint8Array>()

const frame = (event: AnyTaskEvent | TaskEvent): Uint8Array => {
  const known = encoded.get(event)
  if (known !== undefined) return known
  const bytes = encoder.encode(
    `${"id" in event ? `id: ${event.id}\n` : ""}event: ${event._tag}\ndata: ${JSON.stringify(data(event))}\n\n`
  )
  encoded.set(event, bytes)
  return bytes
}

/** One write for the events that come together. */
const frames = (events: Chunk.Chunk<AnyTaskEvent | TaskEvent>): Chunk.Chunk<Uint8Array> =>
  Chunk.isEmpty(events) ? Chunk.empty() : Chunk.of(Buffer.concat(Chunk.toReadonlyArray(events).map(frame)))

const lastEventOf = ({ headers, urlParams }: {
  readonly headers: { readonly "last-event-id"?: string | undefined }
  readonly urlParams: { readonly last_event_id?: string | undefined }
}) => Option.fromNullable(headers["last-event-id"] ?? urlParams.last_event_id)

export const TasksHttp = HttpApiBuilder.group(TroupeApi, "tasks", (handlers) =>
  Effect.gen(function*() {
    const tasks = yield* Tasks
    const identity = yield* Identity
    const workers = yield* WorkerHealth

    const eventStream = (
      request: HttpServerRequest,
      events: Stream.Stream<AnyTaskEvent | TaskEvent>
    ) =>
      Effect.map(CurrentUser, (caller) =>
        HttpServerResponse.stream(
          Stream.mapChunks(whileSignedIn(identity, caller, request)(events), frames),
          { contentType: "text/event-stream" }
        ))

    return handlers
      .handle("list", ({ request, urlParams }) =>
        Effect.map(tasks.list(urlParams), (page) =>
          linkedPage(page, { url: request.url, cursorOf: ({ id }) => id })))
      .handle("counts", ({ urlParams }) =>
        tasks.counts(urlParams))
      .handle("find", ({ path, urlParams: { logs } }) =>
        Effect.map(onTask(path, logs === false ? tasks.findWithoutLogs : tasks.find), HttpServerResponse.unsafeJson))
      .handle("subtasks", ({ path, request, urlParams }) =>
        Effect.map(
          onTask(path, (id) =>
            tasks.subtasks(id, urlParams)),
          (page) =>
            linkedPage(page, {
              url: request.url,
              cursorOf: ({ id }) =>
                id
            })
        ))
      .handle("remove", ({ path }) =>
        onTask(path, tasks.remove))
      .handle("workerStatus", ({ path }) => onTask(path, tasks.workerStatus))
      .handle(
        "chat",
        ({ headers, payload }) =>
          Effect.map(Effect.flatMap(chatTask(payload, headers["idempotency-key"]), tasks.submit), accepted)
      )
      .handle("humanResponse", ({ payload }) =>
        Effect.flatMap(
          answering(payload.user_id),
          (userId) =>
            onTask(payload, (id) => tasks.answer(id, payload.response, userId, { call: payload.tool_call_id }))
        ).pipe(Effect.map(accepted)))
      .handle("message", ({ headers, path, payload }) =>
        Effect.gen(function*() {
          const userId = yield* answering(payload.user_id)
          const id = yield* taskIdOf(path.task_id)
          const key = idempotencyOf(yield* CurrentUser, headers["idempotency-key"], { id, ...payload })
          return accepted(
            yield* key === undefined
              ? tasks.message(id, payload.message, userId)
              : tasks.messageOnce(id, payload.message, userId, key)
          )
        }))
      .handle("cancel", ({ path, payload }) =>
        Effect.map(
          onTask(path, (id) => tasks.cancel(id, Option.fromNullable(payload.reason))),
          accepted
        ))
      .handle("retry", ({ path }) => Effect.map(onTask(path, tasks.retry), accepted))
      .handle("events", ({ path, request, ...from }) =>
        Effect.flatMap(
          onTask(path, (id) => tasks.events(id, lastEventOf(from))),
          (events) => eventStream(request, events)
        ))
      .handle("allEvents", ({ request, ...from }) =>
        Effect.flatMap(tasks.allEvents(lastEventOf(from)), (events) =>
          eventStream(request, events)))
      .handle("messages", ({ path, urlParams }) =>
        onTask(path, (id) => tasks.messages(id, urlParams.full)))
      .handle("usage", ({ path, urlParams }) =>
        Effect.flatMap(ownIdOf(path.user_id), (userId) =>
          tasks.usage(userId, urlParams)))
      .handle("workerHealth", () =>
        workers.report)
  }))
