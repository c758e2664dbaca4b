import type { OutboxId } from "@troupe/domain/Outbox"
import { Effect } from "effect"
import { type ChatFailed, type ChatMessage, type ChatPlatform, firstPages } from "../Chat/ChatPlatform.ts"

/** Where a message goes: a channel or direct message, and in it a thread. */
export interface Conversation {
  readonly channel: string
  readonly threadTs: string | null
}

const maxPages = 20

/** The clocks of the platform and of the database differ a little. */
const clockDifference = 300

/** The time in the id of a message (UUIDv7), as the platform writes times. */
const sinceOf = (id: OutboxId): string =>
  `${Math.floor(Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16) / 1000) - clockDifference}.000000`

/** The messages since the outbox has this one. `isWhole` is false if there were too many to read all. */
export const messagesSince = (
  { history, replies }: ChatPlatform["Type"],
  { channel, threadTs }: Conversation,
  id: OutboxId
): Effect.Effect<{ readonly messages: ReadonlyArray<ChatMessage>; readonly isWhole: boolean }, ChatFailed> => {
  const oldest = sinceOf(id)
  return firstPages(
    maxPages,
    (cursor) =>
      threadTs === null ? history({ channel, oldest, cursor }) : replies({ channel, ts: threadTs, oldest, cursor })
  ).pipe(
    Effect.map(({ isWhole, items }) => ({
      messages: items.filter(({ ts }) => Number(ts) >= Number(oldest)),
      isWhole
    }))
  )
}
