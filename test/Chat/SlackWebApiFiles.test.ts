import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { type FakePlatform } from "../support/ChatPlatform.ts"
import { hello, made, since, use } from "./webApi.ts"

describe("The chat platform's Web API", () => {
  it.scopedLive("uploads files, shares them in a thread, and downloads what people shared", () =>
    Effect.gen(function*() {
      const platform = yield* made
      yield* use(platform, (chat) =>
        Effect.gen(function*() {
          const { thread } = yield* chat.post(hello)
          const file = yield* chat.upload({ name: "Übersicht.csv", content: Buffer.from("a,b\n") })
          const files = [{ id: file, title: "Übersicht.csv" }]
          yield* chat.share(thread, files)
          const { items } = yield* since(chat, thread)
          assert.deepStrictEqual(items[1]?.files.map(({ id }) => id), [file])
          assert.deepInclude(platform.state.files.get(file), { name: "Übersicht.csv", size: 4 })
          const sent = yield* chat.describeFile(file)
          assert.deepInclude(sent, { name: "Übersicht.csv", size: 4, unavailable: null })
          assert.strictEqual(Buffer.from(yield* chat.receiveFile(sent, 100)).toString(), "a,b\n")
          const tooLong = yield* Effect.flip(chat.receiveFile(sent, 3))
          assert.strictEqual(tooLong.message, "The file is longer than 3 bytes.")
          platform.misbehave("download", { _tag: "slow", millis: 5_000 })
          const late = yield* Effect.flip(chat.receiveFile(sent, 100))
          assert.deepInclude(late, { kind: "unavailable" })
          const elsewhere = yield* Effect.flip(
            chat.receiveFile({ ...sent, downloadUrl: "https://example.org/f" }, 3)
          )
          assert.match(elsewhere.message, /leads to example\.org, which is not one of the chat platform/)
        }), 600)
    }))

  it.scopedLive("downloads a file whole and as it was sent, or says why not", () =>
    Effect.gen(function*() {
      const platform = yield* made
      platform.state.file("F1", "a.txt", "hello")
      const misbehaving = (
        ...behaviours: Parameters<FakePlatform["misbehave"]> extends [string, ...infer Rest] ? Rest : never
      ) =>
        use(platform, (chat) =>
          Effect.gen(function*() {
            const file = yield* chat.describeFile("F1")
            platform.misbehave("download", ...behaviours)
            return yield* chat.receiveFile(file, 100).pipe(
              Effect.match({
                onFailure: ({ kind, reason }) => `${kind}: ${reason}`,
                onSuccess: (content) => Buffer.from(content).toString()
              })
            )
          }))
      const moved = (location: string) => ({ _tag: "redirect", location }) as const
      const again = moved("/files-pri/F1/origin/a.txt")
      assert.strictEqual(yield* misbehaving(again, again, again), "hello")
      assert.include(yield* misbehaving(again, again, again, again), "refused the download of a file with status 302")
      assert.include(yield* misbehaving(moved("http://example.org/f")), "refused: The download leads to example.org")
      assert.include(yield* misbehaving(moved("http://[")), "status 302")
      const page = {
        _tag: "body",
        text: "<!DOCTYPE html><title>Sign in</title>",
        type: "text/html; charset=utf-8"
      } as const
      assert.include(yield* misbehaving(page), "refused: The chat platform sent a web page in place of the file")
      assert.include(
        yield* misbehaving({ _tag: "body", text: "hel" }),
        "refused: The download has 3 bytes in place of 5"
      )
      assert.include(yield* misbehaving({ _tag: "status", status: 404 }), "refused: The chat platform refused")
      assert.include(yield* misbehaving({ _tag: "status", status: 410 }), "refused: The chat platform refused")
      assert.include(yield* misbehaving({ _tag: "status", status: 503 }), "unavailable: ")
      assert.include(yield* misbehaving({ _tag: "rateLimited", retryAfter: 1 }), "rate_limited: ")
      assert.include(yield* misbehaving({ _tag: "drop", after: false }), "unavailable: ")
    }))

  it.scopedLive("downloads what became of a snippet that was edited after it was shared", () =>
    Effect.gen(function*() {
      const platform = yield* made
      platform.state.file("F1", "a.txt", "first")
      const found = yield* use(platform, (chat) =>
        Effect.gen(function*() {
          const shared = yield* chat.describeFile("F1")
          platform.state.file("F1", "a.txt", "first and second")
          return yield* chat.receiveFile(shared, 100)
        }))
      assert.strictEqual(Buffer.from(found).toString(), "first and second")
    }))
})
