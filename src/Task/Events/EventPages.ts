import type { AnyTaskEvent } from "@troupe/api/TaskEvent"
import { TaskId, UserId } from "@troupe/domain/Ids"
import { Effect, Option, Schema, Struct } from "effect"
import { type Prepared, PreparedStatements, type Row } from "../../Runtime/Database/PreparedStatements.ts"
import { timestamp } from "../../Runtime/Database/TimestampColumn.ts"
import { StepRow } from "../Row/TaskRow.ts"
import { framesOf } from "./TaskFrames.ts"

export interface EventPosition {
  readonly xact: bigint
  readonly task: string
  readonly seq: number
}

export const noTask = "00000000-0000-0000-0000-000000000000"

const startOf = (xact: bigint): EventPosition => ({ xact, task: noTask, seq: -1 })

export const isAfter = (one: EventPosition, other: EventPosition): boolean =>
  one.xact !== other.xact
    ? one.xact > other.xact
    : one.task !== other.task
    ? one.task > other.task
    : one.seq > other.seq

/** Where a stream resumes: after an event of a row, so that the rest of this row comes first. */
export interface ResumePoint {
  readonly row: EventPosition
  readonly index: number
}

export const parseResumePoint = (id: string): Option.Option<ResumePoint> => {
  const match = /^(\d{1,19})(?:\.([\da-f-]{36})\.(\d{1,9})\.(\d{1,9}))?$/.exec(id)
  const [, xact, task, seq, index] = match ?? []
  if (xact === undefined) return Option.none()
  return Option.some(
    task === undefined
      ? { row: startOf(BigInt(xact)), index: -1 }
      : { row: { xact: BigInt(xact), task, seq: Number(seq) }, index: Number(index) }
  )
}

export const firstIdOf = ({ xact }: EventPosition): string => String(xact)

export interface FramedRow {
  readonly position: EventPosition
  /** Who may read the content of the task. */
  readonly people: ReadonlyArray<UserId | null>
  readonly frames: ReadonlyArray<AnyTaskEvent>
}

const decodeStep = Schema.decodeUnknown(StepRow)
const decodePeople = Schema.decodeUnknownOption(Schema.Array(Schema.NullOr(UserId)))

/** The events of a row. Unreadable or deleted rows yield none; the stream goes on. */
const frameRow = (row: Row): Effect.Effect<FramedRow> => {
  const position = { xact: BigInt(String(row["xact_id"])), task: String(row["task_id"]), seq: Number(row["seq"]) }
  const taskId = TaskId.make(position.task, { disableValidation: true })
  // Without readable people, only admins see content.
  const people = Option.getOrElse(decodePeople(row["people"]), () => [])
  const idOf = (index: number) => `${position.xact}.${position.task}.${position.seq}.${index}`
  if (row["at"] === null) return Effect.succeed({ position, people, frames: [] })
  const only = (event: AnyTaskEvent) => Effect.succeed({ position, people, frames: [event] })
  const of = { id: idOf(0), task_id: taskId }
  if (position.seq === deletionNumber) return only({ _tag: "deleted", ...of })
  if (position.seq === 0) {
    return only(
      row["is_archived"] === true
        ? { _tag: "archived", ...of }
        : row["superseded"] === true
        ? { _tag: "restored", ...of }
        : { _tag: "status", ...of, status: "pending", error: null, ended_by: null }
    )
  }
  return decodeStep(row).pipe(
    Effect.map((entry) => {
      const frames = framesOf(entry, row["is_subtask"] === true ? "subtask" : "task", null).flatMap(
        (event, index): Array<AnyTaskEvent> => {
          const of = { id: idOf(index), task_id: taskId }
          if (event._tag === "log") return [{ _tag: "log", ...of, entry: event.entry }]
          return event._tag !== "status" || row["superseded"] === true
            ? []
            : [{ _tag: "status", ...of, ...Struct.pick(event, "status", "error", "ended_by") }]
        }
      )
      return { position, people, frames }
    }),
    Effect.catchAll((cause) =>
      Effect.as(
        Effect.logWarning(
          `Step ${position.seq} of task ${position.task} can't be read; its events are left out`,
          cause
        ),
        { position, people, frames: [] }
      )
    )
  )
}

export interface EventPage {
  readonly rows: ReadonlyArray<FramedRow>
  readonly end: EventPosition
  readonly hasMore: boolean
  /** The position of the first row that can't be read yet. */
  readonly oldestOpen: EventPosition
  /** A transaction is open, so its rows and all later ones can't be read yet. */
  readonly isDelayed: boolean
}

export const makeEventPages = Effect.map(PreparedStatements, ({ execute }) => ({
  /** Where new rows begin. */
  now: Effect.map(execute(findOldestOpen, []), ([row]) => startOf(BigInt(String(row?.["oldest_open"])))),
  readAfter: Effect.fnUntraced(function*(after: EventPosition) {
    const found = yield* execute(readEvents, [String(after.xact), after.task, after.seq])
    const rows = yield* Effect.forEach(found.filter((row) => row["task_id"] !== null), frameRow)
    const hasMore = found[0]?.["has_more"] === true
    const oldestOpen = startOf(BigInt(String(found[0]?.["oldest_open"])))
    const page: EventPage = {
      rows,
      end: hasMore ? rows.at(-1)?.position ?? after : oldestOpen,
      hasMore,
      oldestOpen,
      isDelayed: found[0]?.["is_delayed"] === true
    }
    return page
  })
}))

const maxEventsRead = 256

const pageBytes = 1_000_000

const oldestOpen = "pg_snapshot_xmin(pg_current_snapshot())"

/** The number of the oldest open transaction: everything before it is committed or rolled back. */
export const findOldestOpen: Prepared = { name: "events_oldest_open", text: `select ${oldestOpen} as oldest_open` }

/** `number`: the number of the step within its task. */
const rowsAfter = (table: string, { id, number, rest }: Readonly<Record<"id" | "number" | "rest", string>>): string =>
  `(select xact_id, ${id} as task_id, ${number} as seq, ${rest} from ${table}
    where (xact_id, ${id}, ${number}) > ($1::xid8, $2::uuid, $3::integer) and xact_id < ${oldestOpen}
    order by 1, 2, 3 limit ${maxEventsRead})`

/** The number of a task's deletion: greater than the number of any step. */
const deletionNumber = 999_999_999

/**
 * The rows after a position, or one without a task: steps, tasks, whose creation has the number 0, and deleted tasks. An
 * archived task has its archiving instead of its creation, and a restored one its restoring. A step is `superseded` if a
 * later one has an earlier transaction number; so is the creation of a task that was restored.
 */
export const readEvents: Prepared = {
  name: "events_read",
  text: `with page as (
  select e.*, t.task_type = 'subtask' as is_subtask, t.archived_at is not null as is_archived, array[t.creator, t.assignee, parent.creator, parent.assignee] as people
  from (
    select * from (
      ${rowsAfter("steps", { id: "task_id", number: "seq", rest: "at, body" })}
      union all
      ${rowsAfter("tasks", { id: "id", number: "0", rest: "created_at, null" })}
      union all
      ${rowsAfter("remembered_tasks", { id: "task_id", number: String(deletionNumber), rest: "at, null" })}
    ) found order by xact_id, task_id, seq limit ${maxEventsRead}
  ) e
  left join tasks t on t.id = e.task_id left join tasks parent on parent.id = t.parent_task_id
), sized as (
  select page.*, count(*) over () as found, row_number() over (order by xact_id, task_id, seq) as number,
    sum(octet_length(body)) over (order by xact_id, task_id, seq rows between unbounded preceding and 1 preceding)
      as bytes_before
  from page
)
select b.*, p.xact_id, p.task_id::text, p.seq, p.body as step, p.people, p.is_subtask, p.is_archived, ${
    timestamp("p.at", "at")
  },
  p.found = ${maxEventsRead} or p.found > count(*) over () as has_more,
  exists (
    select from steps n where n.task_id = p.task_id and n.seq between p.seq + 1 and p.seq + 3 and n.xact_id < p.xact_id
  ) as superseded
from (
  select ${oldestOpen} as oldest_open, pg_snapshot_xmax(pg_current_snapshot()) > ${oldestOpen} as is_delayed
) b left join sized p on coalesce(p.bytes_before, 0) < ${pageBytes}
order by p.number`
}
