import type { TaskQuery } from "@troupe/api/TasksApi"
import { type Caller, isAdmin } from "@troupe/domain/Caller"
import type { Prepared } from "../Runtime/PreparedStatements.ts"
import { wakeUp } from "./Actor/ActorConditions.ts"
import { summaryColumns } from "./TaskView.ts"

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

/** The policy of the steps (migration 0099) for a statement of the service. */
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

/**
 * The statement for a filter, with only the conditions that it needs, so that each can use its index. A member's search
 * finds tasks of others by their titles alone, and no subtasks of others.
 */
export const listing = (
  { include_archived = false, limit, q, status, ...query }: TaskQuery & { readonly limit: number },
  reader: Caller | null
): { readonly statement: Prepared; readonly values: ReadonlyArray<unknown> } => {
  const names: Array<string> = []
  const conditions: Array<string> = []
  const values: Array<unknown> = [limit + 1]
  const add = (name: string, value: string | undefined, condition: (parameter: string) => string) => {
    if (value === undefined) return
    values.push(value)
    names.push(name)
    conditions.push(condition(`$${values.length}`))
  }
  add("s", status, (p) => `a.status = ${p}::text${indexed(status)}`)
  add("c", query.creator, (p) => `t.creator = ${p}::text`)
  add("a", query.assignee, (p) => `t.assignee = ${p}::text`)
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
  if (!include_archived) conditions.push("t.archived_at is null")
  const where = conditions.length === 0 ? "" : ` where ${conditions.join(" and ")}`
  const page = "order by t.id desc limit $1::integer"
  return {
    statement: {
      name: `tasks_list_${names.join("")}_${status ?? "any"}_${include_archived}`,
      // Without a condition on the actor, only the tasks of the page are joined, however many the plan finds.
      text: withinBytes(
        status === undefined
          ? `select ${summaryColumns} from (select * from tasks t${where} ${page}) t
join actors a on a.task_id = t.id order by t.id desc`
          : `select ${summaryColumns} from tasks t ${actorsOf(status)}${where} ${page}`
      )
    },
    values
  }
}
