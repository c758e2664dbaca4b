import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { Sandbox } from "../../src/File/Sandbox.ts"
import type { FakePlatform } from "../support/ChatPlatform.ts"
import { settled, states } from "../support/Deliveries.ts"
import { alice, completes } from "../support/GivenTasks.ts"
import { inWorld, Wire } from "../support/TaskWorld.ts"
import { delivering, given, givenChatTask, posts, texts } from "./chat.ts"

const contents = (platform: FakePlatform) =>
  posts(platform).flatMap(({ files }) => files.map(({ content, name }) => [name, String(content)]))

const completesWithReport = (reply: Parameters<typeof givenChatTask>[0], content: string) =>
  Effect.gen(function*() {
    const sandbox = yield* Sandbox
    yield* Effect.orDie(sandbox.write(alice, "report.md", content))
    yield* completes(yield* givenChatTask(reply), `${content}.`, ["report.md"])
  })

/** Two tasks of one thread complete with a file of the same name; that of the first one is shared. */
const givenTwoReports = Effect.gen(function*() {
  const { platform, reply } = yield* given
  yield* completesWithReport(reply, "First")
  yield* delivering(platform).pipe(Effect.zipRight(settled), Effect.scoped)
  yield* completesWithReport(reply, "Second")
  return platform
})

inWorld("Files on the chat platform", (test) => {
  test("are shared once if the answer is lost, also where the thread has another one of that name", function*() {
    const platform = yield* givenTwoReports
    const share = "files.completeUploadExternal"
    platform.misbehave(share, { _tag: "drop", after: false }, { _tag: "drop", after: true })
    yield* delivering(platform)
    yield* settled
    assert.deepStrictEqual(contents(platform), [["report.md", "First"], ["report.md", "Second"]])
    assert.deepStrictEqual(texts(platform), ["First.", "", "Second.", ""])
    assert.deepStrictEqual(yield* states, ["sent", "sent"])
    assert.strictEqual(platform.callsOf(share).length, 3)
    assert.strictEqual(platform.callsOf("files.getUploadURLExternal").length, 2, "one upload each")
  })

  test("are found by the process after one that was killed", function*() {
    const platform = yield* givenTwoReports
    const { query } = yield* Wire
    yield* delivering(platform).pipe(Effect.zipRight(settled), Effect.scoped)
    // As a process leaves it that ends before it learns what became of it.
    yield* query(`update outbox set state = 'sending', ended_at = null, due_at = now()`)
    yield* delivering(platform)
    yield* settled
    assert.strictEqual(contents(platform).length, 2)
    assert.deepStrictEqual(yield* states, ["sent", "sent"])
  })

  test("are uploaded again if the platform has not kept the upload", function*() {
    const platform = yield* givenTwoReports
    platform.misbehave(
      "files.completeUploadExternal",
      { _tag: "drop", after: false },
      { _tag: "error", code: "file_not_found" }
    )
    yield* delivering(platform)
    yield* settled
    assert.deepStrictEqual(contents(platform), [["report.md", "First"], ["report.md", "Second"]])
    assert.strictEqual(platform.callsOf("files.getUploadURLExternal").length, 3)
  })
})
