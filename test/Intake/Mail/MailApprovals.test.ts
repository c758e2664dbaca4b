import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { givenCompleted, givenWaiting } from "../../support/GivenTasks.ts"
import { makeImapServer } from "../../support/ImapServer.ts"
import { inWorld, Wire } from "../../support/TaskWorld.ts"
import { check, mailText, outcomes, taskRows } from "./inbox.ts"
import { alice, answering, inboxOf, inThread, quoted, statusOf } from "./replies.ts"

/** A task of Alice that asks whether a mail may be sent, by a mail of ours with this Message-ID. */
const givenApproval = Effect.gen(function*() {
  const { query } = yield* Wire
  const id = yield* Effect.flatMap(givenWaiting("May this mail be sent?"), inThread)
  yield* query("update actors set asks_approval = true, choices = '{Send,Don''t send}' where task_id = $1", [id])
  yield* query(
    "insert into task_threads (channel, key, task_id, call) values ('email', '<question@x.org>', $1, 'ask1')",
    [
      id
    ]
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
  test("approves by the first paragraph of its own words, in reply to the question", function*() {
    const server = yield* makeImapServer
    const approving = ["Send", " send \n\nBest regards\nAlice", `SEND${quoted}`]
    const other = ["Don't send", "Send it", "Please\nSend", "Send\nbut without the file", "> Send\n\nNo", "Send!"]
    for (const text of [...approving, ...other]) {
      const id = yield* givenApproval
      server.deliver(mailText(text, { ...toQuestion, "Message-ID": `<${encodeURIComponent(text)}@example.net>` }))
      yield* check(server.settings(), { maxPerSender: 100 })
      assert.deepStrictEqual(
        (yield* inboxOf(id)).map((body) => ({ kind: body.kind, approves: body.approves })),
        [{ kind: "answered", approves: approving.includes(text) }],
        text
      )
      yield* Effect.flatMap(Wire, ({ query }) => query("truncate task_threads"))
    }
  })

  test("approves nothing in reply to another mail, or from somebody else", function*() {
    const { query } = yield* Wire
    const id = yield* givenApproval
    yield* query("insert into users (id, email) values ('bob', 'bob@example.net') on conflict do nothing")
    const server = yield* makeImapServer
    server.deliver(mailText("Send", { ...toQuestion, From: "bob@example.net" }))
    server.deliver(mailText("Send", { ...toQuestion, From: "stranger@example.net" }))
    yield* check(server.settings())
    assert.deepStrictEqual(yield* outcomes, ["refused", "refused"])
    assert.strictEqual(yield* statusOf(id), "waiting_input")
    server.deliver(mailText("Send", answering))
    yield* check(server.settings())
    const [answer] = yield* inboxOf(id)
    assert.deepInclude(answer, { kind: "answered", text: "Send", approves: false, trusted: true })
  })

  test("of a new thread tells to whom it went, and later ones do not add to that", function*() {
    const server = yield* makeImapServer
    const people = { To: "Troupe <troupe@example.org>, Bob <bob@example.net>", Cc: "carl@example.net" }
    server.deliver(mailText("Answer all of us.", { ...people, From: "ada@example.net" }))
    yield* check(server.settings())
    assert.deepStrictEqual(yield* participantsOf, [["troupe@example.org", "bob@example.net", "carl@example.net"]])

    yield* Effect.flatMap(givenCompleted(), inThread)
    server.deliver(mailText("Once more", { ...answering, Cc: "eve@example.net", "Message-ID": "<later@example.net>" }))
    yield* check(server.settings())
    assert.deepStrictEqual((yield* participantsOf).at(-1), [])
  })
})
