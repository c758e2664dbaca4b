import type { TaskEvent } from "@troupe/api/TaskEvent"
import type { TaskId } from "@troupe/domain/Ids"
import { isTerminal } from "@troupe/domain/TaskState"
import { Array, Clock, Effect, Fiber, PubSub, RcMap, Schema, Stream } from "effect"
import type { ParseError } from "effect/ParseResult"
import { prepared, PreparedStatements, type Row } from "../../Runtime/Database/PreparedStatements.ts"
import { stepColumns, StepRow } from "../Row/TaskRow.ts"
import { TaskSignals } from "../Row/TaskSignals.ts"
import { type EventPage, type EventTopic, type News, publishPage, repeatedly } from "./EventTopic.ts"
import { LiveText } from "./LiveText.ts"
import { atStart, frameSteps, type Progress } from "./TaskFrames.ts"

interface TaskTopic extends EventTopic<TaskEvent, Progress> {
  readonly id: TaskId
  /** A stream has read the past of the task, and waits. */
  isWatched: boolean
  announceAt: number
  text: Fiber.Fiber<void> | null
}

const pollInterval = "2 seconds"

const maxNews = 64

/** Tasks and steps of each that a statement reads: of those that have moved, and to find out which of all have. */
const moved = { tasks: 64, steps: 256 }
const polled = { tasks: 1000, steps: 1 }

const maxAnnounced = 250

/** An announcement holds for two minutes. */
const announceEvery = 60_000

/** The topics of the watched tasks, with one reader for all of them, and the model's text. */
export const makeTaskTopics = Effect.gen(function*() {
  const { execute } = yield* PreparedStatements
  const signals = yield* TaskSignals
  const liveText = yield* LiveText
  const topics = new Map<TaskId, TaskTopic>()
  const stale = new Set<TaskTopic>()
  const toRead = yield* Effect.makeLatch(false)
  let isPollDue = false
  let isAnnounceDue = false

  const readSoon = (...moved: ReadonlyArray<TaskTopic>) => {
    for (const topic of moved) stale.add(topic)
    toRead.unsafeOpen()
  }
  const pollSoon = () => {
    isPollDue = true
    readSoon()
  }

  const textOf = (topic: TaskTopic) =>
    Stream.runForEach(
      liveText.of(topic.id),
      (delta) => PubSub.publish(topic.news, { _tag: "Text", after: topic.position, event: { _tag: "text", delta } })
    )

  /** Follows the actor only while the task is pending or runs: a call to an actor creates one. */
  const followText = (topic: TaskTopic): Effect.Effect<void> =>
    Effect.suspend(() => {
      const { isWatched, position: { status }, text } = topic
      const listens = isWatched && (status === "pending" || status === "running")
      if (listens === (text !== null)) return Effect.void
      if (listens) return Effect.map(Effect.forkDaemon(textOf(topic)), (fiber) => void (topic.text = fiber))
      topic.text = null
      // Ending a call to another runner may take seconds, so neither the last watcher nor the shutdown waits for it.
      return text === null ? Effect.void : Fiber.interruptFork(text)
    })

  const publish = (topic: TaskTopic, rows: ReadonlyArray<Row>, limit: number) =>
    Effect.gen(function*() {
      const { position } = topic
      const page = yield* Effect.orElseSucceed(pageOf(position, rows, limit), () => endAt(position))
      yield* publishPage(topic, page)
      yield* followText(topic)
      if (page.hasMore) readSoon(topic)
    })

  const read = (watched: ReadonlyArray<TaskTopic>, { steps, tasks }: typeof moved) =>
    Effect.forEach(Array.chunksOf(watched, tasks), (some) =>
      Effect.gen(function*() {
        for (const topic of some) stale.delete(topic)
        const rows = yield* execute(readWatched({
          tasks: some.map(({ id }) => id),
          after: some.map(({ position }) => position.seq),
          limit: steps
        }))
        const byTask = Array.groupBy(rows, (row) => String(row["task_id"]))
        for (const topic of some) {
          const found = byTask[topic.id] ?? []
          // A page before may have ended with the terminal step.
          if (found.length > 0 || isTerminal(topic.position.status)) yield* publish(topic, found, steps)
        }
      }).pipe(Effect.tapErrorCause(() => Effect.sync(() => readSoon(...some)))), { discard: true })

  const announceDue = Effect.gen(function*() {
    isAnnounceDue = false
    const now = yield* Clock.currentTimeMillis
    const due = [...topics.values()].filter(({ announceAt, isWatched }) => isWatched && announceAt <= now)
    for (const some of Array.chunksOf(due, maxAnnounced)) {
      for (const row of yield* execute(announce({ tasks: some.map(({ id }) => id) }))) {
        const topic = topics.get(row["task_id"] as TaskId)
        if (topic !== undefined) topic.announceAt = now + announceEvery
      }
    }
  })

  yield* repeatedly(
    "Reading watched tasks",
    Effect.gen(function*() {
      yield* toRead.await
      yield* toRead.close
      const watched = (some: Iterable<TaskTopic>) => [...some].filter(({ isWatched }) => isWatched)
      const isPolled = isPollDue
      isPollDue = false
      if (isPolled) yield* read(watched(topics.values()), polled)
      yield* read(watched(stale), moved)
      if (isPolled || isAnnounceDue) yield* announceDue
    })
  )
  yield* Effect.forkScoped(Effect.forever(Effect.delay(Effect.sync(pollSoon), pollInterval)))
  yield* signals.onStepped((stepped) =>
    stepped === null ? pollSoon() : readSoon(...[...stepped].flatMap((id) => topics.get(id) ?? []))
  )

  const open = (id: TaskId) =>
    Effect.gen(function*() {
      const begin = (position: Progress) =>
        Effect.suspend(() => {
          if (!topic.isWatched) {
            topic.isWatched = true
            topic.position = position
            isAnnounceDue = true
            readSoon()
          }
          return followText(topic)
        })
      const news = yield* PubSub.sliding<News<TaskEvent, Progress>>(maxNews)
      const position = atStart(id, "task")
      const topic: TaskTopic = { id, news, position, begin, isWatched: false, announceAt: 0, text: null }
      const close = Effect.suspend(() => {
        stale.delete(topic)
        // A new watcher may have opened it again.
        if (topics.get(id) === topic) topics.delete(id)
        topic.isWatched = false
        return followText(topic)
      })
      return yield* Effect.acquireRelease(Effect.sync(() => topics.set(id, topic)), () => close).pipe(Effect.as(topic))
    })
  const opened = yield* RcMap.make({ lookup: open })

  return {
    of: (id: TaskId) => RcMap.get(opened, id),
    readAfter: (position: Progress) =>
      Effect.flatMap(
        execute(readWatched({ tasks: [position.task], after: [position.seq], limit: moved.steps })),
        (rows) => pageOf(position, rows, moved.steps)
      )
  }
})

type TaskPage = EventPage<TaskEvent, Progress>

const endAt = (end: Progress): TaskPage => ({ rows: [], end, hasMore: false, isLast: true })

/** The task has been deleted if the only row has no step. */
const pageOf = (after: Progress, rows: ReadonlyArray<Row>, limit: number): Effect.Effect<TaskPage, ParseError> =>
  rows[0]?.["seq"] === null ? Effect.succeed(endAt(after)) : Effect.map(decodeSteps(rows), (steps) => {
    const framed = frameSteps(after, steps)
    const end = framed.at(-1)?.position ?? after
    return { rows: framed, end, hasMore: framed.length === limit }
  })

const decodeSteps = Schema.decodeUnknown(Schema.Array(StepRow))

/**
 * At most `$limit` steps of each of the tasks after the number beside it, in one statement, which reads no steps of
 * a task that has not moved; a row without a step for one that was deleted.
 */
const readWatched = prepared(
  "watch_read",
  ["tasks", "after", "limit"],
  `select w.id::text as task_id, s.*
from unnest($tasks::uuid[], $after::integer[]) as w(id, after)
left join actors a on a.task_id = w.id
left join lateral (
  select ${stepColumns} from steps where task_id = w.id and seq > w.after and a.seq > w.after order by seq limit $limit::integer
) s on true
where a.task_id is null or s.seq is not null
order by w.id, s.seq`
)

/**
 * These tasks count as watched for two minutes: each step is notified to other processes, and a run that begins streams
 * the model's text. Locked rows are skipped, so that no writer waits.
 */
const announce = prepared(
  "watch_announce",
  ["tasks"],
  `with free as materialized (
  select task_id from actors where task_id = any($tasks::uuid[]) order by task_id for no key update skip locked
)
update actors a set watched_until = now() + interval '2 minutes'
from free where a.task_id = free.task_id
returning a.task_id::text`
)
