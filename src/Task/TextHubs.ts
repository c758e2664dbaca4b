import type { TaskId } from "@troupe/domain/Ids"
import { Effect, PubSub, Stream } from "effect"

interface Watched {
  readonly hub: PubSub.PubSub<string>
  watchers: number
}

/** The text of the tasks that somebody watches. A task that nobody watches has no entry, and costs nothing. */
export interface TextHubs {
  /** Hands a piece of text to the watchers; undefined while there are none. */
  readonly publisher: (taskId: TaskId) => ((delta: string) => Effect.Effect<void>) | undefined
  readonly watch: (taskId: TaskId) => Stream.Stream<string>
}

export const makeTextHubs = (): TextHubs => {
  const watched = new Map<TaskId, Watched>()
  const enter = (taskId: TaskId) =>
    Effect.gen(function*() {
      // Sliding: a slow watcher misses pieces, it does not hold the model up.
      const entry = watched.get(taskId) ?? { hub: yield* PubSub.sliding<string>(256), watchers: 0 }
      watched.set(taskId, entry)
      entry.watchers += 1
      return entry
    })
  const leave = (taskId: TaskId) => (entry: Watched) =>
    Effect.sync(() => {
      entry.watchers -= 1
      if (entry.watchers === 0) watched.delete(taskId)
    })
  return {
    publisher: (taskId) => {
      const entry = watched.get(taskId)
      return entry === undefined ? undefined : (delta) => Effect.asVoid(PubSub.publish(entry.hub, delta))
    },
    watch: (taskId) =>
      Stream.unwrapScoped(
        Effect.acquireRelease(enter(taskId), leave(taskId)).pipe(Effect.map(({ hub }) => Stream.fromPubSub(hub)))
      )
  }
}
