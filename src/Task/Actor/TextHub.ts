import type { TaskId } from "@troupe/domain/Ids"
import { Chunk, Effect, PubSub, Stream } from "effect"

interface Hub {
  readonly text: PubSub.PubSub<string>
  watchers: number
  isHeard: boolean
  /** The text of the current call as long as nobody hears it, for the first watcher. */
  missed: string
}

/** Maximum of characters that are kept for the first watcher. */
const maxMissed = 64 * 1024

/** Live text of the model for the watchers of a shard's tasks. A task without watchers costs nothing. */
export const makeTextHubs = () => {
  const hubs = new Map<TaskId, Hub>()
  // Sliding: a slow watcher misses pieces instead of slowing the model down.
  const make = Effect.map(
    PubSub.sliding<string>(256),
    (text): Hub => ({ text, watchers: 0, isHeard: false, missed: "" })
  )
  const hubOf = (taskId: TaskId): Hub => {
    const hub = hubs.get(taskId) ?? Effect.runSync(make)
    hubs.set(taskId, hub)
    return hub
  }
  const enter = (taskId: TaskId) =>
    Effect.suspend(() => {
      const hub = hubOf(taskId)
      hub.watchers += 1
      return Effect.map(PubSub.subscribe(hub.text), (news) => {
        const { missed } = hub
        hub.missed = ""
        hub.isHeard = true
        return { hub, missed, news }
      })
    })
  const leave = (taskId: TaskId, hub: Hub) =>
    Effect.sync(() => {
      hub.watchers -= 1
      if (hub.watchers === 0 && hubs.get(taskId) === hub) hubs.delete(taskId)
    })
  return {
    /** For the text of a new call; undefined while nobody watches the task, nor is about to (`isLive`). */
    publisher: (taskId: TaskId, isLive: boolean) => {
      if (!isLive && !hubs.has(taskId)) return
      hubOf(taskId).missed = ""
      return (delta: string) =>
        Effect.suspend(() => {
          const hub = hubs.get(taskId)
          if (hub?.isHeard === true) return publish(hub, delta)
          if (hub !== undefined && hub.missed.length < maxMissed) hub.missed += delta
          return Effect.void
        })
    },
    /** Drops unwatched text of a call that is journalled: later watchers read the journal. */
    forget: (taskId: TaskId) => {
      if (hubs.get(taskId)?.watchers === 0) hubs.delete(taskId)
    },
    watch: (taskId: TaskId) =>
      Stream.unwrapScoped(
        Effect.map(
          Effect.acquireRelease(enter(taskId), ({ hub }) => leave(taskId, hub)),
          ({ missed, news }) =>
            missed === "" ? Stream.fromQueue(news) : Stream.prepend(Stream.fromQueue(news), Chunk.of(missed))
        )
      ),
    /** Ends the streams of all watchers. */
    end: () => hubs.forEach(({ text }) => Effect.runSync(PubSub.shutdown(text)))
  }
}

/** Publishing after the end would interrupt the model call, which goes on to the end of its step. */
const publish = ({ text }: Hub, delta: string): Effect.Effect<void> =>
  text.isActive() ? Effect.asVoid(PubSub.publish(text, delta)) : Effect.void
