import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import { givenWaiting } from "../../support/GivenTasks.ts"
import { stepsOf } from "../../support/TaskRows.ts"
import { inWorld, Wire } from "../../support/TaskWorld.ts"
import { alice, answering, inboxOf, inThread, mailText, outcomes, received } from "./inbox.ts"

interface Row {
  readonly who?: ReadonlyArray<string>
  readonly class?: "destructive" | "outside"
  readonly text?: string
}

/** The task of Alice whose question, a mail of ours with this Message-ID, asks about these calls: a, b, ... */
const givenCalls = (...rows: ReadonlyArray<Row>) =>
  Effect.gen(function*() {
    const { query } = yield* Wire
    yield* query("truncate task_threads, approvals, outbox")
    const id = yield* Effect.flatMap(givenWaiting("May the agent make these calls?"), inThread)
    const calls = rows.map((_, at) => String.fromCharCode(97 + at))
    const call = calls.length === 1 ? "a" : JSON.stringify(calls)
    yield* query(
      "update actors set asks_approval = true, has_approvals = true, last_tool_call_id = $2 where task_id = $1",
      [id, call]
    )
    for (const [at, { class: ofClass = "outside", text = "x", who = ["requester", "admin"] }] of rows.entries()) {
      yield* query(
        `insert into approvals (id, task_id, tool_call_id, tool, class, arguments, files, parameters, preset, binding, who, created_at)
values ($1, $2, $3, 'files__delete', $4, $5, '[]', '{}', 'balanced', '', $6, now())`,
        [randomUUID(), id, calls[at], ofClass, JSON.stringify({ text }), who]
      )
    }
    yield* query(
      "insert into task_threads (channel, key, task_id, call) values ('email', '<question@x.org>', $1, $2)",
      [
        id,
        call
      ]
    )
    return id
  })

const toQuestion = { From: `Alice <${alice}>`, "In-Reply-To": "<question@x.org>", References: "<ours@example.org>" }

const replies = (text: string, headers: Readonly<Record<string, string>> = toQuestion) =>
  received([mailText(text, headers)])

const rowsOf = Effect.flatMap(
  Wire,
  ({ query }) =>
    query<{ status: string; reason: string | null; via: string | null }>(
      "select status, reason, via from approvals order by tool_call_id"
    )
)
const statuses = Effect.map(rowsOf, (rows) => rows.map(({ status }) => status))

/** What we wrote back. */
const told = Effect.flatMap(
  Wire,
  ({ query }) => query<{ payload: string }>("select payload from outbox where channel = 'email' order by id")
).pipe(Effect.map((rows) => rows.map(({ payload }) => String(JSON.parse(payload).body))))

inWorld("A reply to the mail that asks about calls", (test) => {
  test("approves all of them by its first line, whatever it quotes", function*() {
    const id = yield* givenCalls({}, {})
    yield* replies(
      "Approve.\r\n\r\nOn Mon, Troupe <troupe@example.org> wrote:\r\n> May the agent make these calls?\r\n> deny"
    )
    assert.deepStrictEqual(yield* rowsOf, [
      { status: "approved", reason: null, via: "email" },
      { status: "approved", reason: null, via: "email" }
    ])
    assert.deepStrictEqual((yield* inboxOf(id)).map(({ kind }) => kind), ["decided", "decided"])
    assert.deepStrictEqual(yield* told, [])
  })

  test("decides about those that it names", function*() {
    const id = yield* givenCalls({}, {}, {})
    yield* replies("APPROVE 1, 3")
    assert.deepStrictEqual(yield* statuses, ["approved", "open", "approved"])
    yield* replies("deny 2\r\nIt is needed.")
    assert.deepStrictEqual((yield* rowsOf)[1], { status: "denied", reason: "It is needed.", via: "email" })
    assert.deepInclude((yield* stepsOf(id)).at(-1), { kind: "answered", via: "email", decision: "denied" })
  })

  test("approves neither what the mail did not show whole nor what destroys, and is told where to decide", function*() {
    const id = yield* givenCalls({}, { text: "x".repeat(5_000) }, { class: "destructive" })
    yield* replies("approve")
    assert.deepStrictEqual(yield* statuses, ["approved", "open", "open"])
    const [body = ""] = yield* told
    assert.include(body, "Call 2 is too long for the mail")
    assert.include(body, "Call 3 destroys something")
    assert.include(body, `https://troupe.example/console/tasks/${id}`)
    yield* replies("approve 3")
    assert.deepStrictEqual(yield* statuses, ["approved", "open", "open"])
    assert.lengthOf(yield* told, 2)
    yield* replies("deny")
    assert.deepStrictEqual(yield* statuses, ["approved", "denied", "denied"])
  })

  test("decides nothing where it names calls that there are not, or are decided", function*() {
    yield* givenCalls({}, {})
    yield* replies("approve 1 4")
    assert.deepStrictEqual(yield* statuses, ["open", "open"])
    assert.include((yield* told)[0], "There is no call 4: the question has 2 calls.")
    yield* replies("approve 1")
    yield* replies("deny 1")
    assert.deepStrictEqual(yield* statuses, ["approved", "open"])
    assert.include((yield* told)[1], "Call 1 is decided already.")
  })

  test("is a message to the agent where its first line says anything else", function*() {
    const id = yield* givenCalls({})
    for (const text of ["Genehmigt", "Approve if Bob agrees", "Hello,\r\nApprove", "yes"]) yield* replies(text)
    assert.deepStrictEqual(yield* statuses, ["open"])
    assert.deepStrictEqual((yield* inboxOf(id)).map(({ kind }) => kind), Array.from({ length: 4 }, () => "steered"))
  })

  test("passes on to the agent what it says beside the approval", function*() {
    const id = yield* givenCalls({})
    yield* replies("Approve\r\n\r\nThen tell Bob.")
    assert.deepStrictEqual(yield* statuses, ["approved"])
    assert.deepInclude((yield* inboxOf(id)).at(-1), { kind: "steered", text: "Then tell Bob." })
  })

  test("decides nothing in reply to another mail of the task, and is told so", function*() {
    yield* givenCalls({})
    for (const word of ["Approve", "Deny"]) yield* replies(word, answering)
    assert.deepStrictEqual(yield* statuses, ["open"])
    for (const body of yield* told) assert.include(body, "another mail than the one that asks")
    assert.lengthOf(yield* told, 2)
  })

  test("counts only of those whom the rule lists", function*() {
    const { query } = yield* Wire
    yield* query(
      "insert into users (id, name, email) values ('carol', 'Carol', 'carol@example.net') on conflict (id) do nothing"
    )
    const ofCarol = { ...toQuestion, From: "Carol <carol@example.net>" }
    yield* givenCalls({ who: ["carol"] }, {})
    yield* replies("approve 1")
    assert.include((yield* told)[0], "Call 1 is for others to decide.")
    yield* replies("approve", ofCarol)
    assert.deepStrictEqual(yield* statuses, ["approved", "open"])
    assert.include((yield* told)[1], "Call 2 is for others to decide.")
    yield* givenCalls({}, {})
    yield* replies("approve", ofCarol)
    assert.deepStrictEqual([yield* statuses, (yield* outcomes).at(-1)], [["open", "open"], "refused"])
  })

  test("decides nothing once the question is decided, not even about a call that is asked anew", function*() {
    const { query } = yield* Wire
    const id = yield* givenCalls({})
    yield* replies("approve")
    yield* query(
      "update actors set status = 'waiting_input', asks_approval = true, last_tool_call_id = 'a', wake_at = null where task_id = $1",
      [id]
    )
    yield* query("update approvals set status = 'open'")
    yield* replies("approve")
    assert.deepStrictEqual(yield* statuses, ["open"])
    assert.include((yield* told).at(-1), "another mail than the one that asks")
  })
})
