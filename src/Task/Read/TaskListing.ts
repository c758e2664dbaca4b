import type { TaskQuery } from "@troupe/api/TaskFilter"
import { type Caller, isAdmin } from "@troupe/domain/Caller"
import type { TaskId } from "@troupe/domain/Ids"
import { isTerminal } from "@troupe/domain/TaskState"
import { DateTime, Option, Struct } from "effect"
import type { ById } from "../../People/User/Access.ts"
import type { Query } from "../../Runtime/Database/PreparedStatements.ts"
import { isSleeping } from "../Row/StatusConditions.ts"
import { summaryColumns } from "../Row/TaskRow.ts"

const words = "lower(coalesce(t.title, '') || ' ' || t.description)"

/** The title that all members see, at most: `titleOf` counts a character beyond the first plane of Unicode as two. */
const shownTitle = `coalesce(t.title, left(regexp_replace(
    split_part(btrim(t.description, E' \\t\\r\\n'), E'\\n', 1), '[\\U00010000-\\U0010ffff]', '  ', 'g'), 79))`

/** The policy of the steps (migration 0009) for a statement of the service. */
const isReadBy = (reader: string): string =>
  `(${reader} in (t.creator, t.assignee) or exists (
    select from tasks p where p.id = t.parent_task_id and ${reader} in (p.creator, p.assignee)
  ))`

const patternOf = (text: string): string => `%${text.replaceAll(/[\\%_]/g, "\\$&")}%`

const pageBytes = 4_000_000

/** The texts of a task that may be long. The length of a stored text is known without reading it. */
const bytes = [
  "title",
  "description",
  "question",
  "plan",
  "error",
  "array_to_string(attachments, ' ')",
  "array_to_string(choices, ' ')"
]
  .map((text) => `coalesce(octet_length(${text}), 0)`).join(" + ")

/** The rows of a page up to its limit of bytes, and at least one; `found` counts those that it would have without. */
export const withinBytes = (page: string): string =>
  `select * from (
  select page.*, (count(*) over ())::integer as found,
    sum(${bytes}) over (order by id collate "C" desc rows between unbounded preceding and 1 preceding) as bytes_before
  from (${page}) page
) sized where coalesce(bytes_before, 0) < ${pageBytes} order by id collate "C" desc`

/** The first id of a moment: ids of tasks begin with their time. */
export const idAt = (time: string): string => {
  const millis = Option.match(DateTime.make(time), { onNone: () => 0, onSome: DateTime.toEpochMillis })
  const hex = Math.max(0, millis).toString(16).padStart(12, "0")
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`
}

/** Whether the index of words has keys of a text: it has those of three characters. */
export const isKeyed = (q: string): boolean => Array.from(q).length >= 3

/** Whether a task has the text. A member's search finds tasks of others by their titles alone, and no subtasks of others. */
export const isMatch = (q: string, reader: Caller | null, parameter: (value: string) => string): string => {
  const pattern = `lower(${parameter(patternOf(q))})`
  return allOf([
    `${words} like ${pattern}`,
    // The pattern implies this too, of which each part has an index.
    ...isKeyed(q)
      ? [`(char_length(${words}) <= 400 and search_keys(${words}) @> search_keys(lower(${parameter(q)}))
      or char_length(${words}) > 400 and ${words} like ${pattern})`]
      : [],
    ...reader === null || isAdmin(reader)
      ? []
      : [`(${isReadBy(parameter(reader.id))} or t.task_type = 'task' and lower(${shownTitle}) like ${pattern})`]
  ])
}

const apply = <A, B>(value: A | undefined, f: (value: A) => B): B | undefined =>
  value === undefined ? undefined : f(value)

/** The columns of a filter that have an index in the order of the list, with their types: the rarer values first. */
const indexed = {
  parent_task_id: ["t.parent_task_id", "uuid"],
  continued_from: ["t.continued_from", "uuid"],
  schedule_id: ["t.schedule_id", "uuid"],
  webhook_type: ["t.webhook_type", "text"],
  agent: ["t.agent", "text"],
  project_id: ["t.project_id", "text"],
  assignee: ["t.assignee", "text"],
  creator: ["t.creator", "text"],
  source: ["t.source", "text"],
  ended_by: ["a.ended_by", "text"],
  status: ["a.status", "text"]
} as const

/** A list of tasks, or only these of it. */
export type ListedTasks = ById<TaskQuery> & { readonly ids?: ReadonlyArray<TaskId> | undefined }

/** Failed tasks have failed or were cancelled: both are in an index, of failed tasks alone. */
const endOf = ({ cancelled, status }: ById<TaskQuery>) =>
  cancelled === true ? "cancelled" : cancelled === false && status === "failed" ? "failure" : undefined

/**
 * The conditions of a filter, and only those that it needs, so that each can use its index. The first indexed
 * column is a range, and leads the order: the planner would prefer the order of ids to the index of a column that it knows
 * to be constant, and read all tasks that are newer than those of the filter. Of unfinished tasks of a user or project, it
 * knows better than this which of the two are few.
 */
export const conditionsOf = (
  { archived = false, cursor, ids, include_archived = false, q, ...query }: ListedTasks,
  reader: Caller | null,
  first: ReadonlyArray<unknown>
) => {
  const ofTask: Array<string> = []
  const ofActor: Array<string> = []
  const values: Array<unknown> = [...first]
  const add = (value: string | undefined, condition: (parameter: string) => string, conditions = ofTask) => {
    if (value === undefined) return
    values.push(value)
    conditions.push(condition(`$${values.length}`))
  }
  const ended_by = endOf(query)
  const given: Partial<Record<keyof typeof indexed, string | undefined>> = { ...query, ended_by }
  const keys = Struct.keys(indexed).filter((key) => given[key] !== undefined)
  const isUnfinished = query.status !== undefined && !isTerminal(query.status)
  const isOfApi = (key: keyof typeof indexed) => key === "source" && query.source === "api"
  const leading = q === undefined && !(isUnfinished && keys.length > 1)
    ? keys.find((key) => !isOfApi(key))
    : undefined
  for (const key of keys) {
    const [column, type] = indexed[key]
    const equals = (p: string) =>
      key === leading ? `${column} between ${p}::${type} and ${p}::${type}` : `${column} = ${p}::${type}`
    if (isOfApi(key)) ofTask.push(`${column} is null`)
    else add(given[key], equals, column.startsWith("a.") ? ofActor : ofTask)
  }
  if (ended_by !== undefined) ofActor.push("a.error is not null")
  else if (query.cancelled === false) ofActor.push("a.ended_by is distinct from 'cancelled'")
  if (query.sleeping !== undefined) ofActor.push(`${isSleeping("a")} is ${query.sleeping}`)
  if (ids !== undefined) ofTask.push(`t.id = any($${values.push(ids)}::uuid[])`)
  // The planner passes no range of ids on from one table to the other.
  const addRange = (value: string | undefined, operator: "<" | ">=") =>
    add(value, (p) => {
      if (ofActor.length > 0) ofActor.push(`a.task_id ${operator} ${p}::uuid`)
      return `t.id ${operator} ${p}::uuid`
    })
  addRange(apply(query.created_from, idAt), ">=")
  addRange(apply(query.created_before, idAt), "<")
  addRange(cursor, "<")
  if (q !== undefined) ofTask.push(isMatch(q, reader, (value) => `$${values.push(value)}::text`))
  // Subtasks only when asked for: by their type, or as the children of a task.
  add(
    query.task_type ?? (query.parent_task_id === undefined ? "task" : undefined),
    (p) => `t.task_type = ${p}::text`
  )
  if (archived) ofTask.push("t.archived_at is not null")
  else if (!include_archived) ofTask.push("t.archived_at is null")
  return {
    tables: ofActor.length === 0 ? "tasks t" : "tasks t join actors a on a.task_id = t.id",
    ofTask: allOf(ofTask),
    ofActor: allOf(ofActor),
    order: `order by ${leading === undefined ? "" : `${indexed[leading][0]} desc, `}t.id desc`,
    isByStatus: leading === "status",
    values
  }
}

const allOf = (conditions: ReadonlyArray<string>): string => conditions.length === 0 ? "true" : conditions.join(" and ")

/** Tasks of the list in which a status is looked for first. */
const maxNewestOfList = 2_000

/**
 * The rows of a page. Those with a status come from the newest tasks of the list, then from all with the status before them:
 * of these, many may be archived, of those, many may have another status.
 */
export const pageOf = (
  { isByStatus, ofActor, ofTask, order, tables }: Omit<ReturnType<typeof conditionsOf>, "values">,
  columns: string
): string => {
  const found = (before: string) =>
    `select ${columns} from ${tables} where ${ofTask} and ${ofActor}${before} ${order} limit $1::integer`
  return isByStatus
    ? `with newest as materialized (
  select t.id from tasks t where ${ofTask} order by t.id desc limit ${maxNewestOfList}
)
(select ${columns} from tasks t where t.id = any(array(
  select a.task_id from actors a where a.task_id = any(array(select id from newest)) and ${ofActor}
  order by a.task_id desc limit $1::integer
)) order by t.id desc)
union all
(${found(` and a.task_id < (select min(id::text)::uuid from newest having count(*) = ${maxNewestOfList})`)})
limit $1::integer`
    : found("")
}

/** The statement for a page of a list. */
export const listing = (query: ListedTasks & { readonly limit: number }, reader: Caller | null): Query => {
  const conditions = conditionsOf(query, reader, [query.limit + 1])
  return {
    name: "tasks_list",
    // Only the tasks of the page are joined, however many the plan finds.
    text: withinBytes(
      `select ${summaryColumns} from (${
        pageOf(conditions, "t.*")
      }) t join actors a on a.task_id = t.id order by t.id desc`
    ),
    values: conditions.values
  }
}
