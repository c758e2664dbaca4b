import { TaskId, type UserId } from "@troupe/domain/Ids"
import { viewOf } from "@troupe/domain/Message"
import { conversation, replay, shown } from "@troupe/domain/Run"
import {
  IdempotencyConflict,
  type Task,
  TaskNotFound,
  TaskRequestInvalid,
  TaskStateConflict
} from "@troupe/domain/Task"
import { outputsOf } from "@troupe/domain/TaskLog"
import { isTerminal, type TaskEvent, transition } from "@troupe/domain/TaskState"
import { titleOf } from "@troupe/domain/TaskTitle"
import { DateTime, Effect, Either, Layer, Option } from "effect"
import { v7 } from "uuid"
import { Sandbox } from "../File/Sandbox.ts"
import { Users } from "../People/Users.ts"
import { storable } from "../Runtime/StorableText.ts"
import { continuation, openingRun } from "./FirstMessage.ts"
import { Runners } from "./Runners.ts"
import { Shards } from "./Shards.ts"
import { TaskCommands } from "./TaskCommands.ts"
import { TaskEvents } from "./TaskEvents.ts"
import { parsePosition } from "./TaskFrames.ts"
import { type NewTask, TaskRepo } from "./TaskRepo.ts"
import { type TaskFilter, type TaskRequest, Tasks } from "./Tasks.ts"
import { newTaskView, taskOf, type TaskRow } from "./TaskView.ts"

/** Nobody signs in to a self-hosted service: all its callers are one, whatever user they make a task for. */
const caller = "self-hosted"

/** The use-cases over PostgreSQL. It runs no actors, so any process may have it. */
export const TasksLayer: Layer.Layer<
  Tasks,
  never,
  TaskRepo | TaskCommands | TaskEvents | Shards | Runners | Sandbox | Users
> = Layer.effect(
  Tasks,
  Effect.gen(function*() {
    const repo = yield* TaskRepo
    const commands = yield* TaskCommands
    const taskEvents = yield* TaskEvents
    const shards = yield* Shards
    const runners = yield* Runners
    const sandbox = yield* Sandbox
    const users = yield* Users

    const findWhole = Effect.fnUntraced(function*(id: TaskId) {
      return yield* Option.match(yield* repo.findWhole(id), {
        onNone: () => new TaskNotFound({ id }),
        onSome: Effect.succeed
      })
    })
    const findRow = Effect.fnUntraced(function*(id: TaskId) {
      return yield* Option.match(yield* repo.findRow(id), {
        onNone: () => new TaskNotFound({ id }),
        onSome: Effect.succeed
      })
    })
    const find = (id: TaskId): Effect.Effect<Task, TaskNotFound> =>
      Effect.map(findWhole(id), ({ row, steps }) => taskOf(row, Option.some(steps)))

    const list = (filter: TaskFilter) =>
      Effect.map(repo.list(filter), (rows) => rows.map((row) => taskOf(row, Option.none())))

    const contextOf = Effect.fnUntraced(function*(previous: TaskId) {
      const path = "continue_task_id"
      const { row, steps } = yield* findWhole(previous).pipe(
        Effect.mapError(() => new TaskRequestInvalid({ path, reason: `there is no task ${previous}` }))
      )
      if (!isTerminal(row.status)) {
        return yield* new TaskRequestInvalid({ path, reason: `task ${previous} is still ${row.status}` })
      }
      const text = steps.flatMap(outputsOf).findLast((output) => output.type === "text")
      return storable(continuation({ title: titleOf(row), outcome: text?.content ?? row.error ?? "none" }))
    })

    const checkAttachments = (userId: UserId, names: ReadonlyArray<string>) =>
      Effect.forEach(names, (name, index) =>
        sandbox.statFile(userId, name).pipe(
          Effect.mapError(({ reason }) => new TaskRequestInvalid({ path: `attachments.${index}`, reason }))
        ), { discard: true })

    /** The first answer again. An assignee of later, who took the task on by an answer, is none of it. */
    const answerAgain = Effect.fnUntraced(
      function*(
        { assignee }: Pick<TaskRequest, "assignee">,
        { digest, key }: { readonly key: string; readonly digest: string }
      ) {
        const known = yield* repo.findKey(caller, key)
        if (Option.isNone(known) || known.value.digest !== digest) {
          return yield* new IdempotencyConflict({ key, because: "other body" })
        }
        // Removed meanwhile: the key still guards against a second task.
        const row = yield* repo.findRow(TaskId.make(known.value.task_id))
        if (Option.isNone(row)) return yield* new IdempotencyConflict({ key, because: "task deleted" })
        return newTaskView({ ...row.value, assignee: Option.getOrNull(assignee) })
      }
    )

    /** Sees that everything which the request names is there, and answers what the new task goes on from. */
    const lookUp = (request: TaskRequest) =>
      Effect.zipRight(
        checkAttachments(request.userId, request.attachments),
        Effect.transposeMapOption(request.continueTaskId, contextOf)
      )

    const submit = Effect.fn("Tasks.submit")(function*(request: TaskRequest) {
      const found = yield* Effect.either(lookUp(request))
      if (Either.isLeft(found)) {
        // A request that was taken is answered again, even if what it names is gone by now.
        const { idempotency } = request
        const known = yield* Effect.transposeMapOption(idempotency, ({ key }) => repo.findKey(caller, key))
        return Option.isSome(idempotency) && Option.isSome(Option.flatten(known))
          ? yield* answerAgain(request, idempotency.value)
          : yield* found.left
      }
      const context = found.right
      const task: NewTask = {
        ...yield* identify(shards),
        creator: request.userId,
        assignee: Option.getOrNull(request.assignee),
        title: Option.getOrNull(request.title),
        description: request.message,
        context: Option.getOrNull(context),
        project_id: Option.getOrNull(request.projectId),
        attachments: request.attachments,
        continued_from: Option.getOrNull(request.continueTaskId),
        token_budget: Option.getOrNull(request.maxTokensTotal),
        caller,
        key: Option.getOrNull(Option.map(request.idempotency, ({ key }) => key)),
        digest: Option.getOrNull(Option.map(request.idempotency, ({ digest }) => digest))
      }
      yield* Effect.forEach([request.userId, ...Option.toArray(request.assignee)], users.meet, { discard: true })
      if (yield* repo.insert(task)) return newTaskView(task)
      return Option.isNone(request.idempotency)
        ? yield* Effect.dieMessage("A task without a key was not inserted")
        : yield* answerAgain(request, request.idempotency.value)
    })

    /** Checks the change against the state machine, then makes it under the same condition. */
    const change = (
      event: (row: TaskRow) => TaskEvent,
      wanted: (row: TaskRow) => string,
      apply: (id: TaskId) => Effect.Effect<boolean>
    ) =>
    (id: TaskId) =>
      Effect.gen(function*() {
        const row = yield* findRow(id)
        const allowed = transition(stateOf(row), event(row))
        if (Either.isRight(allowed) && (yield* apply(id))) return yield* find(id)
        const current = Either.isRight(allowed) ? yield* findRow(id) : row
        return yield* new TaskStateConflict({ id, status: current.status, wanted: wanted(current) })
      })

    const cancel = Effect.fn("Tasks.cancel")(function*(id: TaskId, reason: Option.Option<string>) {
      const error = Option.match(reason, { onNone: () => "Cancelled.", onSome: (text) => `Cancelled: ${text}` })
      return yield* change(
        () => ({ _tag: "Failed", error }),
        () => "it is over, so it can't be cancelled",
        (task) => commands.cancel(task, error)
      )(id)
    })

    const remove = Effect.fn("Tasks.remove")(function*(id: TaskId) {
      const row = yield* findRow(id)
      if (row.archived_at !== null) {
        // It was tried again since it was archived: whoever awaits it is told that it has ended.
        if (!isTerminal(row.status)) yield* commands.cancel(id, "Cancelled: the task was removed.", { silent: true })
        yield* commands.remove(id)
        return
      }
      // Of a task that is over itself, subtasks may still be at work.
      yield* commands.cancel(id, "Cancelled: the task was archived.", { silent: true })
      // Another call may have archived it meanwhile: then this one is the second.
      if (!(yield* commands.archive(id))) yield* commands.remove(id)
    })

    return Tasks.of({
      submit,
      find,
      list,
      subtasks: (id, page) => Effect.zipRight(findRow(id), list({ ...subtasksOf(id), ...page })),
      remove,
      answer: (id, response, userId) =>
        change(
          () => ({ _tag: "Answered" }),
          () => "it does not wait for an answer",
          (task) =>
            Effect.zipRight(
              Effect.transposeMapOption(userId, users.meet),
              commands.answer(task, response, Option.getOrNull(userId))
            )
        )(id),
      cancel,
      retry: change(() => ({ _tag: "Retried" }), whyNotRetried, commands.retry),
      messages: (id, full = false) =>
        Effect.map(findWhole(id), ({ row, steps }) => {
          const run = replay(openingRun(row.description, row), steps.map(({ step }) => step))
          return (full ? conversation(run) : shown(run)).map(viewOf)
        }),
      events: (id, after) =>
        Effect.map(
          findRow(id),
          ({ status }) =>
            taskEvents.watch(id, { after: Option.flatMap(after, parsePosition), isOver: isTerminal(status) })
        ),
      workerStatus: (id) =>
        Effect.flatMap(
          runners.statusOf(id),
          Option.match({
            onNone: () => new TaskNotFound({ id }),
            onSome: Effect.succeed
          })
        )
    })
  })
)

const identify = (shards: Shards["Type"]) =>
  Effect.map(DateTime.now, (now) => {
    const id = TaskId.make(v7({ msecs: now.epochMillis }))
    return { id, shard: shards.of(id), created_at: DateTime.formatIso(now) }
  })

const subtasksOf = (id: TaskId): Omit<TaskFilter, "limit" | "cursor"> => ({
  status: Option.none(),
  creator: Option.none(),
  assignee: Option.none(),
  webhookType: Option.none(),
  taskType: Option.none(),
  parentTaskId: Option.some(id),
  q: Option.none(),
  includeArchived: true
})

const whyNotRetried = ({ status, task_type }: TaskRow): string =>
  status === "failed" && task_type === "subtask"
    ? "its parent task has ended or has taken its result already; retry the parent instead"
    : "only a failed task can be retried"

const stateOf = (row: TaskRow) => ({
  type: row.task_type,
  status: row.status,
  question: row.question,
  lastToolCallId: row.last_tool_call_id,
  error: row.error
})
