import { Duration, Effect, Layer, Option } from "effect"
import { InboundConsumer } from "../InboundConsumer.ts"
import { noTask } from "../InboundMessage.ts"
import { makeChannelEvents } from "./ChannelEvents.ts"
import { type ChatOptions, inboundFailureOf, makeChatContext } from "./ChatContext.ts"
import { makeConversations } from "./ChatConversations.ts"
import { makePerform } from "./ChatPlans.ts"
import { makeCommandPlans } from "./CommandPlans.ts"
import { chatSource, eventIn } from "./StoredEvents.ts"

/** Processes the queued events of the team chat. */
export const ChatHandler = (options: ChatOptions) =>
  Layer.scopedDiscard(
    Effect.gen(function*() {
      const consumer = yield* InboundConsumer
      const context = yield* makeChatContext(options)
      const { platform } = context
      const commands = yield* makeCommandPlans(context)
      const onMessage = yield* makeConversations(context, commands)
      const onChannelEvent = yield* makeChannelEvents(context)
      const perform = yield* makePerform(context)
      // Where the platform does not name us in the event.
      const [known, forget] = yield* Effect.cachedInvalidateWithTTL(
        Effect.mapBoth(platform.health, { onFailure: inboundFailureOf, onSuccess: ({ userId }) => [userId] }),
        Duration.minutes(1)
      )
      const ourselves = Effect.tapError(known, () => forget)

      yield* consumer.start({
        source: chatSource,
        deletesContent: true,
        prepare: Effect.fnUntraced(function*(message) {
          const found = eventIn(message, platform)
          if (Option.isNone(found)) return Effect.succeed(noTask)
          const { event } = found.value
          if (event._tag === "Command") return perform(yield* commands.prepare(event))
          const us = found.value.ourselves.length > 0 ? found.value.ourselves : yield* ourselves
          return event._tag === "Message"
            ? perform(yield* onMessage(event, us, message.receivedAt))
            : Effect.as(yield* onChannelEvent(event, us), noTask)
        })
      })
    })
  )
