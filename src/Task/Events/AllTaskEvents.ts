import type { AnyTaskEvent } from "@troupe/api/TaskEvent"
import type { Caller } from "@troupe/domain/Caller"
import { mayReadContent } from "@troupe/domain/TaskReaders"
import { Chunk, Effect, Option, PubSub, Queue, RcRef, Stream } from "effect"
import { asService } from "../../Runtime/Database/Isolation.ts"
import { TaskSignals } from "../Row/TaskSignals.ts"
import {
  type EventPage,
  type EventPosition,
  firstIdOf,
  type FramedRow,
  isAfter,
  makeEventPages,
  type ResumePoint
} from "./EventPages.ts"
import { outlineEvent } from "./TaskFrames.ts"

/** What the streams receive. `after`: the reader's position before it; a stream that is not there yet has missed some. */
interface News {
  readonly after: EventPosition
  readonly page: EventPage
}

interface Reader {
  readonly news: PubSub.PubSub<News>
  position: EventPosition
  streams: number
}

/** The signals of other processes concern the tasks that are watched alone, so this is how late an event may come. */
const pollInterval = "500 millis"

const delayedInterval = "100 millis"

/** The more streams are open, the longer the reader gathers events, so that all of them together cost the same. */
const gatherMillis = (streams: number): number => Math.min(250, 25 + streams)

const maxNews = 16

/** The outline of a row's events is made once, however many readers get it. */
const outlined = new WeakMap<FramedRow, ReadonlyArray<AnyTaskEvent>>()

const outlines = (row: FramedRow): ReadonlyArray<AnyTaskEvent> => {
  const known = outlined.get(row) ?? row.frames.map(outlineEvent)
  outlined.set(row, known)
  return known
}

/** Concurrent reads of past events, so that many new streams leave connections to the hot path. */
const maxPastReads = 2

/**
 * First its position, then each event once, in order within a task. Events wait for the oldest writing transaction.
 * They have no content where the caller may not see it; null is the service itself, and a self-hosted user.
 */
export const makeAllTaskEvents = Effect.gen(function*() {
  const { now, readAfter } = yield* makeEventPages
  const signals = yield* TaskSignals
  const pastReads = yield* Effect.makeSemaphore(maxPastReads)

  const openReader = Effect.gen(function*() {
    const news = yield* PubSub.sliding<News>(maxNews)
    const reader: Reader = { news, position: yield* Effect.orDie(now), streams: 0 }
    const toRead = yield* Effect.makeLatch(false)

    const read = Effect.gen(function*() {
      yield* toRead.close
      const page = yield* readAfter(reader.position)
      if (page.rows.length > 0) {
        const after = reader.position
        reader.position = page.end
        yield* PubSub.publish(news, { after, page })
      }
      if (page.hasMore) return
      yield* Effect.timeoutOption(toRead.await, page.isDelayed ? delayedInterval : pollInterval)
      yield* Effect.sleep(gatherMillis(reader.streams))
    })
    yield* read.pipe(
      Effect.catchAllCause((cause) =>
        Effect.zipRight(
          Effect.logWarning("Reading the events of all tasks failed; next attempt in 1 s", cause),
          Effect.sleep("1 second")
        )
      ),
      Effect.forever,
      Effect.forkScoped
    )
    yield* signals.onStepped(() => void toRead.unsafeOpen())
    return reader
  })
  const readers = yield* RcRef.make({ acquire: openReader })

  return (after: Option.Option<ResumePoint>, caller: Caller | null): Stream.Stream<AnyTaskEvent> =>
    Stream.unwrapScoped(Effect.gen(function*() {
      const reader = yield* RcRef.get(readers)
      yield* Effect.acquireRelease(
        Effect.sync(() => reader.streams++),
        () => Effect.sync(() => reader.streams--)
      )
      // Subscribe before taking the position, so that no page is missed.
      const news = yield* PubSub.subscribe(reader.news)
      let resumed = after
      let position = Option.match(after, {
        onNone: () => reader.position,
        onSome: ({ row }) => ({ ...row, seq: row.seq - 1 })
      })
      let isBehind = Option.isSome(after)
      const isNew = (at: EventPosition, index: number) =>
        Option.isNone(resumed) || isAfter(at, resumed.value.row) || index > resumed.value.index
      const shownOf = (row: FramedRow) =>
        caller === null || mayReadContent(caller, row.people) ? row.frames : outlines(row)
      const take = ({ end, rows }: EventPage) => {
        const events = rows.flatMap((row) =>
          isAfter(row.position, position) ? shownOf(row).filter((_, index) => isNew(row.position, index)) : []
        )
        if (isAfter(end, position)) position = end
        return events
      }
      const readPast = Effect.map(
        // As the live events, they are read for the service: the statuses of all tasks are for the team.
        pastReads.withPermits(1)(asService(Effect.suspend(() => readAfter(position)))),
        (page) => {
          isBehind = page.hasMore
          // The id comes from another database server: this one has not had so many transactions.
          if (isAfter(position, page.oldestOpen)) {
            position = page.oldestOpen
            resumed = Option.none()
          }
          return take(page)
        }
      ).pipe(Effect.orDie)
      const readNews = Effect.map(Queue.take(news), ({ after, page }) => {
        isBehind = isAfter(after, position)
        return isBehind ? [] : take(page)
      })

      const opening: ReadonlyArray<AnyTaskEvent> | null = Option.isSome(after)
        ? null
        : [{ _tag: "position", id: firstIdOf(position) }]
      return Stream.unfoldChunkEffect(opening, (first) =>
        Effect.map(
          first !== null ? Effect.succeed(first) : isBehind ? readPast : readNews,
          (events) => Option.some([Chunk.unsafeFromArray(events), null])
        ))
    }))
})
