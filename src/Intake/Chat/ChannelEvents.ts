import { chatReplyText } from "@troupe/domain/TeamChat"
import { Duration, Effect, FiberMap, Option } from "effect"
import type { ChatEvent, CommandEvent, MessageEvent } from "../../Chat/ChatEvent.ts"
import { saying } from "../../Chat/ChatMessage.ts"
import type { ChatFailed } from "../../Chat/ChatPlatform.ts"
import { ChannelMessages } from "../../People/Channel/ChannelMessages.ts"
import { Channels } from "../../People/Channel/Channels.ts"
import { ChannelSync } from "../../People/Channel/ChannelSync.ts"
import { Memberships } from "../../People/Channel/Memberships.ts"
import { ChatUsers } from "../../People/User/ChatUsers.ts"
import { type ChatContext, inboundFailureOf } from "./ChatContext.ts"
import { introduction } from "./ChatTexts.ts"
import { namedIn, spokenText } from "./MessageContent.ts"

export type ChannelEvent = Exclude<ChatEvent, CommandEvent | MessageEvent>

/**
 * Processes events about channels, their people and their messages: asks the platform what an event needs, and returns
 * the changes; the consumer commits them together with the message.
 */
export const makeChannelEvents = ({ claims, platform, posts, senders }: ChatContext) =>
  Effect.gen(function*() {
    const sync = yield* ChannelSync
    const channels = yield* Channels
    const kept = yield* ChannelMessages
    const users = yield* ChatUsers
    const memberships = yield* Memberships
    const syncs = yield* FiberMap.make<string>()

    /** The hourly sync repeats what fails here. */
    const syncMembers = (channel: string) =>
      FiberMap.run(
        syncs,
        channel,
        sync.syncChannel(channel).pipe(
          Effect.tap(({ errors: [first] }) =>
            first === undefined
              ? Effect.void
              : Effect.logWarning(
                `Syncing channel ${channel} was incomplete; the next sync repeats it: ${first.message}`
              )
          ),
          Effect.catchAll((error) => Effect.logWarning(`Channel ${channel} was not synced: ${error.message}`))
        ),
        { onlyIfMissing: true }
      )

    /** The members of a large channel take longer than an event may: nothing waits for them. */
    const opened = (channel: string) =>
      sync.openChannel(channel).pipe(
        Effect.catchTag("ChatFailed", (failed) =>
          isFinal(failed)
            ? Effect.logWarning(`Channel ${channel} was not read; the next sync repeats it: ${failed.reason}`)
            : inboundFailureOf(failed)),
        Effect.catchTags({
          ChannelNotFound: () => Effect.void,
          ChatNotConfigured: () => Effect.void
        }),
        Effect.zipRight(syncMembers(channel)),
        Effect.asVoid
      )

    const introduce = (channel: string) =>
      claims.take(`introduction ${channel}`, Duration.infinity).pipe(
        Effect.flatMap((isFirst) =>
          isFirst
            ? posts.post({ recipient: chatReplyText({ thread: channel, user: null }) }, saying(introduction))
            : Effect.void
        )
      )

    const userOf = (id: string) =>
      Effect.map(Effect.mapError(senders.find(id), inboundFailureOf), Option.map(({ userId }) => userId))

    return Effect.fn("ChannelEvents.prepare")(function*(event: ChannelEvent, ourselves: ReadonlyArray<string>) {
      switch (event._tag) {
        case "MemberJoined": {
          const { channel, user } = event
          if (ourselves.includes(user)) {
            yield* opened(channel)
            return introduce(channel)
          }
          // The event that we joined was lost, or comes later.
          if ((yield* channels.projectOf(channel)) === null) yield* opened(channel)
          const joined = yield* userOf(user)
          return Option.isNone(joined) ? Effect.void : memberships.add(channel, joined.value)
        }
        case "MemberLeft": {
          const { channel, user } = event
          if (ourselves.includes(user)) return channels.leave(channel)
          const left = yield* users.find(user)
          return Option.isNone(left) ? Effect.void : memberships.remove(channel, left.value)
        }
        case "WeLeft":
          return channels.leave(event.channel)
        case "ChannelClosed":
          return channels.deactivate(event.channel)
        case "MessageChanged":
          return kept.change(event.channel, event.id, spokenText(event, yield* senders.nameOf(namedIn(event))))
        case "MessageDeleted":
          return kept.remove(event.channel, event.id)
        case "ChannelChanged":
          yield* opened(event.channel)
          return Effect.void
        case "UserChanged":
          return users.writeAll([yield* Effect.mapError(platform.findUser(event.user), inboundFailureOf)])
      }
    })
  })

const isFinal = ({ kind }: ChatFailed): boolean => kind === "refused" || kind === "unconfigured"
