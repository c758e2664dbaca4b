import { TaskId } from "@troupe/domain/Ids"
import { Effect, Redacted } from "effect"
import { Client } from "pg"
import { DatabaseUrl } from "../../src/Runtime/Database/DatabaseUrl.ts"
import { Tasks } from "../../src/Task/UseCase/Tasks.ts"
import { askHuman, dispatchSubagent } from "../../src/Tool/ParkingTools.ts"
import { eventually } from "../support/Eventually.ts"
import { call, says, scriptedModel, type Turn } from "../support/ScriptedModel.ts"
import { stepsOf } from "../support/TaskRows.ts"
import { Wire } from "../support/TaskWorld.ts"

export const tools = [dispatchSubagent, askHuman]

/** A call that sends out a subtask. */
export const dispatch = (id: string, work: string, more: object = {}) =>
  call(id, "dispatch_subagent", { task_description: work, ...more })

/** A model that plays one script for each conversation, known by how it begins: any number may go on at a time. */
export const cast = (scripts: Readonly<Record<string, ReadonlyArray<Turn>>>) => {
  const turn: Turn = (asked) => {
    const opening = asked.messages[0]?.content ?? ""
    const name = Object.keys(scripts).find((name) => opening.includes(name)) ?? "nobody"
    const place = asked.messages.filter(({ role }) => role === "assistant").length
    return (scripts[name]?.[place] ?? says("Done."))(asked)
  }
  return scriptedModel(...Array.from({ length: 100 }, () => turn))
}

/** The subtasks of a task, in the order of their calls. */
export const childrenOf = (id: TaskId) =>
  Effect.gen(function*() {
    const tasks = yield* Tasks
    const { query } = yield* Wire
    const rows = yield* query<{ id: string }>("select id from tasks where parent_task_id = $1 order by id", [id])
    return yield* Effect.forEach(rows, (row) => tasks.find(TaskId.make(row.id)))
  })

/** The ids of its subtasks, once there are so many. */
export const childIdsOf = (id: TaskId, count: number) =>
  Effect.map(
    eventually(childrenOf(id), (children) => children.length === count),
    (children) => children.map((child) => child.id)
  )

/** The tool results of a task, as its model sees them. */
export const resultsOf = (id: TaskId) =>
  Effect.gen(function*() {
    const tasks = yield* Tasks
    return (yield* tasks.messages(id)).flatMap((message) => message.role === "tool" ? [message.content] : [])
  })

/** How often a task was woken, and what is left of commands and counts. */
export const traceOf = (id: TaskId) =>
  Effect.gen(function*() {
    const { query } = yield* Wire
    const [left] = yield* query<{ commands: number; open: number | null; locked: boolean }>(
      `select (select count(*)::integer from inbox where task_id = $1) as commands, subtasks_open as open,
         resume_locked_until is not null as locked from actors where task_id = $1`,
      [id]
    )
    return { ...left, woken: (yield* stepsOf(id)).flatMap((step) => step.kind === "woken" ? [step.reason] : []) }
  })

/** Runs statements outside the pool, for a transaction that stays open. */
export const anotherConnection = Effect.gen(function*() {
  const url = yield* DatabaseUrl
  const client = yield* Effect.acquireRelease(
    Effect.promise(async () => {
      const client = new Client({ connectionString: Redacted.value(url) })
      await client.connect()
      return client
    }),
    (client) => Effect.promise(() => client.end())
  )
  return (text: string, values: ReadonlyArray<unknown> = []) => Effect.promise(() => client.query(text, [...values]))
})

/** Waits until so many connections wait for a lock. */
export const waiters = (count: number) =>
  Effect.flatMap(Wire, ({ query }) =>
    eventually(
      query("select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()"),
      (rows) => rows.length >= count
    ))
