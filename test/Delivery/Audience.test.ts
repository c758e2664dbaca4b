import { assert, describe, it } from "@effect/vitest"
import { type Audience, messagesTo, noticesOf } from "../../src/Delivery/Audience.ts"

const person = (id: string, notify_by: ReadonlyArray<string>, chat: string | null, email: string | null) => ({
  id,
  notify_by,
  addresses: { chat, email }
})

const inChat = { reply_channel: "chat", reply_to: "the thread" } as const
const byMail = { reply_channel: "email", reply_to: "the mail" } as const
const overApi = { reply_channel: null, reply_to: null }

const task = (
  from: Pick<Audience, "reply_channel" | "reply_to">,
  people: Audience["people"],
  more: Partial<Audience> = {}
): Audience => ({
  creator: "ada",
  assignee: null,
  assigned_by_answer: false,
  counts_replies: false,
  ...from,
  people,
  ...more
})

const ada = (...notify_by: ReadonlyArray<string>) => person("ada", notify_by, "U-ada", "ada@x.org")
const bob = (...notify_by: ReadonlyArray<string>) => person("bob", notify_by, "U-bob", "bob@x.org")

const told = (audience: Audience, asks: "approval" | "question" | null = null, count = 1) =>
  noticesOf(count, asks, audience).map(({ messages, user_id }) => [
    user_id,
    ...messages.map(({ channel, recipient }) => `${channel} ${recipient}`)
  ])

const rows: ReadonlyArray<readonly [what: string, audience: Audience, recipients: ReadonlyArray<string>]> = [
  ["each way that they want", task(overApi, [ada("email", "chat", "ui")]), ["chat U-ada", "email ada@x.org"]],
  ["no way, if the task came over the API and they want none", task(overApi, [ada()]), []],
  ["where the task came from, if they want no way", task(inChat, [ada()]), ["chat the thread"]],
  ["where the task came from, if they are no user", task(byMail, []), ["email the mail"]],
  ["the thread, if they want that way", task(inChat, [ada("chat")]), ["chat the thread"]],
  ["only the ways that they want, if these lead somewhere", task(inChat, [ada("email")]), ["email ada@x.org"]],
  [
    "where the task came from, if no way that they want leads anywhere",
    task(inChat, [person("ada", ["email", "ui"], null, null)]),
    ["chat the thread"]
  ],
  ["the feed alone, if they want that alone", task(inChat, [ada("ui")]), []]
]

describe("A notification reaches its user by", () => {
  it.each(rows)("%s", (_, audience, recipients) => {
    assert.deepStrictEqual(told(audience), [["ada", ...recipients]])
  })

  it("the assignee's ways, if it asks; results and failures are the creator's", () => {
    const assigned = task(byMail, [ada(), bob()], { assignee: "bob" })
    assert.deepStrictEqual(told(assigned, "question"), [["bob", "email bob@x.org"]], "not the creator's mailbox")
    assert.deepStrictEqual(told(assigned), [["ada", "email the mail"]])
    const inThread = { ...assigned, ...inChat }
    assert.deepStrictEqual(told(inThread, "question"), [["bob", "chat the thread"]])
  })

  it("the creator's ways, if it asks for approval and the assignee has only answered", () => {
    const answered = task(inChat, [ada(), bob()], { assignee: "bob", assigned_by_answer: true })
    assert.deepStrictEqual(told(answered, "approval"), [["ada", "chat the thread"]])
    assert.deepStrictEqual(told(answered, "question"), [["bob", "chat the thread"]])
  })

  it("one mail of a step, if the replies to an unknown sender are counted: that of the last", () => {
    const guest = task(byMail, [], { counts_replies: true })
    assert.deepStrictEqual(told(guest, "question", 3), [["ada"], ["ada"], ["ada", "email the mail"]])
    const [last] = noticesOf(1, null, guest)
    assert.deepStrictEqual(last?.messages.map(({ takes_reply }) => takes_reply), [true])
  })

  it("the ways that they want, if no task causes it", () => {
    assert.deepStrictEqual(messagesTo(ada("email")).map(({ recipient }) => recipient), ["ada@x.org"])
    assert.deepStrictEqual(messagesTo(ada()), [])
    assert.deepStrictEqual(messagesTo(null), [])
  })
})
