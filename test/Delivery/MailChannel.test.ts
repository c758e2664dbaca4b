import { assert, it } from "@effect/vitest"
import { type TaskId, ToolCallId } from "@troupe/domain/Ids"
import { mailReplyText } from "@troupe/domain/Mailbox"
import { Effect, Option, Queue } from "effect"
import { Notifications } from "../../src/Delivery/Notifications.ts"
import { mailTextOf } from "../../src/Delivery/NotificationText.ts"
import { Sandbox } from "../../src/File/Sandbox.ts"
import { Snapshots } from "../../src/File/Snapshots.ts"
import { Tasks } from "../../src/Task/UseCase/Tasks.ts"
import { sendEmail } from "../../src/Tool/SendEmail.ts"
import { givenMail, mailChannel, outboxRows, startStream, states } from "../support/Deliveries.ts"
import { eventually } from "../support/Eventually.ts"
import { alice, bob, claim, completes, givenTask, request, takeStep } from "../support/GivenTasks.ts"
import { type Arrival, makeMailServer, status } from "../support/MailServer.ts"
import { freePort } from "../support/Processes.ts"
import { asks, call, says, scriptedModel } from "../support/ScriptedModel.ts"
import { inWorld, Wire } from "../support/TaskWorld.ts"
import { makeEntities } from "../support/Workers.ts"
import { forgetUsers, wants } from "./mails.ts"

it("Markdown becomes text and HTML that runs, fetches and hides nothing", () => {
  const body = "# Plan\n\n- **one**\n- [two](https://example.org)\n\n<script>alert(1)</script> "
    + "![a <cat>](https://evil.example/x.png) [bad](javascript:alert(1))"
  const { html, text } = mailTextOf(body)
  assert.strictEqual(text, body)
  assert.match(html, /<h1>Plan<\/h1>[^]*<strong>one<\/strong>[^]*<a href="https:\/\/example\.org">two/)
  assert.notMatch(html, /<script|<img|href="javascript|src=/)
  assert.include(html, "[Image: a &lt;cat&gt;]")
})

const question = (id: TaskId, text: string) =>
  takeStep(id, { kind: "results", results: [], asked: { id: ToolCallId.make("q"), question: text } })

/** A task that a mail of Alice made. */
const givenMailTask = (to: string) =>
  Effect.gen(function*() {
    const { submit } = yield* Tasks
    const reply = {
      address: to,
      name: "Alice \"A\"",
      subject: "RE: Re: The answer",
      messageId: "<two@example.org>",
      references: ["<one@example.org>"]
    }
    const source = {
      kind: "email" as const,
      reply: { channel: "email" as const, to: mailReplyText(reply) },
      threads: ["<two@example.org>"],
      toolAccess: "all" as const
    }
    return (yield* submit(request("What is the answer?", { source }))).id
  })

const parsed = (arrivals: Queue.Dequeue<Arrival>) =>
  Effect.flatMap(Queue.take(arrivals), ({ mail, raw }) => Effect.map(mail, (found) => ({ ...found, raw })))

inWorld("Mail of the outbox", (test) => {
  test("is sent once for a call of send_email, from the commit of its result, with the files of that moment", function*() {
    yield* forgetUsers
    const line = yield* Wire
    const sandbox = yield* Sandbox
    const server = yield* makeMailServer()
    yield* startStream(mailChannel(server.settings()))
    yield* Effect.orDie(sandbox.write(alice, "plan.md", "first"))
    const mail = { to: ["ada@x.org"], cc: "bob@x.org", subject: "Plan", body: "*Hi*", attachments: ["plan.md"] }
    const scripted = scriptedModel(asks(call("mail", "send_email", mail)), says("Done."))
    const tool = sendEmail(sandbox, yield* Snapshots, { sender: Option.some(server.settings().from) }, {
      check: () => Effect.succeed({ unexpected: [], mayAsk: true, leaves: false })
    })
    const entities = yield* makeEntities({ scripted, tools: [tool] })
    const id = yield* givenTask("Write to Ada")
    const claimed = yield* claim(id)
    line.sent.length = 0
    yield* entities.wake(claimed)
    yield* Effect.orDie(sandbox.write(alice, "plan.md", "second"))
    const appends = line.sent.filter(({ name }) => name.startsWith("journal_append"))
    assert.deepStrictEqual(appends.map(({ name }) => name), [
      "journal_append",
      "journal_append_act",
      "journal_append_tell"
    ])
    const arrived = yield* parsed(server.arrivals)
    assert.deepStrictEqual(arrived.to?.map(({ address }) => address), ["ada@x.org"])
    assert.deepStrictEqual(arrived.cc?.map(({ address }) => address), ["bob@x.org"])
    assert.deepStrictEqual([arrived.subject, arrived.attachments[0]?.filename], ["Plan", "plan.md"])
    assert.include(arrived.raw, Buffer.from("first").toString("base64"))
    yield* eventually(states, (all) => all.join() === "sent")
    assert.strictEqual(server.count(), 1)
  })

  test("answers the mail that made the task, with the files of the task, and is a thread of it", function*() {
    yield* forgetUsers
    const sandbox = yield* Sandbox
    const { query } = yield* Wire
    yield* Effect.orDie(sandbox.write(alice, "out/answer.md", "42"))
    const server = yield* makeMailServer()
    yield* startStream(mailChannel(server.settings()))
    const id = yield* givenMailTask("alice@home.example")
    yield* completes(id, "It is **42**.", ["out/answer.md", "gone.md"])
    const mail = yield* parsed(server.arrivals)
    assert.deepStrictEqual(mail.to?.map(({ address, name }) => [name, address]), [["Alice A", "alice@home.example"]])
    assert.strictEqual(mail.subject, "Re: The answer")
    assert.strictEqual(mail.inReplyTo, "<two@example.org>")
    assert.strictEqual(mail.references, "<one@example.org> <two@example.org>")
    assert.match(mail.raw, /^Auto-Submitted: auto-replied\r$/m)
    assert.include(mail.html ?? "", "<strong>42</strong>")
    assert.match(
      mail.text ?? "",
      /It is \*\*42\*\*\.\s+Not attached, because the files are gone or too large: gone\.md/
    )
    assert.include(
      mail.text ?? "",
      `Reply to this mail to continue the task.\nThe task: https://troupe.example.org/at/console/tasks/${id}`
    )
    assert.deepStrictEqual(mail.attachments.map(({ filename }) => filename), ["answer.md"])
    yield* eventually(states, (all) => all.join() === "sent")
    const [row] = yield* outboxRows
    assert.strictEqual(mail.messageId, `<${row?.id}@example.org>`)
    const threads = yield* query<{ key: string }>("select key from task_threads where channel = 'email' order by key")
    assert.deepStrictEqual(threads.map(({ key }) => key), [mail.messageId, "<two@example.org>"])
  })

  test("says how to answer a question, and begins a thread where the user wants mail about a task of the API", function*() {
    yield* forgetUsers
    yield* wants("alice", ["email"])
    const server = yield* makeMailServer()
    yield* startStream(mailChannel(server.settings(), false))
    const id = yield* givenTask("Choose")
    yield* question(id, "Which one?\n- red\n- blue")
    const mail = yield* parsed(server.arrivals)
    assert.strictEqual(mail.subject, "Question: Choose")
    assert.isUndefined(mail.inReplyTo)
    assert.match(mail.raw, /^Auto-Submitted: auto-generated\r$/m)
    assert.match(
      mail.text ?? "",
      /^Which one\?\n- red\n- blue\s+-- \nAnswer at https:\/\/troupe\.example\.org\/at\/console\/tasks\//
    )
    assert.include(mail.html ?? "", "<li>blue</li>")
  })

  test("names the creator of a task whose calls ask, and does so in the feed", function*() {
    yield* forgetUsers
    yield* wants("alice", ["email"])
    const { query } = yield* Wire
    yield* query("update users set name = 'Alice Miller' where id = 'alice'")
    const server = yield* makeMailServer()
    yield* startStream(mailChannel(server.settings(), false))
    yield* question(yield* givenTask("Send it"), "May the agent make this call?\n\nThe task belongs to alice.")
    const { text } = yield* parsed(server.arrivals)
    assert.match(text ?? "", /^May the agent make this call\?\n\nThe task belongs to Alice Miller\./)
    const { list } = yield* Notifications
    const [entry] = yield* list(alice, { unread: true, limit: 1, cursor: Option.none() })
    assert.include(entry?.body, "The task belongs to Alice Miller.")
  })

  test("asks the assignee of a task that came by mail at their own address", function*() {
    yield* forgetUsers
    yield* wants("bob", [])
    const { query } = yield* Wire
    const id = yield* givenMailTask("alice@home.example")
    yield* query("update tasks set assignee = $2 where id = $1", [id, bob])
    yield* question(id, "Which one?")
    assert.deepStrictEqual((yield* outboxRows).map(({ recipient }) => recipient), ["bob@example.org"])
  })

  test("loses nothing while the server is off, busy or unsure about the sender", function*() {
    const once = new Set<string>()
    const options = {
      onRcptTo: ({ address }: { address: string }, _session: unknown, done: (error?: Error) => void) => {
        if (once.has(address)) return done()
        once.add(address)
        done(status(450, "4.2.0 Greylisted"))
      }
    }
    const port = yield* freePort
    for (const to of ["ada@x.org", "bob@x.org"]) yield* givenMail(to, "Hello")
    const probe = yield* makeMailServer(options)
    yield* startStream(mailChannel(probe.settings({ port })))
    yield* eventually(outboxRows, (rows) => rows.every(({ attempts }) => attempts > 1))
    assert.match((yield* outboxRows)[0]?.last_error ?? "", /can't be reached/)
    assert.strictEqual(probe.count(), 0)
    yield* makeMailServer({ ...options, port })
    yield* eventually(states, (all) => all.every((state) => state === "sent"), "20 seconds")
    assert.strictEqual(once.size, 2)
  })

  test("is a dead letter when the server refuses it or never answers, without holding others up", function*() {
    for (const [to, subject] of [["nobody@x.org", "1"], ["ada@x.org", "lost"], ["ada@x.org", "3"]] as const) {
      yield* givenMail(to, subject)
    }
    let taken = 0
    const server = yield* makeMailServer({
      onRcptTo: ({ address }, _session, done) =>
        address.startsWith("nobody") ? done(status(550, "5.1.1 No such user")) : done(),
      answer: (done) => taken++ === 0 ? undefined : done()
    })
    yield* startStream(mailChannel(server.settings()))
    yield* eventually(states, (all) => all.join() === "failed,failed,sent")
    const [nobody, lost] = yield* outboxRows
    assert.match(nobody?.last_error ?? "", /550 5\.1\.1 No such user/)
    assert.deepStrictEqual([nobody?.attempts, nobody?.handed_over], [1, false])
    assert.match(lost?.last_error ?? "", /may have been sent/)
    assert.deepStrictEqual([lost?.attempts, lost?.handed_over, server.count()], [1, true, 2])
  })
})
