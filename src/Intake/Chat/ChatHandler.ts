import { Duration, Effect, Layer } from "effect"
import { ChatPlatform } from "../../Wire/ChatPlatform.ts"
import { InboundConsumer } from "../InboundConsumer.ts"
import type { InboundOutcome } from "../InboundMessage.ts"
import { ChannelEvents } from "./ChannelEvents.ts"
import { ChatConversations } from "./ChatConversations.ts"
import { chatSource, eventRequestOf } from "./ChatEvent.ts"
import { inboundFailureOf } from "./ChatFailure.ts"
import { CommandRequests } from "./CommandRequests.ts"
import { commandUrl } from "./SlashCommand.ts"

const nothing: InboundOutcome = { taskId: null }

/** Processes the queued events of the team chat. */
export const ChatHandler: Layer.Layer<
  never,
  never,
  ChannelEvents | ChatConversations | ChatPlatform | CommandRequests | InboundConsumer
> = Layer.scopedDiscard(
  Effect.gen(function*() {
    const consumer = yield* InboundConsumer
    const conversations = yield* ChatConversations
    const channelEvents = yield* ChannelEvents
    const commands = yield* CommandRequests
    const { authTest } = yield* ChatPlatform
    // Where the platform does not name us in the event.
    const [known, forget] = yield* Effect.cachedInvalidateWithTTL(
      Effect.mapBoth(authTest, { onFailure: inboundFailureOf, onSuccess: ({ userId }) => [userId] }),
      Duration.minutes(1)
    )
    const ourselves = Effect.tapError(known, () => forget)
    yield* consumer.start({
      source: chatSource,
      deletesContent: true,
      prepare: Effect.fnUntraced(function*({ body, url }) {
        if (url === commandUrl) return yield* commands.prepare(Buffer.from(body).toString("utf8"))
        const request = eventRequestOf(body)
        if (request._tag !== "Event" || request.event._tag === "Ignored") return Effect.succeed(nothing)
        const us = request.ourselves.length > 0 ? request.ourselves : yield* ourselves
        return request.event._tag === "Message"
          ? yield* conversations.prepare(request.event, us)
          : Effect.as(yield* channelEvents.prepare(request.event, us), nothing)
      })
    })
  })
)
