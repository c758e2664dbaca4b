import { ChatChannelId } from "@troupe/domain/Channel"
import type { UserId } from "@troupe/domain/Ids"
import { headOf } from "@troupe/domain/ToolResult"
import { Context, Effect, Layer, Schema } from "effect"
import { asService } from "../Runtime/Isolation.ts"
import { ChannelMessageRepo } from "./ChannelMessageRepo.ts"

/** Messages that a channel keeps until they are summarised. */
export const maxKept = 200

const maxLength = 2_000

const isChannelId = Schema.is(ChatChannelId)

/** The platform's id of a message: its time in seconds. */
const isTs = (ts: string) => /^\d{1,12}\.\d{6}$/.test(ts)

/** What is said in channels and is no task: agents of the channel's project read it. */
export class ChannelMessages extends Context.Tag("troupe/People/ChannelMessages")<ChannelMessages, {
  /**
   * Keeps the beginning of a message, once for each channel and `ts`; it takes part in the caller's transaction. Nothing
   * is kept of an unknown channel or of blanks.
   */
  readonly keep: (message: {
    readonly channel: string
    readonly ts: string
    readonly threadTs: string | null
    readonly userId: UserId | null
    /** Plain, without the platform's mark-up. */
    readonly text: string
  }) => Effect.Effect<void>
  /** The message was edited on the platform. */
  readonly change: (channel: string, ts: string, text: string) => Effect.Effect<void>
  /** The message was deleted on the platform. */
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
