import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { CurrentUser } from "@troupe/api/Authentication"
import type { AnyTaskEvent, TaskEvent } from "@troupe/api/TaskEvent"
import type { Accepted } from "@troupe/api/TasksApi"
import { TroupeApi } from "@troupe/api/TroupeApi"
import type { Task } from "@troupe/domain/Task"
import { Effect, Option, Stream } from "effect"
import { allowedOn, answering } from "../People/Access.ts"
import { Identity, whileSignedIn } from "../People/Identity.ts"
import { userIdOf } from "../People/Users.ts"
import { linkedPage } from "../Runtime/Page.ts"
import { WorkerHealth } from "./Runners.ts"
import { chatTask, digestOf, taskIdOf, Tasks } from "./Tasks.ts"

const accepted = (task: Task) =>
  HttpServerResponse.unsafeJson(
    { task_id: task.id, status: task.status, task } satisfies typeof Accepted.Encoded,
    { status: 202, headers: { location: `/task/${task.id}` } }
  )

const found = (value: Task | ReadonlyArray<Task>) => HttpServerResponse.unsafeJson(value)

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
const frame = (event: AnyTaskEvent | TaskEvent) =>
  encoder.encode(
    `${"id" in event ? `id: ${event.id}\n` : ""}event: ${event._tag}\ndata: ${JSON.stringify(data(event))}\n\n`
  )
const eventStream = (events: Stream.Stream<AnyTaskEvent | TaskEvent>) =>
  HttpServerResponse.stream(Stream.map(events, frame), { contentType: "text/event-stream" })

export const TasksHttp = HttpApiBuilder.group(TroupeApi, "tasks", (handlers) =>
  Effect.gen(function*() {
    const tasks = yield* Tasks
    const identity = yield* Identity
    const workers = yield* WorkerHealth
    return handlers
      .handle("list", ({ request, urlParams }) =>
        Effect.map(tasks.list(urlParams), (page) =>
          linkedPage(page, { url: request.url, cursorOf: ({ id }) => id })))
      .handle("find", ({ path }) =>
        Effect.map(Effect.flatMap(taskIdOf(path.task_id), tasks.find), found))
      .handle("subtasks", ({ path, request, urlParams }) =>
        taskIdOf(path.task_id).pipe(
          Effect.flatMap((id) => tasks.subtasks(id, urlParams)),
          Effect.map((page) =>
            linkedPage(page, { url: request.url, cursorOf: ({ id }) => id })
          )
        ))
      .handle("remove", ({ path }) => Effect.flatMap(taskIdOf(path.task_id), tasks.remove))
      .handle("workerStatus", ({ path }) => Effect.flatMap(taskIdOf(path.task_id), tasks.workerStatus))
      .handle(
        "chat",
        ({ headers, payload }) =>
          chatTask(payload, headers["idempotency-key"]).pipe(
            Effect.flatMap(tasks.submit),
            Effect.map(accepted)
          )
      )
      .handle("humanResponse", ({ payload }) =>
        Effect.zip(answering(payload.user_id), taskIdOf(payload.task_id)).pipe(
          Effect.flatMap(([userId, id]) => tasks.answer(id, payload.response, userId)),
          Effect.map(accepted)
        ))
      .handle("message", ({ headers, path, payload }) =>
        Effect.all([answering(payload.user_id), taskIdOf(path.task_id), CurrentUser]).pipe(
          Effect.flatMap(([userId, id, caller]) => {
            const key = headers["idempotency-key"]
            return key === undefined
              ? tasks.message(id, payload.message, userId)
              : tasks.messageOnce(id, payload.message, userId, { caller, key, digest: digestOf({ id, ...payload }) })
          }),
          Effect.map(accepted)
        ))
      .handle("cancel", ({ path, payload }) =>
        taskIdOf(path.task_id).pipe(
          Effect.flatMap((id) =>
            tasks.cancel(id, Option.fromNullable(payload.reason))
          ),
          Effect.map(accepted)
        ))
      .handle("retry", ({ path }) =>
        Effect.map(Effect.flatMap(taskIdOf(path.task_id), tasks.retry), accepted))
      .handle("events", ({ headers, path, request, urlParams }) =>
        taskIdOf(path.task_id).pipe(
          Effect.flatMap((id) =>
            tasks.events(id, Option.fromNullable(headers["last-event-id"] ?? urlParams.last_event_id))
          ),
          Effect.zipWith(CurrentUser, (events, caller) =>
            eventStream(whileSignedIn(identity, caller, request.headers["authorization"])(events)))
        ))
      .handle("allEvents", ({ headers, request, urlParams }) =>
        Effect.zipWith(
          tasks.allEvents(Option.fromNullable(headers["last-event-id"] ?? urlParams.last_event_id)),
          CurrentUser,
          (events, caller) => eventStream(whileSignedIn(identity, caller, request.headers["authorization"])(events))
        ))
      .handle("messages", ({ path, urlParams }) =>
        Effect.flatMap(taskIdOf(path.task_id), (id) =>
          tasks.messages(id, urlParams.full)))
      .handle("usage", ({ path }) =>
        Effect.zipRight(allowedOn(path.user_id), Effect.flatMap(userIdOf(path.user_id), tasks.usage)))
      .handle("workerHealth", () =>
        workers.report)
  }))
