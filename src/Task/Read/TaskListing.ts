import type { TaskFilter, TaskQuery } from "@troupe/api/TaskFilter"
import { type Caller, isAdmin } from "@troupe/domain/Caller"
import type { TaskStatus } from "@troupe/domain/Task"
import { maxCount } from "@troupe/domain/TaskCounts"
import { DateTime, Option } from "effect"
import type { ById } from "../../People/User/Access.ts"
import type { Query } from "../../Runtime/Database/PreparedStatements.ts"
import { wakeUp } from "../Row/StatusConditions.ts"
import { summaryColumns } from "../Row/TaskRow.ts"

/** A condition that the status implies and for which there is an index. */
const indexed = (status: TaskQuery["status"]): string => {
  switch (status) {
    case "failed":
      return " and a.error is not null"
    case "waiting_input":
    case "waiting_subagents":
      return " and a.last_tool_call_id is not null"
    case "pending":
    case "running":
      return ` and ${wakeUp("is not null")}`
    default:
      return ""
  }
}

/** Most tasks are completed: from the actors, every archived task would be looked up first. */
const actorsOf = (status: TaskQuery["status"]): string =>
  status === "completed"
    ? "join lateral (select * from actors where task_id = t.id offset 0) a on true"
    : "join actors a on a.task_id = t.id"

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
const withinBytes = (page: string): string =>
  `select * from (
  select page.*, (count(*) over ())::integer as found,
    sum(${bytes}) over (order by id collate "C" desc rows between unbounded preceding and 1 preceding) as bytes_before
  from (${page}) page
) sized where coalesce(bytes_before, 0) < ${pageBytes} order by id collate "C" desc`

/** The first id of a moment: ids of tasks begin with their time. */
const idAt = (time: string): string => {
  const millis = Option.match(DateTime.make(time), { onNone: () => 0, onSome: DateTime.toEpochMillis })
  const hex = Math.max(0, millis).toString(16).padStart(12, "0")
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`
}

const apply = <A, B>(value: A | undefined, f: (value: A) => B): B | undefined =>
  value === undefined ? undefined : f(value)

/** The conditions of a filter, and only those that it needs, so that each can use its index. */
const conditionsOf = (
  { include_archived = false, q, status, ...query }: ById<TaskQuery>,
  reader: Caller | null,
  first: ReadonlyArray<unknown>
) => {
  const names: Array<string> = []
  const conditions: Array<string> = []
  const values: Array<unknown> = [...first]
  const add = (name: string, value: string | undefined, condition: (parameter: string) => string) => {
    if (value === undefined) return
    values.push(value)
    names.push(name)
    conditions.push(condition(`$${values.length}`))
  }
  add("s", status, (p) => `a.status = ${p}::text${indexed(status)}`)
  add("c", query.creator, (p) => `t.creator = ${p}::text`)
  add("a", query.assignee, (p) => `t.assignee = ${p}::text`)
  add("j", query.project_id, (p) => `t.project_id = ${p}::text`)
  add("o", query.source === "api" ? undefined : query.source, (p) => `t.source = ${p}::text`)
  if (query.source === "api") {
    names.push("n")
    conditions.push("t.source is null")
  }
  add("f", apply(query.created_from, idAt), (p) => `t.id >= ${p}::uuid`)
  add("b", apply(query.created_before, idAt), (p) => `t.id < ${p}::uuid`)
  add("d", query.schedule_id, (p) => `t.schedule_id = ${p}::uuid`)
  add("w", query.webhook_type, (p) => `t.webhook_type = ${p}::text`)
  add("p", query.parent_task_id, (p) => `t.parent_task_id = ${p}::uuid`)
  add("q", q === undefined ? undefined : patternOf(q), (p) => `${words} like lower(${p}::text)`)
  const pattern = `lower($${values.length}::text)`
  // The pattern implies this too, of which each part has an index. A text of less than three characters has no keys.
  add(
    "i",
    q === undefined || Array.from(q).length < 3 ? undefined : q,
    (p) =>
      `(char_length(${words}) <= 400 and search_keys(${words}) @> search_keys(lower(${p}::text))
      or char_length(${words}) > 400 and ${words} like ${pattern})`
  )
  add(
    "r",
    q === undefined || reader === null || isAdmin(reader) ? undefined : reader.id,
    (p) => `(${isReadBy(`${p}::text`)} or t.task_type = 'task' and lower(${shownTitle}) like ${pattern})`
  )
  add("k", query.cursor, (p) => `t.id < ${p}::uuid`)
  // Subtasks only when asked for: by their type, or as the children of a task.
  add(
    "t",
    query.task_type ?? (query.parent_task_id === undefined ? "task" : undefined),
    (p) => `t.task_type = ${p}::text`
  )
  if (query.cancelled !== undefined) {
    names.push(query.cancelled ? "x" : "y")
    conditions.push(`(a.error is not null and a.error ~ '^Cancelled[.:]') = ${query.cancelled}`)
  }
  if (!include_archived) conditions.push("t.archived_at is null")
  return {
    where: conditions.length === 0 ? "" : ` where ${conditions.join(" and ")}`,
    name: `${names.join("")}_${status ?? "any"}_${include_archived}`,
    values
  }
}

/**
 * The statement for a page of a list. A member's search finds tasks of others by their titles alone, and no subtasks of
 * others.
 */
export const listing = (query: ById<TaskQuery> & { readonly limit: number }, reader: Caller | null): Query => {
  const { name, values, where } = conditionsOf(query, reader, [query.limit + 1])
  const page = "order by t.id desc limit $1::integer"
  return {
    name: `tasks_list_${name}`,
    // Without a condition on the actor, only the tasks of the page are joined, however many the plan finds.
    text: withinBytes(
      query.status === undefined && query.cancelled === undefined
        ? `select ${summaryColumns} from (select * from tasks t${where} ${page}) t
join actors a on a.task_id = t.id order by t.id desc`
        : `select ${summaryColumns} from tasks t ${actorsOf(query.status)}${where} ${page}`
    ),
    values
  }
}

/** The statement that counts the tasks of a filter with a status, up to a maximum. */
export const counting = (filter: ById<TaskFilter>, status: TaskStatus, reader: Caller | null): Query => {
  const { name, values, where } = conditionsOf({ ...filter, status }, reader, [maxCount])
  return {
    name: `tasks_count_${name}`,
    text: `select count(*)::integer as count from (
  select from tasks t ${actorsOf(status)}${where} limit $1::integer
) counted`,
    values
  }
}
