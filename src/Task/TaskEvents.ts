import type { TaskId } from "@troupe/domain/Ids"
import { Context, Effect, Layer, Option, PubSub, Stream } from "effect"
import type { PreparedStatements } from "../Runtime/PreparedStatements.ts"
import { Journal } from "./Journal.ts"
import type { LiveText } from "./LiveText.ts"
import { atStart, type FramedStep, frameSteps, type Position } from "./TaskFrames.ts"
import type { TaskEvent } from "./Tasks.ts"
import type { TaskSignals } from "./TaskSignals.ts"
import { makeWatchedTasks, type News } from "./WatchedTasks.ts"

/** Reads of the past at a time: watchers that come together leave the hot path its connections. */
const maxPastReads = 2

const started: TaskEvent = { _tag: "status", id: "0.0", status: "pending", error: null }

/** The streams of events of this process. */
export class TaskEvents extends Context.Tag("troupe/Task/TaskEvents")<TaskEvents, {
  /**
   * Everything after `after`, then what comes, without a gap or a repetition, from any process, with the model's text as
   * a hint. It ends with the terminal status, or when the task is removed. `isOver`: the task was over a moment ago.
   */
  readonly watch: (
    id: TaskId,
    options: { readonly after: Option.Option<Position>; readonly isOver: boolean }
  ) => Stream.Stream<TaskEvent>
}>() {
  static readonly layer: Layer.Layer<
    TaskEvents,
    never,
    Journal | LiveText | PreparedStatements | TaskSignals
  > = Layer.scoped(
    this,
    Effect.gen(function*() {
      const journal = yield* Journal
      const watched = yield* makeWatchedTasks
      const reads = yield* Effect.makeSemaphore(maxPastReads)

      return TaskEvents.of({
        watch: (id, options) =>
          Stream.unwrapScoped(Effect.gen(function*() {
            const watcher = makeWatcher(options.after)
            /** What the database has after the last step of this watcher. */
            const catchUp = Effect.map(
              reads.withPermits(1)(Effect.suspend(() => journal.read(id, watcher.progress().seq))),
              (steps) => watcher.take(frameSteps(watcher.progress(), steps))
            )
            const opening = Option.isNone(options.after) ? [started] : []
            if (options.isOver) {
              opening.push(...yield* catchUp)
              if (watcher.isOver()) return Stream.fromIterable(opening)
            }

            // First subscribe, then read: what is published between the two comes twice and is taken once.
            const task = yield* watched.watch(id)
            const news = yield* PubSub.subscribe(task.news)
            opening.push(...yield* catchUp)
            watched.begin(task, watcher.progress())
            // The reader went further meanwhile, perhaps before this watcher subscribed.
            if ((task.progress?.seq ?? 0) > watcher.progress().seq) opening.push(...yield* catchUp)
            if (watcher.isOver()) return Stream.fromIterable(opening)

            const accept = (one: News): Effect.Effect<ReadonlyArray<TaskEvent>> => {
              if (one._tag === "Removed") return Effect.sync(() => watcher.end())
              const missed = one.after > watcher.progress().seq ? catchUp : Effect.succeed([])
              return Effect.map(missed, (events) => [
                ...events,
                ...(one._tag === "Text" ? [{ _tag: "text" as const, delta: one.delta }] : watcher.take(one.steps))
              ])
            }
            const coming = Stream.fromQueue(news).pipe(
              Stream.mapEffect(accept),
              Stream.takeUntil(watcher.isOver),
              Stream.flattenIterables
            )
            return Stream.concat(Stream.fromIterable(opening), coming)
          }))
      })
    })
  )
}

/** One stream's place in the events of its task. */
const makeWatcher = (after: Option.Option<Position>) => {
  const from = Option.getOrElse(after, () => ({ seq: 0, index: -1 }))
  let progress = atStart
  let isOver = false
  return {
    progress: () => progress,
    isOver: () => isOver,
    end: (): ReadonlyArray<TaskEvent> => {
      isOver = true
      return []
    },
    /** The events of those steps that it has not had yet. */
    take: (steps: ReadonlyArray<FramedStep>): ReadonlyArray<TaskEvent> =>
      steps.flatMap((step) => {
        const { seq } = step.progress
        if (seq <= progress.seq) return []
        progress = step.progress
        isOver = step.isOver ?? isOver
        return seq < from.seq ? [] : seq > from.seq ? step.frames : step.frames.slice(from.index + 1)
      })
  }
}
