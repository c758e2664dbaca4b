import type { AnyTaskEvent } from "@troupe/api/TaskEvent"
import { TaskId, UserId } from "@troupe/domain/Ids"
import { Effect, Option, PubSub, RcRef, Schema, Struct } from "effect"
import { prepared, PreparedStatements, type Row } from "../../Runtime/Database/PreparedStatements.ts"
import { timestamp } from "../../Runtime/Database/TimestampColumn.ts"
import { StepRow } from "../Row/TaskRow.ts"
import { TaskSignals } from "../Row/TaskSignals.ts"
import { type EventPage, type EventRow, type EventTopic, type News, publishPage, repeatedly } from "./EventTopic.ts"
import { isAfter, type Position, startOf } from "./Position.ts"
import { framesOf } from "./TaskFrames.ts"

/** The signals of other processes concern the tasks that are watched alone, so this is how late an event may come. */
const pollInterval = "500 millis"

const delayedInterval = "100 millis"

/** The more streams are open, the longer the reader gathers events, so that all of them together cost the same. */
const gatherMillis = (streams: number): number => Math.min(250, 25 + streams)

const maxNews = 16

/** The topic of all tasks, whose reader runs while there is a stream. Events wait for the oldest writing transaction. */
export const makeAllTasksTopic = Effect.gen(function*() {
  const { execute } = yield* PreparedStatements
  const signals = yield* TaskSignals

  const readAfter = Effect.fnUntraced(function*(after: Position) {
    const found = yield* execute(readEvents({ xact: String(after.xact), task: after.task, seq: after.seq }))
    const [first] = found
    const rows = yield* Effect.forEach(found.filter((row) => row["task_id"] !== null), frameRow)
    const hasMore = first?.["has_more"] === true
    const oldestOpen = startOf(BigInt(String(first?.["oldest_open"])))
    return {
      rows,
      end: hasMore ? rows.at(-1)?.position ?? after : oldestOpen,
      hasMore,
      // The position comes from another database server: this one has not had so many transactions.
      isReset: isAfter(after, oldestOpen),
      // A transaction is open, so its rows and all later ones can't be read yet.
      isDelayed: first?.["is_delayed"] === true
    } satisfies EventPage<AnyTaskEvent, Position> & { readonly isDelayed: boolean }
  })

  const open = Effect.gen(function*() {
    const [row] = yield* Effect.orDie(execute(findOldestOpen({})))
    const news = yield* PubSub.sliding<News<AnyTaskEvent, Position>>(maxNews)
    const position = startOf(BigInt(String(row?.["oldest_open"])))
    const topic: EventTopic<AnyTaskEvent, Position> = { news, position, begin: () => Effect.void }
    const streams = { open: 0 }
    const toRead = yield* Effect.makeLatch(false)
    yield* repeatedly(
      "Reading the events of all tasks",
      Effect.gen(function*() {
        yield* toRead.close
        const page = yield* readAfter(topic.position)
        if (page.rows.length > 0) yield* publishPage(topic, page)
        if (page.hasMore) return
        yield* Effect.timeoutOption(toRead.await, page.isDelayed ? delayedInterval : pollInterval)
        yield* Effect.sleep(gatherMillis(streams.open))
      })
    )
    yield* signals.onStepped(() => void toRead.unsafeOpen())
    return { topic, streams }
  })
  const opened = yield* RcRef.make({ acquire: open })

  return {
    readAfter,
    topic: Effect.flatMap(RcRef.get(opened), ({ topic, streams }) =>
      Effect.acquireRelease(
        Effect.sync(() => streams.open++),
        () => Effect.sync(() => streams.open--)
      ).pipe(Effect.as(topic)))
  }
})

const decodeStep = Schema.decodeUnknown(StepRow)
const decodePeople = Schema.decodeUnknownOption(Schema.Array(Schema.NullOr(UserId)))

/** Unreadable or deleted rows have no events; the stream goes on. */
const frameRow = (row: Row): Effect.Effect<EventRow<AnyTaskEvent>> => {
  const position = { xact: BigInt(String(row["xact_id"])), task: String(row["task_id"]), seq: Number(row["seq"]) }
  // Without readable people, only admins see content.
  const people = Option.getOrElse(decodePeople(row["people"]), () => [])
  return Effect.map(eventsOf(row, position), (events) => ({ position, people, events }))
}

const eventsOf = (row: Row, { seq, task, xact }: Position): Effect.Effect<ReadonlyArray<AnyTaskEvent>> => {
  const task_id = TaskId.make(task, { disableValidation: true })
  const of = (index: number) => ({ id: `${xact}.${task}.${seq}.${index}`, task_id })
  const only = (event: AnyTaskEvent) => Effect.succeed([event])
  if (row["at"] === null) return Effect.succeed([])
  if (seq === deletionNumber) return only({ _tag: "deleted", ...of(0) })
  if (seq === 0) {
    if (row["is_archived"] === true) return only({ _tag: "archived", ...of(0) })
    if (row["superseded"] === true) return only({ _tag: "restored", ...of(0) })
    return only({ _tag: "status", ...of(0), status: "pending", error: null, ended_by: null, end_label: null })
  }
  return decodeStep(row).pipe(
    Effect.map((entry) =>
      framesOf(entry, row["is_subtask"] === true ? "subtask" : "task", null).flatMap(
        (event, index): Array<AnyTaskEvent> => {
          if (event._tag === "log") return [{ _tag: "log", ...of(index), entry: event.entry }]
          return event._tag !== "status" || row["superseded"] === true
            ? []
            : [{ _tag: "status", ...of(index), ...Struct.pick(event, "status", "error", "ended_by", "end_label") }]
        }
      )
    ),
    Effect.catchAll((cause) =>
      Effect.as(Effect.logWarning(`Step ${seq} of task ${task} can't be read; its events are left out`, cause), [])
    )
  )
}

const maxEventsRead = 256

const pageBytes = 1_000_000

const oldestOpen = "pg_snapshot_xmin(pg_current_snapshot())"

/** The number of the oldest open transaction: everything before it is committed or rolled back. */
export const findOldestOpen = prepared("events_oldest_open", [], `select ${oldestOpen} as oldest_open`)

/** `number`: the number of the step within its task. */
const rowsAfter = (table: string, { id, number, rest }: Readonly<Record<"id" | "number" | "rest", string>>): string =>
  `(select xact_id, ${id} as task_id, ${number} as seq, ${rest} from ${table}
    where (xact_id, ${id}, ${number}) > ($xact::xid8, $task::uuid, $seq::integer) and xact_id < ${oldestOpen}
    order by 1, 2, 3 limit ${maxEventsRead})`

/** The number of a task's deletion: greater than the number of any step. */
const deletionNumber = 999_999_999

/**
 * The rows after a position, or one without a task: steps, tasks, whose creation has the number 0, and deleted tasks. An
 * archived task has its archiving instead of its creation, and a restored one its restoring. A step is `superseded` if a
 * later one has an earlier transaction number; so is the creation of a task that was restored.
 */
export const readEvents = prepared(
  "events_read",
  ["xact", "task", "seq"],
  `with page as (
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
)
