import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Fiber, Option, Queue, Redacted, TestClock } from "effect"
import { ChatPlatform, isUnauthorized } from "../../src/Chat/ChatPlatform.ts"
import { type ChatText, plainText } from "../../src/Chat/ChatText.ts"
import { type FakePlatform } from "../support/ChatPlatform.ts"
import { unconfiguredChat } from "../support/UnconfiguredChat.ts"
import { hello, id, made, since, use } from "./webApi.ts"

const words = (text: ChatText) => plainText(text, () => null)

const directoryOf = ({ directory }: ChatPlatform["Type"]) => {
  assert(directory !== null)
  return directory
}

describe("The chat platform's Web API", () => {
  it.scopedLive("posts a message once, however often it is posted", () =>
    Effect.gen(function*() {
      const platform = yield* made
      const posted = yield* use(platform, (chat) =>
        Effect.gen(function*() {
          const first = yield* chat.post(hello)
          const again = yield* chat.post(hello)
          assert.deepStrictEqual(again, first)
          const blocks = [{ type: "section", text: { type: "mrkdwn", text: "*Hi*" } }]
          yield* chat.post({ id: id.replace("0000", "0001"), to: first.thread, post: { text: "Hi", controls: blocks } })
          const { items } = yield* since(chat, first.thread)
          assert.deepStrictEqual(items.map((one) => [words(one.text), one.ourId]), [
            ["Hello", id],
            ["Hi", id.replace("0000", "0001")]
          ])
          return first
        }))
      assert.strictEqual(platform.state.messages[1]?.thread_ts, posted.id)
      assert.deepStrictEqual(platform.state.messages[1]?.blocks, [{
        type: "section",
        text: { type: "mrkdwn", text: "*Hi*" }
      }])
      assert.strictEqual((yield* Queue.take(platform.posts)).ts, posted.id)
      assert.strictEqual(platform.state.messages.length, 2)
    }))

  it.scoped("is not called again in a channel, by a method whose rate it limits there, before the time that it names", () =>
    Effect.gen(function*() {
      const platform = yield* made
      platform.state.channel("OTHER", { members: ["UTROUPE"] })
      const calls = (method: string) => platform.callsOf(method).length
      platform.misbehave("chat.postMessage", { _tag: "rateLimited", retryAfter: 30 })
      yield* use(platform, (chat) =>
        Effect.gen(function*() {
          const post = (to: string, at: number) => chat.post({ ...hello, id: id.replace("0000", `000${at}`), to })
          const first = yield* Effect.flip(post("CGENERAL", 1))
          assert.deepStrictEqual(first.retryAfter, Option.some(Duration.seconds(30)))
          yield* TestClock.adjust("20 seconds")
          const held = yield* Effect.flip(post("CGENERAL/1.5", 2))
          assert.deepInclude(held, {
            kind: "rate_limited",
            about: "held",
            retryAfter: Option.some(Duration.seconds(10))
          })
          assert.strictEqual(calls("chat.postMessage"), 1)
          const elsewhere = yield* post("COTHER", 3)
          yield* since(chat, "CGENERAL")
          yield* chat.update({ conversation: "COTHER", id: elsewhere.id, post: { text: "Hi" } })
          yield* TestClock.adjust("10 seconds")
          yield* post("CGENERAL", 2)
          assert.strictEqual(calls("chat.postMessage"), 3)
        }))
    }))

  it.scopedLive("reads its own identity, people, channels and messages", () =>
    Effect.gen(function*() {
      const platform = yield* made
      platform.state.channel("SECRET", { is_private: true, members: ["UADA"] })
      platform.state.channel("OLD", { is_archived: true })
      const direct = platform.state.directMessage("UADA")
      platform.state.add({ channel: "CGENERAL", user: "UADA", text: "Good &amp; morning" })
      yield* use(platform, (chat) =>
        Effect.gen(function*() {
          assert.deepInclude(yield* chat.health, { team: "Example", userId: "UTROUPE", name: "troupe" })
          assert.deepInclude(yield* chat.findUser("UADA"), {
            realName: "Ada Lovelace",
            displayName: null,
            email: "ada@example.org",
            title: "Engineer",
            timezone: "Europe/Berlin",
            isBot: false
          })
          assert.deepInclude(yield* directoryOf(chat).channel("CGENERAL"), {
            topic: "Everything",
            isMember: true,
            memberCount: 2
          })
          const { items, next } = yield* directoryOf(chat).channels(null)
          assert.deepStrictEqual([items.map((one) => [one.id, one.isArchived]), next], [
            [["CGENERAL", false], ["COLD", true]],
            null
          ])
          assert.deepStrictEqual(yield* chat.openDirect("UADA"), direct)
          const said = yield* since(chat, "CGENERAL")
          assert.deepStrictEqual(said.items.map(({ text, user }) => [user, words(text)]), [["UADA", "Good & morning"]])
        }))
    }))

  it.scopedLive("answers a command later at its address, and nowhere else", () =>
    Effect.gen(function*() {
      const platform = yield* made
      yield* use(platform, ({ answer }) => answer(platform.responseUrl, { text: "Done" }))
      assert.deepInclude(yield* Queue.take(platform.responses), { text: "Done", response_type: "ephemeral" })
      const refused = yield* Effect.flip(use(platform, ({ answer }) => answer("http://example.org/", { text: "No" })))
      assert.strictEqual(refused.kind, "refused")
    }))

  it.scopedLive("says what is known after a failure, with no second attempt", () =>
    Effect.gen(function*() {
      const platform = yield* made
      const failing = (
        ...behaviours: Parameters<FakePlatform["misbehave"]> extends [string, ...infer Rest] ? Rest : never
      ) => {
        platform.misbehave("chat.postMessage", ...behaviours)
        const timeout = behaviours[0]?._tag === "slow" ? 300 : 30_000
        return Effect.flip(use(platform, ({ post }) => post(hello), timeout))
      }
      const limited = yield* failing({ _tag: "rateLimited", retryAfter: 7 })
      assert.deepStrictEqual([limited.kind, limited.retryAfter], ["rate_limited", Option.some(Duration.seconds(7))])
      assert.deepInclude(yield* failing({ _tag: "rateLimited", retryAfter: null }), {
        kind: "rate_limited",
        retryAfter: Option.none()
      })
      assert.strictEqual((yield* failing({ _tag: "status", status: 500 })).kind, "unavailable")
      assert.strictEqual((yield* failing({ _tag: "status", status: 302 })).kind, "unavailable")
      assert.strictEqual((yield* failing({ _tag: "error", code: "internal_error" })).kind, "unavailable")
      assert.deepInclude(yield* failing({ _tag: "error", code: "channel_not_found" }), {
        kind: "refused",
        about: "channel"
      })
      assert.strictEqual((yield* failing({ _tag: "body", text: "<html>" })).kind, "refused")
      assert.strictEqual((yield* failing({ _tag: "body", text: "{\"ok\": true}" })).kind, "refused")
      assert.strictEqual((yield* failing({ _tag: "body", text: `"${"x".repeat(9_000_000)}"` })).kind, "refused")
      assert.strictEqual((yield* failing({ _tag: "slow", millis: 2_000 })).kind, "uncertain")
      assert.strictEqual((yield* failing({ _tag: "drop", after: true })).kind, "uncertain")
      assert.strictEqual(platform.state.messages.length, 1)
      assert.strictEqual(platform.callsOf("chat.postMessage").length, 11)
      platform.misbehave("users.info", { _tag: "drop", after: true })
      const read = yield* Effect.flip(use(platform, ({ findUser }) => findUser("UADA")))
      assert.strictEqual(read.kind, "unavailable")
    }))

  it.scopedLive("names a token that is not accepted, and never shows it", () =>
    Effect.gen(function*() {
      const platform = yield* made
      platform.revokeToken()
      const revoked = yield* Effect.flip(use(platform, ({ health }) => health))
      assert.isTrue(isUnauthorized(revoked))
      assert.strictEqual(revoked.message, "The chat platform does not accept CHAT_BOT_TOKEN: token_revoked.")
      const token = Redacted.make("xoxb-secret")
      const unknown = yield* Effect.flip(use({ ...platform, token }, ({ health }) => health))
      assert.isTrue(isUnauthorized(unknown))
      assert.notInclude(JSON.stringify(unknown), "xoxb-secret")
    }))

  it.scopedLive("is unavailable where nothing listens, and ends when interrupted", () =>
    Effect.gen(function*() {
      const platform = yield* made
      const away = { ...platform, url: new URL("http://127.0.0.1:9/api/") }
      assert.strictEqual((yield* Effect.flip(use(away, ({ post }) => post(hello)))).kind, "unavailable")
      const reasonOf = (given: typeof away, timeout?: number) =>
        Effect.map(Effect.flip(use(given, ({ health }) => health, timeout)), ({ reason }) => reason)
      assert.strictEqual(
        yield* reasonOf(away),
        "The chat platform can't be reached (ECONNREFUSED). Check CHAT_API_URL and the network."
      )
      platform.misbehave("auth.test", { _tag: "slow", millis: 2_000 })
      assert.match(yield* reasonOf(platform, 300), /within 300ms\. Check CHAT_API_URL and the network\.$/)
      platform.misbehave("auth.test", { _tag: "slow", millis: 60_000 })
      const calling = yield* Effect.fork(use(platform, ({ health }) => health, 60_000))
      yield* Effect.sleep("50 millis")
      yield* Fiber.interrupt(calling).pipe(Effect.timeout("10 seconds"))
    }))

  it.effect("asks for its settings where there are none", () =>
    Effect.gen(function*() {
      const { health } = yield* ChatPlatform
      assert.match((yield* Effect.flip(health)).message, /CHAT_BOT_TOKEN/)
    }).pipe(Effect.provide(unconfiguredChat)))
})
