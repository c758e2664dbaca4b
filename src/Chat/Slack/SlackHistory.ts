import { threadHalves, threadKey } from "@troupe/domain/TeamChat"
import { Effect } from "effect"
import type { ChatFailed, ChatPage, ChatPlatform, KeptMessage, KeptMessages } from "../ChatPlatform.ts"
import type { SlackMessage } from "./SlackResponses.ts"

interface Range {
  readonly channel: string
  readonly oldest: string | null
  readonly cursor: string | null
}

interface Lists {
  /** Messages of a thread from `oldest` on, the oldest first; perhaps with the one that began the thread. */
  readonly replies: (thread: Range & { readonly ts: string }) => Effect.Effect<ChatPage<SlackMessage>, ChatFailed>
  /** Messages of a channel that are not in threads, newest first. */
  readonly history: (channel: Range) => Effect.Effect<ChatPage<SlackMessage>, ChatFailed>
}

const maxPagesSince = 20
const maxPagesBefore = 5

/** The platform lists a thread from its beginning. Of a long one, only its last minutes are read, or hours, or days. */
const windows = [600, 21_600, 518_400, 12_960_000]

export const makeHistory = ({ history, replies }: Lists): ChatPlatform["Type"]["history"] => {
  const firstPages = Effect.fnUntraced(function*(maxPages: number, thread: string, oldest: string | null) {
    const { channel, thread: ts } = threadHalves(thread)
    const page = (cursor: string | null) =>
      ts === null ? history({ channel, oldest, cursor }) : replies({ channel, ts, oldest, cursor })
    let found = yield* page(null)
    for (let pages = 1; pages < maxPages && found.next !== null; pages++) {
      const { items, next } = yield* page(found.next)
      found = { items: [...found.items, ...items], next }
    }
    return {
      items: found.items.map((one) => ({ ...one, thread: ts === null ? threadKey(channel, one.id) : thread })),
      isWhole: found.next === null
    }
  })

  return {
    since: (thread, at) =>
      Effect.map(firstPages(maxPagesSince, thread, at.toFixed(6)), ({ isWhole, items }) => ({
        items: items.filter((one) => one.at >= at),
        isWhole
      })),
    before: (thread, { at }, atLeast) =>
      Effect.gen(function*() {
        const from = (oldest: string | null, pages: number): Effect.Effect<KeptMessages, ChatFailed> =>
          Effect.map(firstPages(pages, thread, oldest), ({ isWhole, items }) => ({
            items: items.filter((one) => one.at < at),
            isWhole
          }))
        const all = yield* from(null, 1)
        if (all.isWhole) return all
        let last: ReadonlyArray<KeptMessage> = []
        for (const seconds of windows) {
          const found = yield* from((at - seconds).toFixed(6), maxPagesBefore)
          if (!found.isWhole) break
          last = found.items
          if (last.length >= atLeast) break
        }
        return { items: last, isWhole: false }
      })
  }
}
