import type { AnyTaskEvent, TaskEvent } from "@troupe/api/TaskEvent"
import type { UserId } from "@troupe/domain/Ids"
import { Chunk, Effect, Option, PubSub, Queue, type Scope, Stream } from "effect"
import { memoized } from "../../Runtime/Cache.ts"
import { isAfter, type Position, type ResumePoint } from "./Position.ts"
import { outlineEvents } from "./TaskFrames.ts"

/** The events of a row of the database, made once for all of their readers. */
export interface EventRow<Event> {
  readonly position: Position
  /** Who may read the content of the task; in a stream of one task this is decided when it begins. */
  readonly people?: ReadonlyArray<UserId | null>
  readonly events: ReadonlyArray<Event>
}

export interface EventPage<Event, At extends Position> {
  readonly rows: ReadonlyArray<EventRow<Event>>
  readonly end: At
  readonly hasMore: boolean
  /** The rows are deleted, or can't be read: streams that reconnect read them, and fail with the reason. */
  readonly isLast?: boolean
  /** The position that it was read after is none of this database. */
  readonly isReset?: boolean
}

/** What the streams of a topic receive. `after`: where the reader was; a stream that is not there yet has missed some. */
export type News<Event, At extends Position> =
  | { readonly _tag: "Page"; readonly after: At; readonly page: EventPage<Event, At> }
  | { readonly _tag: "Text"; readonly after: At; readonly event: Event }

/** What the one reader of these events has read, for all of their streams. */
export interface EventTopic<Event, At extends Position> {
  /** Sliding: a stream that is slower than its events reads the database again. */
  readonly news: PubSub.PubSub<News<Event, At>>
  position: At
  /** A stream has caught up here, and waits for what comes next. */
  readonly begin: (position: At) => Effect.Effect<void>
}

export const publishPage = <Event, At extends Position>(
  topic: EventTopic<Event, At>,
  page: EventPage<Event, At>
): Effect.Effect<void> =>
  Effect.suspend(() => {
    const after = topic.position
    topic.position = page.end
    return PubSub.publish(topic.news, { _tag: "Page", after, page })
  })

interface StreamOptions<Event, At extends Position> {
  readonly topic: Effect.Effect<EventTopic<Event, At>, never, Scope.Scope>
  readonly readAfter: (position: At) => Effect.Effect<EventPage<Event, At>, unknown>
  /** Where to begin; null: with what comes from now on. */
  readonly position: At | null
  /** Events of rows up to here are left out. */
  readonly resumed: Option.Option<ResumePoint>
  readonly opening: (position: At) => ReadonlyArray<Event>
  /** Whether nothing can come after a position, once there are no more rows. */
  readonly isEnd: (position: At) => boolean
  /** Whether the reader may see the content of a task of these people. */
  readonly maySee: (people: ReadonlyArray<UserId | null>) => boolean
}

/** Concurrent reads of past events, so that many new streams leave connections to the hot path. */
const maxPastReads = 2

/** Past events after a position, then those of the topic, each once. The outline of a row is made once too. */
export const makeEventStream = <Event extends AnyTaskEvent | TaskEvent, At extends Position>() =>
  Effect.map(Effect.makeSemaphore(maxPastReads), (reads) => {
    const outlineOf = memoized((events: ReadonlyArray<Event>) => outlineEvents(events))

    return (options: StreamOptions<Event, At>): Stream.Stream<Event> =>
      Stream.unwrapScoped(Effect.gen(function*() {
        const topic = yield* options.topic
        // Subscribe before taking the position, so that no page is missed.
        const news = yield* PubSub.subscribe(topic.news)
        let position = options.position ?? topic.position
        let resumed = Option.getOrNull(options.resumed)
        let isBehind = options.position !== null
        let isOver = false
        const isNew = (row: Position, index: number) =>
          resumed === null || isAfter(row, resumed.row) || (!isAfter(resumed.row, row) && index > resumed.index)
        const shown = ({ events, people = [] }: Omit<EventRow<Event>, "position">) =>
          options.maySee(people) ? events : outlineOf(events)
        const take = (page: EventPage<Event, At>) => {
          if (page.isReset === true) resumed = null
          const events = page.rows.flatMap((row) =>
            isAfter(row.position, position) ? shown(row).filter((_, index) => isNew(row.position, index)) : []
          )
          if (page.isReset === true || isAfter(page.end, position)) position = page.end
          isOver = page.isLast === true || (!page.hasMore && options.isEnd(position))
          return events
        }
        const readPast = reads.withPermits(1)(Effect.suspend(() => options.readAfter(position))).pipe(
          Effect.orDie,
          Effect.flatMap((page) => {
            isBehind = page.hasMore
            const events = take(page)
            return isBehind || isOver ? Effect.succeed(events) : Effect.as(topic.begin(position), events)
          })
        )
        const readNews = Effect.map(Queue.take(news), (one) => {
          isBehind = isAfter(one.after, position)
          if (isBehind) return []
          return one._tag === "Page" ? take(one.page) : shown({ events: [one.event] })
        })
        // One operator, because each holds about 10 kB while the stream is open.
        return Stream.unfoldChunkEffect(true, (isFirst) =>
          isOver ? Effect.succeedNone : Effect.map(
            isFirst ? Effect.succeed(options.opening(position)) : isBehind ? readPast : readNews,
            (events) => Option.some([Chunk.unsafeFromArray(events), false])
          ))
      }))
  })

/** Repeats the work of a reader, also after it failed. */
export const repeatedly = (
  what: string,
  work: Effect.Effect<unknown, unknown>
): Effect.Effect<void, never, Scope.Scope> =>
  work.pipe(
    Effect.catchAllCause((cause) =>
      Effect.zipRight(Effect.logWarning(`${what} failed; next attempt in 1 s`, cause), Effect.sleep("1 second"))
    ),
    Effect.forever,
    Effect.forkScoped,
    Effect.asVoid
  )
