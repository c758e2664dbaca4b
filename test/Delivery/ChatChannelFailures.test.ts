import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { Sandbox } from "../../src/File/Sandbox.ts"
import { outboxRows, settled, states } from "../support/Deliveries.ts"
import { eventually } from "../support/Eventually.ts"
import { alice, completes } from "../support/GivenTasks.ts"
import { inWorld, Wire } from "../support/TaskWorld.ts"
import { delivering, given, givenChatTask, givenPost, posts, texts } from "./chat.ts"

inWorld("The chat channel", (test) => {
  test("posts each part once, whatever the platform and the connection do", function*() {
    const { platform, reply } = yield* given
    const sandbox = yield* Sandbox
    yield* Effect.orDie(sandbox.write(alice, "report.md", "# Hi"))
    platform.misbehave(
      "chat.postMessage",
      { _tag: "rateLimited", retryAfter: 0 },
      { _tag: "status", status: 500 },
      { _tag: "drop", after: false },
      { _tag: "drop", after: true },
      { _tag: "error", code: "internal_error" }
    )
    platform.misbehave("upload", { _tag: "status", status: 503 })
    platform.misbehave("files.completeUploadExternal", { _tag: "drop", after: true })
    const id = yield* givenChatTask(reply)
    const paragraphs = Array.from({ length: 3 }, (_, at) => `${at} ${"word ".repeat(600).trim()}`)
    yield* completes(id, paragraphs.join("\n\n"), ["report.md"])
    yield* delivering(platform)
    yield* settled
    assert.deepStrictEqual(yield* states, ["sent"])
    assert.deepStrictEqual(texts(platform), [...paragraphs, ""])
    assert.deepStrictEqual(posts(platform).map(({ files }) => files.length), [0, 0, 0, 1])
  })

  test("sends nothing to a channel whose rate is limited, and meanwhile to the others", function*() {
    const { platform, reply } = yield* given
    const { query } = yield* Wire
    platform.state.channel("OTHER", { members: ["UTROUPE"] })
    platform.misbehave("chat.postMessage", { _tag: "rateLimited", retryAfter: 600 })
    const failed = (count: number) =>
      eventually(
        query<{ attempts: number; wait: number }>(
          `select attempts, extract(epoch from due_at - now())::integer as wait from outbox
           where last_error like '%limits the rate%' and due_at > now() + interval '1 minute' order by attempts`
        ),
        ({ length }) => length === count
      )
    yield* givenPost({ ...reply, thread: "CGENERAL" }, "One")
    yield* delivering(platform)
    yield* failed(1)
    for (const [ts, text] of [["1.5", "Two"], ["1.6", "Three"]] as const) {
      yield* givenPost({ ...reply, thread: `CGENERAL/${ts}` }, text)
    }
    yield* givenPost({ ...reply, thread: "COTHER" }, "Elsewhere")
    const waiting = yield* failed(3)
    assert.deepStrictEqual(waiting.map(({ attempts }) => attempts), [0, 0, 1], "what was not sent is no attempt")
    for (const { wait } of waiting) assert.approximately(wait, 630, 100)
    yield* eventually(Effect.sync(() => texts(platform)), (sent) => sent.includes("Elsewhere"))
    const calls = platform.callsOf("chat.postMessage").filter(({ channel }) => channel === "CGENERAL")
    assert.lengthOf(calls, 1)
  })

  test("repeats a message of a process that was killed only if it did not arrive", function*() {
    const { platform, reply } = yield* given
    const { query } = yield* Wire
    const arrived = yield* givenPost({ ...reply, thread: "CGENERAL" }, "Arrived")
    yield* delivering(platform).pipe(Effect.zipRight(settled), Effect.scoped)
    const missing = yield* givenPost(reply, "Missing")
    // As a process leaves them that ends before it learns what became of them.
    yield* query(
      `update outbox set state = 'sending', epoch = 1, attempts = 1, ended_at = null, due_at = now() where id = any($1)`,
      [[arrived, missing]]
    )
    yield* delivering(platform)
    yield* settled
    assert.deepStrictEqual(texts(platform), ["Arrived", "Missing"])
    assert.deepStrictEqual(yield* states, ["sent", "sent"])
  })

  test("fails what it may not post, and keeps all messages while it can't sign in", function*() {
    const { platform, reply } = yield* given
    platform.state.channel("OTHER", { members: [] })
    yield* givenPost({ thread: "COTHER", user: null }, "Hello")
    yield* delivering(platform)
    yield* settled
    platform.misbehave("chat.postMessage", { _tag: "error", code: "missing_scope" })
    platform.misbehave("conversations.replies", { _tag: "error", code: "token_revoked" })
    yield* givenPost(reply, "Hello")
    yield* settled
    assert.deepStrictEqual(texts(platform), ["Hello"])
    const [refused, sent] = yield* outboxRows
    assert.deepInclude(refused, {
      state: "failed",
      attempts: 1,
      last_error: "The chat platform refused chat.postMessage: not_in_channel."
    })
    assert.deepInclude(sent, { state: "sent", attempts: 3 })
  })

  test("says so when it can't look up whether an earlier attempt arrived", function*() {
    const { platform, reply } = yield* given
    platform.misbehave("chat.postMessage", { _tag: "drop", after: true })
    platform.misbehave("conversations.replies", { _tag: "error", code: "channel_not_found" })
    yield* givenPost(reply, "Hello")
    yield* delivering(platform)
    yield* settled
    assert.deepStrictEqual(texts(platform), ["Hello"])
    const [row] = yield* outboxRows
    assert.match(row?.last_error ?? "", /refused conversations.replies: channel_not_found\. It is unknown whether/)
  })
})
