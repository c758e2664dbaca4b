import { Duration, Effect, Layer } from "effect"
import { InboundConsumer } from "../InboundConsumer.ts"
import { noTask } from "../InboundMessage.ts"
import { makeChannelEvents } from "./ChannelEvents.ts"
import { type ChatOptions, inboundFailureOf, makeChatContext } from "./ChatContext.ts"
import { makeConversations } from "./ChatConversations.ts"
import { chatSource, eventRequestOf } from "./ChatEvent.ts"
import { makeCommandRequests } from "./CommandRequests.ts"
import { commandUrl } from "./SlashCommand.ts"

/** Processes the queued events of the team chat. */
export const ChatHandler = (options: ChatOptions) =>
  Layer.scopedDiscard(
    Effect.gen(function*() {
      const consumer = yield* InboundConsumer
      const context = yield* makeChatContext(options)
      const onMessage = yield* makeConversations(context)
      const onChannelEvent = yield* makeChannelEvents(context)
      const onCommand = yield* makeCommandRequests(context)
      // Where the platform does not name us in the event.
      const [known, forget] = yield* Effect.cachedInvalidateWithTTL(
        Effect.mapBoth(context.platform.authTest, { onFailure: inboundFailureOf, onSuccess: ({ userId }) => [userId] }),
        Duration.minutes(1)
      )
      const ourselves = Effect.tapError(known, () => forget)
      yield* consumer.start({
        source: chatSource,
        deletesContent: true,
        prepare: Effect.fnUntraced(function*({ body, receivedAt, url }) {
          if (url === commandUrl) return yield* onCommand(Buffer.from(body).toString("utf8"))
          const request = eventRequestOf(body)
          if (request._tag !== "Event" || request.event._tag === "Ignored") return Effect.succeed(noTask)
          const us = request.ourselves.length > 0 ? request.ourselves : yield* ourselves
          return request.event._tag === "Message"
            ? yield* onMessage(request.event, us, receivedAt)
            : Effect.as(yield* onChannelEvent(request.event, us), noTask)
        })
      })
    })
  )
