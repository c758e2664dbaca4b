import { ChatChannelId } from "@troupe/domain/Channel"
import type { UserId } from "@troupe/domain/Ids"
import { headOf } from "@troupe/domain/ToolResult"
import { Context, Effect, Layer, Schema } from "effect"
import { asService } from "../Runtime/Isolation.ts"
import { ChannelMessageRepo } from "./ChannelMessageRepo.ts"

export const maxKept = 200

const maxLength = 2_000

const isChannelId = Schema.is(ChatChannelId)

/** The platform's id of a message: its time in seconds. */
const isTs = (ts: string) => /^\d{1,12}\.\d{6}$/.test(ts)

/** Messages of channels that start no task: context for the agents of the channel's project. */
export class ChannelMessages extends Context.Tag("troupe/People/ChannelMessages")<ChannelMessages, {
  /**
   * Stores the beginning of a message once, in the caller's transaction; nothing of an unknown channel or of blanks.
   */
  readonly keep: (message: {
    readonly channel: string
    readonly ts: string
    readonly threadTs: string | null
    readonly userId: UserId | null
    /** Plain, without the platform's mark-up. */
    readonly text: string
  }) => Effect.Effect<void>
  readonly change: (channel: string, ts: string, text: string) => Effect.Effect<void>
  readonly remove: (channel: string, ts: string) => Effect.Effect<void>
}>() {
  static readonly layer: Layer.Layer<ChannelMessages, never, ChannelMessageRepo> = Layer.effect(
    this,
    Effect.map(ChannelMessageRepo, (repo) => {
      const ifMessage = (channel: string, ts: string, use: (channel: ChatChannelId) => Effect.Effect<void>) =>
        isChannelId(channel) && isTs(ts) ? asService(use(channel)) : Effect.void
      return ChannelMessages.of({
        keep: ({ channel, text, threadTs, ts, userId }) =>
          text.trim() === "" ?
            Effect.void :
            ifMessage(channel, ts, (known) =>
              repo.insert({ channel: known, ts, threadTs, userId, content: headOf(text.trim(), maxLength) }, maxKept)),
        change: (channel, ts, text) =>
          ifMessage(channel, ts, (known) => repo.change(known, ts, headOf(text.trim(), maxLength))),
        remove: (channel, ts) => ifMessage(channel, ts, (known) => repo.remove(known, ts))
      })
    })
  )
}
