import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import type { HttpServerRequest } from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { CurrentUser } from "@troupe/api/Authentication"
import type { AnyTaskEvent, TaskEvent } from "@troupe/api/TaskEvent"
import type { Accepted } from "@troupe/api/TaskRequests"
import { TroupeApi } from "@troupe/api/TroupeApi"
import { TasksRpc } from "@troupe/api/TroupeRpcs"
import type { Task } from "@troupe/domain/Task"
import { Chunk, Effect, Option, Stream, Struct } from "effect"
import { Buffer } from "node:buffer"
import { Identity, whileSignedIn } from "../People/SignIn/Identity.ts"
import { answering, filterOf, ownIdOf, sending } from "../People/User/Access.ts"
import { Users } from "../People/User/Users.ts"
import { memoized } from "../Runtime/Cache.ts"
import { linkedPage, nextCursor } from "../Runtime/Database/Page.ts"
import { BulkOperations } from "./Bulk/BulkOperations.ts"
import { via, viaClient } from "./Command/CurrentVia.ts"
import { WorkerHealth } from "./Read/Runners.ts"
import { Limits } from "./Spending/Limits.ts"
import { chatTask } from "./UseCase/ChatTask.ts"
import { PersonalData } from "./UseCase/PersonalData.ts"
import { idempotencyOf, onTask, taskIdOf, Tasks } from "./UseCase/Tasks.ts"
import { type ExportedLine, TaskSteps } from "./UseCase/TaskSteps.ts"

export const accepted = (task: Task) =>
  HttpServerResponse.unsafeJson(
    { task_id: task.id, status: task.status, task } satisfies typeof Accepted.Encoded,
    { status: 202, headers: { location: `/task/${task.id}` } }
  )

const encoder = new TextEncoder()
const data = (event: AnyTaskEvent | TaskEvent): unknown => {
  const task = "task_id" in event ? { task_id: event.task_id } : {}
  if (event._tag === "log") return { ...task, ...event.entry }
  if (event._tag === "usage") return event.usage
  return event._tag === "text" ? { delta: event.delta } : Struct.omit(event, "_tag", "id")
}

/** All readers of the events of all tasks get the same objects, so each event is encoded once in a process. */
const frame = memoized((event: AnyTaskEvent | TaskEvent): Uint8Array =>
  encoder.encode(
    `${"id" in event ? `id: ${event.id}\n` : ""}event: ${event._tag}\ndata: ${JSON.stringify(data(event))}\n\n`
  )
)

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
    const users = yield* Users
    const workers = yield* WorkerHealth
    const limits = yield* Limits

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
        Effect.map(Effect.flatMap(filterOf(users, urlParams), tasks.list), (page) =>
          linkedPage(page, {
            url: request.url,
            cursorOf: ({ id }) =>
              id
          })))
      .handle("counts", ({ urlParams }) =>
        Effect.flatMap(filterOf(users, urlParams), tasks.counts))
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
      .handle("remove", ({ path, request }) =>
        viaClient(request)(onTask(path, tasks.remove)))
      .handle("workerStatus", ({ path }) => onTask(path, tasks.workerStatus))
      .handle(
        "chat",
        ({ headers, payload }) =>
          Effect.map(
            Effect.flatMap(chatTask({ tasks, users }, payload, headers["idempotency-key"]), tasks.submit),
            accepted
          )
      )
      .handle("humanResponse", ({ payload, request }) =>
        Effect.flatMap(
          answering(users, payload.user_id),
          (userId) =>
            onTask(payload, (id) =>
              tasks.answer(id, payload.response, userId, { call: payload.tool_call_id, fields: payload.fields }))
        ).pipe(Effect.map(accepted), viaClient(request)))
      .handle("message", ({ headers, path, payload, request }) =>
        Effect.gen(function*() {
          const userId = yield* sending(users, payload.user_id)
          const id = yield* taskIdOf(path.task_id)
          const key = idempotencyOf(yield* CurrentUser, headers["idempotency-key"], { id, ...payload })
          return accepted(
            yield* key === undefined
              ? tasks.message(id, payload.message, userId)
              : tasks.messageOnce(id, payload.message, userId, key)
          )
        }).pipe(viaClient(request)))
      .handle("cancel", ({ path, payload, request }) =>
        onTask(path, (id) =>
          tasks.cancel(id, Option.fromNullable(payload.reason))).pipe(
            Effect.map(accepted),
            viaClient(request)
          ))
      .handle("restore", ({ path }) =>
        onTask(path, tasks.restore))
      .handle("retry", ({ path }) =>
        Effect.map(onTask(path, tasks.retry), accepted))
      .handle("events", ({ path, request, ...from }) =>
        Effect.flatMap(
          onTask(path, (id) => tasks.events(id, lastEventOf(from))),
          (events) => eventStream(request, events)
        ))
      .handle("allEvents", ({ request, ...from }) =>
        Effect.flatMap(tasks.allEvents(lastEventOf(from)), (events) =>
          eventStream(request, events)))
      .handle("messages", ({ path, urlParams }) =>
        onTask(path, (id) =>
          tasks.messages(id, urlParams.full)))
      .handle("usage", ({ path, urlParams }) =>
        Effect.flatMap(ownIdOf(path.user_id), (userId) =>
          Effect.zipWith(
            tasks.usage(userId, urlParams),
            limits.spending({ user: userId, from: urlParams.from ?? null, to: urlParams.to ?? null }),
            (usage, spending) => ({ ...usage, spending })
          )))
      .handle("workerHealth", () => workers.report)
  }))

export const PersonalDataHttp = HttpApiBuilder.group(
  TroupeApi,
  "personalData",
  (handlers) =>
    Effect.map(
      PersonalData,
      (data) => handlers.handle("erase", ({ path }) => Effect.flatMap(ownIdOf(path.user_id), data.erase))
    )
)

export const BulkOperationsHttp = HttpApiBuilder.group(
  TroupeApi,
  "taskBulk",
  (handlers) =>
    Effect.map(Effect.all([BulkOperations, Users]), ([operations, users]) =>
      handlers
        .handle("start", ({ headers, payload }) =>
          Effect.gen(function*() {
            const key = idempotencyOf(yield* CurrentUser, headers["idempotency-key"], payload)
            return yield* operations.start(
              { ...payload, filter: yield* filterOf(users, payload.filter, "filter.") },
              key
            )
          }))
        .handle("find", ({ path }) => operations.find(path.bulk_id)))
)

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

export const TasksRpcLayer = TasksRpc.toLayer(
  Effect.map(Effect.all([Tasks, Users]), ([tasks, users]) =>
    TasksRpc.of({
      submit: ({ idempotency_key, ...payload }) =>
        Effect.flatMap(chatTask({ tasks, users }, payload, idempotency_key), tasks.submit),
      get: (request) => onTask(request, tasks.find),
      list: (query) =>
        Effect.map(
          Effect.flatMap(filterOf(users, query), tasks.list),
          (page) => ({ items: page.items, next: nextCursor(page) })
        ),
      watch: ({ after, ...request }) =>
        Stream.unwrap(onTask(request, (id) => tasks.events(id, Option.fromNullable(after)))),
      answer: ({ fields, response, tool_call_id: call, user_id, ...request }) =>
        onTask(
          request,
          (id) =>
            Effect.flatMap(answering(users, user_id), (userId) => tasks.answer(id, response, userId, { call, fields }))
        ).pipe(via("api")),
      message: ({ message, user_id, ...request }) =>
        onTask(
          request,
          (id) => Effect.flatMap(sending(users, user_id), (userId) => tasks.message(id, message, userId))
        ).pipe(via("api")),
      cancel: ({ reason, ...request }) =>
        onTask(request, (id) => tasks.cancel(id, Option.fromNullable(reason))).pipe(via("api")),
      retry: (request) => onTask(request, tasks.retry)
    }))
)
