import { TaskId } from "@troupe/domain/Ids"
import { Effect } from "effect"
import { Tasks } from "../../src/Task/Tasks.ts"
import { call, says, scriptedModel, type Turn } from "../support/ScriptedModel.ts"
import { rowOf, stepsOf } from "../support/TaskRows.ts"
import { Wire } from "../support/TaskWorld.ts"

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

export const statusOf = (id: TaskId) => Effect.map(rowOf(id), ({ status }) => status)

/** The subtasks of a task, in the order of their calls. */
export const childrenOf = (id: TaskId) =>
  Effect.gen(function*() {
    const tasks = yield* Tasks
    const { query } = yield* Wire
    const rows = yield* query<{ id: string }>("select id from tasks where parent_task_id = $1 order by id", [id])
    return yield* Effect.forEach(rows, (row) => tasks.find(TaskId.make(row.id)))
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
