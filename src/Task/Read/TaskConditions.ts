import type { TaskQuery } from "@troupe/api/TaskFilter"
import { type Caller, isAdmin } from "@troupe/domain/Caller"
import type { TaskId } from "@troupe/domain/Ids"
import { DateTime, Option, Struct } from "effect"
import type { ById } from "../../People/User/Access.ts"
import { isSleeping, maySleep } from "../Row/StatusConditions.ts"
import { wordsOf } from "./WordBlocks.ts"

/** The title that all members see, at most: `titleOf` counts a character beyond the first plane of Unicode as two. */
const shownTitle = `coalesce(t.title, left(regexp_replace(
    split_part(btrim(t.description, E' \\t\\r\\n'), E'\\n', 1), '[\\U00010000-\\U0010ffff]', '  ', 'g'), 79))`

/** The policy of the steps (migration 0009) for a statement of the service. */
const isReadBy = (reader: string): string =>
  `(${reader} in (t.creator, t.assignee) or exists (
    select from tasks p where p.id = t.parent_task_id and ${reader} in (p.creator, p.assignee)
  ))`

const patternOf = (text: string): string => `%${text.replaceAll(/[\\%_]/g, "\\$&")}%`

/** The first id of a moment: ids of tasks begin with their time. */
export const idAt = (time: string): string => {
  const millis = Option.match(DateTime.make(time), { onNone: () => 0, onSome: DateTime.toEpochMillis })
  const hex = Math.max(0, millis).toString(16).padStart(12, "0")
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`
}

/** Whether a task has the text. A member's search finds tasks of others by their titles alone, and no subtasks of others. */
const isMatch = (q: string, reader: Caller | null, parameter: (value: string) => string): string => {
  const pattern = `lower(${parameter(patternOf(q))})`
  return allOf([
    `${wordsOf("t")} like ${pattern}`,
    ...reader === null || isAdmin(reader)
      ? []
      : [`(${isReadBy(parameter(reader.id))} or t.task_type = 'task' and lower(${shownTitle}) like ${pattern})`]
  ])
}

const tables = { t: { from: "tasks t", id: "t.id" }, a: { from: "actors a", id: "a.task_id" } } as const
export type Table = keyof typeof tables

/** The columns of a filter that have an index in the order of the list, with their types: the rarer values first. */
const indexed = {
  parent_task_id: ["t", "parent_task_id", "uuid"],
  continued_from: ["t", "continued_from", "uuid"],
  schedule_id: ["t", "schedule_id", "uuid"],
  webhook_type: ["t", "webhook_type", "text"],
  agent: ["t", "agent", "text"],
  project_id: ["t", "project_id", "text"],
  assignee: ["t", "assignee", "text"],
  creator: ["t", "creator", "text"],
  source: ["t", "source", "text"],
  ended_by: ["a", "ended_by", "text"],
  status: ["a", "status", "text"]
} as const

/** An index that has ids of tasks in the order of lists: of those with a value of its first column, or of all in a partial index. */
export interface Indexed {
  readonly table: Table
  readonly from: string
  readonly id: string
  readonly column: string | null
  /** The condition that the column has the value, and that of the index. */
  readonly where: string
  /** The same as a range. The planner does not take its column for a constant, so that only this index has the wanted order. */
  readonly range: string
}

/** A partial index. */
export const partial = (table: Table, where: string): Indexed => ({
  ...tables[table],
  table,
  column: null,
  where,
  range: where
})

/** The tasks with a value, a parameter or literal. */
export const indexedBy = (key: keyof typeof indexed, value: string): Indexed => {
  const [table, name] = indexed[key]
  const column = `${table}.${name}`
  const more = key === "ended_by" ? " and a.error is not null" : ""
  return {
    ...tables[table],
    table,
    column,
    where: `${column} = ${value}${more}`,
    range: `${column} between ${value} and ${value}${more}`
  }
}

/** The tasks that may sleep. */
export const sleepers = partial("a", maySleep("a"))

/** A list of tasks; only those with these `ids`, and those from `start` on, if they are given. */
export type ListedTasks = ById<TaskQuery> & {
  readonly ids?: ReadonlyArray<TaskId> | undefined
  readonly start?: TaskId | undefined
}

/** How the tasks ended that the filter wants: a column with an index, in which only failed and cancelled tasks are. */
const endOf = ({ cancelled, status }: ById<TaskQuery>) =>
  cancelled === true ? "cancelled" : cancelled === false && status === "failed" ? "failure" : undefined

/**
 * The conditions of a filter: those that an index answers, those of the rows, and the range of ids. The values of their parameters
 * follow those of `first`.
 */
export const conditionsOf = (
  { archived = false, cursor, ids, include_archived = false, q, start, ...query }: ListedTasks,
  reader: Caller | null,
  first: ReadonlyArray<unknown>
) => {
  const values: Array<unknown> = [...first]
  const parameter = (value: unknown, type: string) => `$${values.push(value)}::${type}`
  const streams: Array<Indexed> = []
  const rest: Readonly<Record<Table, Array<string>>> = { t: [], a: [] }
  if (ids !== undefined) streams.push(partial("t", `t.id = any(${parameter(ids, "uuid[]")})`))
  const given: Partial<Record<keyof typeof indexed, string | undefined>> = { ...query, ended_by: endOf(query) }
  for (const key of Struct.keys(indexed)) {
    const value = given[key]
    if (value === undefined) continue
    if (key === "source" && value === "api") {
      rest.t.push("t.source is null")
      continue
    }
    streams.push(indexedBy(key, parameter(value, indexed[key][2])))
  }
  if (query.cancelled === false && given.ended_by === undefined) rest.a.push("a.ended_by is distinct from 'cancelled'")
  if (query.sleeping === true) streams.push(sleepers)
  if (query.sleeping !== undefined) rest.a.push(`${isSleeping("a")} is ${query.sleeping}`)
  // Subtasks only when asked for: by their type, or as the children of a task.
  const type = query.task_type ?? (query.parent_task_id === undefined ? "task" : undefined)
  const isListed = type === "task" && !archived && !include_archived
  if (type === "subtask") streams.push(partial("t", "t.task_type = 'subtask'"))
  if (type === "task" && !isListed) rest.t.push("t.task_type = 'task'")
  if (archived) streams.push(partial("t", "t.archived_at is not null"))
  else if (!include_archived && !isListed) rest.t.push("t.archived_at is null")
  if (q !== undefined) rest.t.push(isMatch(q, reader, (value) => parameter(value, "text")))
  if (isListed) streams.push(partial("t", "t.task_type = 'task' and t.archived_at is null"))
  if (streams.length === 0) streams.push(partial("t", "true"))
  const bounds: Array<(id: string) => string> = []
  const bound = (value: string | undefined, operator: "<" | "<=" | ">=") => {
    if (value === undefined) return
    const is = parameter(value, "uuid")
    bounds.push((id) => `${id} ${operator} ${is}`)
  }
  bound(query.created_from === undefined ? undefined : idAt(query.created_from), ">=")
  bound(query.created_before === undefined ? undefined : idAt(query.created_before), "<")
  bound(cursor, "<")
  bound(start, "<=")
  const of = (table: Table) => [...streams.flatMap((one) => one.table === table ? [one.where] : []), ...rest[table]]
  return {
    streams,
    /** The conditions that no index answers. */
    rest,
    all: { t: of("t"), a: of("a") },
    /** Whether the last stream is the list without archived tasks and subtasks, which has most tasks. */
    isListed,
    within: (id: string): string => bounds.map((is) => ` and ${is(id)}`).join(""),
    parameter,
    values
  }
}
export type Conditions = ReturnType<typeof conditionsOf>

export const allOf = (conditions: ReadonlyArray<string>): string =>
  conditions.length === 0 ? "true" : conditions.join(" and ")
