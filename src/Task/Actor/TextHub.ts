import type { TaskId } from "@troupe/domain/Ids"
import { Effect, PubSub, Stream } from "effect"

interface Hub {
  readonly text: PubSub.PubSub<string>
  watchers: number
}

/** The model's text of the tasks of a shard, for whoever watches them. A task that nobody watches costs nothing. */
export const makeTextHubs = () => {
  const hubs = new Map<TaskId, Hub>()
  const enter = (taskId: TaskId) =>
    // Sliding: a slow watcher misses pieces instead of slowing the model down.
    Effect.map(PubSub.sliding<string>(256), (text) => {
      const hub = hubs.get(taskId) ?? { text, watchers: 0 }
      hub.watchers += 1
      hubs.set(taskId, hub)
      return hub
    })
  const leave = (taskId: TaskId, hub: Hub) =>
    Effect.sync(() => {
      hub.watchers -= 1
      if (hub.watchers === 0) hubs.delete(taskId)
    })
  return {
    /** Undefined while nobody watches the task. */
    publisher: (taskId: TaskId) => {
      const hub = hubs.get(taskId)
      return hub === undefined ? undefined : (delta: string) =>
        // Publishing after the end would interrupt the model call, which goes on to the end of its step.
        Effect.suspend(() => hub.text.isActive() ? Effect.asVoid(PubSub.publish(hub.text, delta)) : Effect.void)
    },
    watch: (taskId: TaskId) =>
      Stream.unwrapScoped(
        Effect.map(
          Effect.acquireRelease(enter(taskId), (hub) => leave(taskId, hub)),
          ({ text }) => Stream.fromPubSub(text)
        )
      ),
    /** Ends the streams of all watchers. */
    end: () => hubs.forEach(({ text }) => Effect.runSync(PubSub.shutdown(text)))
  }
}
