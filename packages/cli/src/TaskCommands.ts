import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import { TaskStatus } from "@troupe/domain/Task"
import { Clock, Effect, Option } from "effect"
import { connection, limitOption, optional, person, textOf, watchOption } from "./Arguments.ts"
import { wrongUsage } from "./CommandFailed.ts"
import { taskIdOf } from "./Ids.ts"
import { Screen, writeDone, writeList } from "./Screen.ts"
import { call, forService, segment } from "./Service.ts"
import { repeated } from "./SubmitCommand.ts"
import { details, taskTable } from "./TaskTree.ts"
import { followAll, watchUntilFinished } from "./WatchTask.ts"

const id = Args.text({ name: "task" }).pipe(Args.withDescription("Id of the task, or the beginning of it"))

export const tasks = Command.make(
  "tasks",
  {
    ...connection,
    status: optional(Options.choice("status", TaskStatus.literals), "Only tasks with this status"),
    user: optional(person("user"), "Only tasks of this user, by id, address or name"),
    query: optional(Options.text("query").pipe(Options.withAlias("q")), "Only tasks with this text"),
    archived: Options.boolean("archived").pipe(Options.withDescription("Archived tasks too")),
    limit: limitOption
  },
  ({ archived, json, limit, query, status, user }) =>
    Effect.gen(function*() {
      const found = yield* call((client) =>
        client.tasks.list({
          urlParams: {
            limit,
            include_archived: archived,
            status: Option.getOrUndefined(status),
            creator: Option.getOrUndefined(user),
            q: Option.getOrUndefined(query)
          }
        })
      )
      const now = yield* Clock.currentTimeMillis
      yield* writeList(found, { json, table: (tasks, paint) => taskTable(tasks, paint, now), none: "No tasks." })
    })
).pipe(forService("Lists tasks, newest first"))

export const show = Command.make(
  "show",
  { ...connection, id, logs: Options.boolean("logs").pipe(Options.withDescription("The log lines too")) },
  ({ id: given, json, logs }) =>
    Effect.gen(function*() {
      const screen = yield* Screen
      const id = yield* taskIdOf(given)
      const path = { task_id: segment(id) }
      const task = yield* call((client) => client.tasks.find({ path, urlParams: {} }))
      const newestFirst = yield* call((client) => client.tasks.subtasks({ path, urlParams: { limit: 1000 } }))
      const subtasks = newestFirst.toReversed()
      if (json) return yield* screen.json({ ...task, subtasks })
      yield* screen.write(details(task, subtasks, { ...screen, logs, now: yield* Clock.currentTimeMillis }))
    })
).pipe(forService("Shows a task with its subtasks, tokens, times and outputs"))

export const watch = Command.make(
  "watch",
  {
    ...connection,
    id: Args.optional(Args.withDescription(id, "Id of the task, or the beginning of it; nothing: all tasks"))
  },
  ({ id, json }) =>
    Option.match(id, {
      onNone: () => followAll(json),
      onSome: (task) => Effect.flatMap(taskIdOf(task), (found) => watchUntilFinished(found, json))
    })
).pipe(
  forService(
    "Shows the events of a task until it is finished, then its output; without a task, those of all tasks from now on"
  )
)

export const cancel = Command.make(
  "cancel",
  { ...connection, id, reason: optional(Options.text("reason"), "The reason, for the task's error") },
  ({ id: given, json, reason }) =>
    Effect.gen(function*() {
      const id = yield* taskIdOf(given)
      const { task } = yield* call((client) =>
        client.tasks.cancel({
          path: { task_id: segment(id) },
          payload: Option.match(reason, { onNone: () => ({}), onSome: (reason) => ({ reason }) })
        })
      )
      yield* writeDone(task, { json, note: "Cancelled, with its subtasks." })
    })
).pipe(forService("Stops a task and its subtasks"))

export const retry = Command.make(
  "retry",
  { ...connection, id, watch: watchOption },
  ({ id: given, json, watch }) =>
    Effect.gen(function*() {
      const { program } = yield* Screen
      const id = yield* taskIdOf(given)
      const { task } = yield* call((client) => client.tasks.retry({ path: { task_id: segment(id) } }))
      if (watch) return yield* watchUntilFinished(task.id, json)
      yield* writeDone(task, { json, note: `The task starts again. Watch it: ${program} watch ${task.id}` })
    })
).pipe(forService("Continues a failed task from its last saved step"))

export const message = Command.make(
  "message",
  {
    ...connection,
    id,
    words: Args.text({ name: "message" }).pipe(
      Args.withDescription("What the agent should know or do; nothing: read from standard input"),
      Args.repeated
    )
  },
  ({ id: beginning, json, words }) =>
    Effect.gen(function*() {
      const screen = yield* Screen
      const given = yield* textOf(words)
      const text = given === "" ? (yield* screen.input).trim() : given
      if (text === "") return yield* wrongUsage("The message is empty.")
      const id = yield* taskIdOf(beginning)
      const { task } = yield* repeated((headers) =>
        call((client) => client.tasks.message({ path: { task_id: segment(id) }, headers, payload: { message: text } }))
      )
      if (json) return yield* screen.json(task)
      if (task.id === id) return yield* screen.note("Sent. The agent's next model call includes it.\n")
      yield* screen.write(`${task.id}\n`)
      yield* screen.note(
        `The task is finished; this new one continues it. Watch it: ${screen.program} watch ${task.id}\n`
      )
    })
).pipe(forService("Sends a message to the agent of a task; continues a finished task"))
