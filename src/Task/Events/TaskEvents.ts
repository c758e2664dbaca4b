import type { TaskEvent } from "@troupe/api/TaskEvent"
import type { TaskId } from "@troupe/domain/Ids"
import type { TaskType } from "@troupe/domain/Task"
import { isTerminal } from "@troupe/domain/TaskState"
import { Chunk, Effect, Option, PubSub, Queue, Stream } from "effect"
import { asService } from "../../Runtime/Database/Isolation.ts"
import { Journal } from "../Journal/Journal.ts"
import { atStart, type FramedStep, frameSteps, outlineEvents, type Position } from "./TaskFrames.ts"
import { makeWatchedTasks, type News } from "./WatchedTasks.ts"

/** Concurrent reads of past events, so that many new watchers leave connections to the hot path. */
const maxPastReads = 2

const started: TaskEvent = { _tag: "status", id: "0.0", status: "pending", error: null, ended_by: null }

interface WatchOptions {
  readonly type: TaskType
  readonly after: Option.Option<Position>
  /** The task is finished already. */
  readonly isOver: boolean
  /** The reader may not see content. */
  readonly isOutline: boolean
}

/**
 * Past events after `after`, then live ones from any process, without a gap or repetition, until the task is finished or
 * deleted. Text may be lost.
 */
export const makeTaskEvents = Effect.gen(function*() {
  const journal = yield* Journal
  const watched = yield* makeWatchedTasks
  const reads = yield* Effect.makeSemaphore(maxPastReads)

  return (id: TaskId, options: WatchOptions): Stream.Stream<TaskEvent> =>
    Stream.unwrapScoped(Effect.gen(function*() {
      const watcher = makeWatcher(options)
      const readSteps = Effect.suspend(() => journal.read(id, watcher.progress().seq))
      const catchUp = Effect.map(
        // Row-level security keeps the steps from a reader of the outline, who gets their kinds and times.
        reads.withPermits(1)(options.isOutline ? asService(readSteps) : readSteps),
        (steps) => watcher.take(frameSteps(watcher.progress(), steps))
      )
      const shown = options.isOutline ? outlineEvents : (events: ReadonlyArray<TaskEvent>) => events
      const opening: Array<TaskEvent> = Option.isNone(options.after) ? [started] : []
      if (options.isOver) {
        opening.push(...yield* catchUp)
        if (watcher.isOver()) return Stream.fromIterable(shown(opening))
      }

      // Subscribe first, then read: steps published in between arrive twice, and `take` drops the second.
      const task = yield* watched.watch(id)
      const news = yield* PubSub.subscribe(task.news)
      opening.push(...yield* catchUp)
      yield* watched.begin(task, watcher.progress())
      // The reader may have published more before this watcher subscribed.
      if ((task.progress?.seq ?? 0) > watcher.progress().seq) opening.push(...yield* catchUp)

      const accept = (one: News): Effect.Effect<ReadonlyArray<TaskEvent>> => {
        if (one._tag === "Removed") return Effect.sync(() => watcher.end())
        const missed = one.after > watcher.progress().seq ? catchUp : Effect.succeed([])
        return Effect.map(missed, (events) => [
          ...events,
          ...(one._tag === "Text" ? [{ _tag: "text" as const, delta: one.delta }] : watcher.take(one.steps))
        ])
      }
      // Emptied once they are taken: the stream may stay open for hours.
      const takeOpening = () => opening.splice(0)
      // One operator, because each holds about 10 kB while the stream is open.
      return Stream.unfoldChunkEffect(true, (isFirst) =>
        !isFirst && watcher.isOver() ? Effect.succeedNone : Effect.map(
          isFirst ? Effect.sync(takeOpening) : Effect.flatMap(Queue.take(news), accept),
          (events) => Option.some([Chunk.unsafeFromArray(shown(events)), false])
        ))
    }))
})

const makeWatcher = ({ after, type }: { readonly after: Option.Option<Position>; readonly type: TaskType }) => {
  const from = Option.getOrElse(after, () => ({ seq: 0, index: -1 }))
  let progress = atStart(type)
  let isRemoved = false
  return {
    progress: () => progress,
    isOver: () => isRemoved || isTerminal(progress.status),
    end: (): ReadonlyArray<TaskEvent> => {
      isRemoved = true
      return []
    },
    take: (steps: ReadonlyArray<FramedStep>): ReadonlyArray<TaskEvent> =>
      steps.flatMap((step) => {
        const { seq } = step.progress
        if (seq <= progress.seq) return []
        progress = step.progress
        return seq < from.seq ? [] : seq > from.seq ? step.frames : step.frames.slice(from.index + 1)
      })
  }
}
