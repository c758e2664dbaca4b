import { assert } from "@effect/vitest"
import { outboxRows } from "../support/Deliveries.ts"
import { givenCompleted } from "../support/GivenTasks.ts"
import { inWorld, Wire } from "../support/TaskWorld.ts"
import { forgetUsers, wants } from "./mails.ts"

inWorld("Notifications in the outbox", (test) => {
  test("are written by the statement of the step, for each channel that the user wants and has an address on", function*() {
    yield* forgetUsers
    const line = yield* Wire
    yield* wants("alice", ["email", "chat", "ui"])
    yield* givenCompleted()
    assert.deepStrictEqual(
      (yield* outboxRows).map(({ channel, recipient, user_id }) => [channel, recipient, user_id]).toSorted(),
      [["chat", "U-alice", "alice"], ["email", "alice@example.org", "alice"]]
    )
    assert.deepStrictEqual(line.sent.filter(({ text }) => /outbox/.test(text)), [])
  })

  test("are not written for a user who wants only the feed, or says nothing about a task that came over the API", function*() {
    yield* forgetUsers
    yield* givenCompleted()
    yield* wants("alice", ["ui"])
    yield* givenCompleted()
    yield* wants("alice", [])
    yield* givenCompleted()
    assert.deepStrictEqual(yield* outboxRows, [])
  })
})
