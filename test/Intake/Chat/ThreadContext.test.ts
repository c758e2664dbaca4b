import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { ChatPlatform } from "../../../src/Chat/ChatPlatform.ts"
import * as SlackWebApi from "../../../src/Chat/Slack/SlackWebApi.ts"
import { threadContext } from "../../../src/Intake/Chat/ThreadContext.ts"
import { makeChatPlatform } from "../../support/ChatPlatform.ts"

/** What the agent reads of a thread with so many messages, a second apart, before the one that makes the task. */
const contextOf = (count: number) =>
  Effect.gen(function*() {
    const platform = yield* makeChatPlatform
    const { state, token, url } = platform
    state.channel("DEV")
    const said = (text: string, thread_ts: string | null) =>
      state.add({ channel: "CDEV", user: "UBEA", text, thread_ts })
    const { ts: thread } = said("message 0", null)
    for (let n = 1; n < count; n++) said(`message ${n}`, thread)
    const { ts } = said("<@UTROUPE> sum up", thread)
    const found = yield* Effect.flatMap(ChatPlatform, ({ history }) => {
      assert(history !== null)
      return history.before(`CDEV/${thread}`, { at: Number(ts) }, 30)
    })
      .pipe(Effect.provide(SlackWebApi.layer({ apiUrl: url, token })))
    return {
      text: threadContext(found, () => "Bea").join(""),
      calls: platform.callsOf("conversations.replies").length
    }
  }).pipe(Effect.scoped)

describe("What was said before in a thread", () => {
  it.live("is read whole in one call where it is short", () =>
    Effect.gen(function*() {
      const { calls, text } = yield* contextOf(40)
      assert.strictEqual(calls, 1)
      assert.match(
        text,
        /\(10 earlier messages left out\):\n<chat_thread>\nBea: message 10\n[^]*message 39\n<\/chat_thread>$/
      )
    }))

  it.live("is the last of a thread that is long, within a few calls", () =>
    Effect.gen(function*() {
      const { calls, text } = yield* contextOf(5_000)
      assert.isAtMost(calls, 10)
      assert.match(text, /\(earlier messages left out\):\n<chat_thread>\nBea: /)
      assert.match(text, /\nBea: message 4998\nBea: message 4999\n<\/chat_thread>$/)
    }))
})
