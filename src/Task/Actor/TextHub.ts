import { Effect, PubSub, Stream } from "effect"

/** The model's text of one task, for whoever watches it. While nobody does it costs nothing. */
export const makeTextHub = () => {
  let hub: PubSub.PubSub<string> | null = null
  let watchers = 0
  // Sliding: a slow watcher misses pieces instead of slowing the model down.
  const enter = Effect.suspend(() => {
    watchers += 1
    return hub === null ? Effect.tap(PubSub.sliding<string>(256), (made) => void (hub = made)) : Effect.succeed(hub)
  })
  const leave = () =>
    Effect.sync(() => {
      watchers -= 1
      if (watchers === 0) hub = null
    })
  return {
    publisher: () => {
      const current = hub
      return current === null ? undefined : (delta: string) => Effect.asVoid(PubSub.publish(current, delta))
    },
    text: Stream.unwrapScoped(
      Effect.map(Effect.acquireRelease(enter, leave), (joined) => Stream.fromPubSub(joined))
    )
  }
}
