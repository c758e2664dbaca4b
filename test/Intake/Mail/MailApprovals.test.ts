import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { givenCompleted, givenWaiting } from "../../support/GivenTasks.ts"
import { stepsOf } from "../../support/TaskRows.ts"
import { inWorld, Wire } from "../../support/TaskWorld.ts"
import { alice, answering, inboxOf, inThread, mailText, received, taskRows } from "./inbox.ts"

/** The task of Alice that asks whether a mail may be sent, by a mail of ours with this Message-ID. */
const givenApproval = Effect.gen(function*() {
  const { query } = yield* Wire
  yield* query("truncate task_threads")
  const id = yield* Effect.flatMap(givenWaiting("May this mail be sent?"), inThread)
  yield* query("update actors set asks_approval = true, choices = '{Send,Don''t send}' where task_id = $1", [id])
  yield* query(
    "insert into task_threads (channel, key, task_id, call) values ('email', '<question@x.org>', $1, 'ask1')",
    [id]
  )
  return id
})

const toQuestion = { From: `Alice <${alice}>`, "In-Reply-To": "<question@x.org>", References: "<ours@example.org>" }

/** The participants that the task of each mail got. */
const participantsOf = Effect.map(
  taskRows,
  (rows) => rows.map(({ reply_to }) => JSON.parse(reply_to ?? "{}").participants as unknown)
)

inWorld("A mail to a task that asks for approval", (test) => {
  test("approves by its own words, in reply to the question and to no other mail", function*() {
    const replies = [["Send", toQuestion, true], ["Send it", toQuestion, false], ["Send", answering, false]] as const
    for (const [text, headers, approves] of replies) {
      const id = yield* givenApproval
      yield* received([mailText(text, headers)])
      const [answer, ...others] = yield* inboxOf(id)
      assert.deepInclude(answer, { kind: "answered", text, approves, trusted: true })
      assert.deepInclude((yield* stepsOf(id)).at(-1), {
        kind: "answered",
        via: "email",
        decision: approves ? "approved" : "denied"
      })
      assert.deepStrictEqual(others, [])
    }
  })

  test("of a new thread tells to whom it went, and later ones do not add to that", function*() {
    const people = { To: "Troupe <troupe@example.org>, Bob <bob@example.net>", Cc: "carl@example.net" }
    yield* received([mailText("Answer all of us.", { ...people, From: "ada@example.net" })])
    assert.deepStrictEqual(yield* participantsOf, [["troupe@example.org", "bob@example.net", "carl@example.net"]])

    yield* Effect.flatMap(givenCompleted(), inThread)
    yield* received([mailText("Once more", { ...answering, Cc: "eve@example.net" })])
    assert.deepStrictEqual((yield* participantsOf).at(-1), [])
  })
})
