import { assert } from "@effect/vitest"
import { chatReplyText } from "@troupe/domain/TeamChat"
import { Effect, Layer, Option } from "effect"
import { Sandbox } from "../../src/File/Sandbox.ts"
import { Senders } from "../../src/People/Team/Senders.ts"
import { MailRecipientsLayer } from "../../src/Task/Read/MailRecipientsLayer.ts"
import { Tasks } from "../../src/Task/UseCase/Tasks.ts"
import { attachFile } from "../../src/Tool/FileTools.ts"
import { MailRecipients } from "../../src/Tool/MailRecipients.ts"
import { eventually } from "../support/Eventually.ts"
import { fakeTool } from "../support/FakeTool.ts"
import { alice, request } from "../support/GivenTasks.ts"
import { asks, call, says, scriptedModel } from "../support/ScriptedModel.ts"
import { inWorld, Wire } from "../support/TaskWorld.ts"
import { startWorker } from "../support/Workers.ts"

/** What a task comes to that reads a mail and attaches report.md, asked for in a channel with these people. */
const attaches = (
  people: ReadonlyArray<"colleague" | "guest">,
  { channel = "CROOM", isRead = true, message = "Report" }: {
    readonly channel?: string
    readonly isRead?: boolean
    readonly message?: string
  } = {}
) =>
  Effect.gen(function*() {
    const { query } = yield* Wire
    const tasks = yield* Tasks
    const sandbox = yield* Sandbox
    const scripted = scriptedModel()
    yield* query("delete from channel_members")
    yield* query(
      `insert into channels (id, channel_id, name, topic, purpose, is_private, is_active, is_member, member_count)
values (gen_random_uuid(), 'CROOM', 'room', '', '', false, true, true, 2) on conflict do nothing`
    )
    for (const one of people) {
      yield* query("insert into users (id, name, is_guest) values ($1, $1, $2) on conflict do nothing", [
        one,
        one === "guest"
      ])
      yield* query("insert into channel_members (channel_id, user_id) values ('CROOM', $1)", [one])
    }
    yield* sandbox.write(alice, "report.md", "# Report")
    const recipients = yield* Effect.provide(
      MailRecipients,
      MailRecipientsLayer({ domains: [] }).pipe(Layer.provide(Senders.layer))
    )
    yield* startWorker({
      scripted,
      tools: [
        attachFile(sandbox, recipients),
        { ...fakeTool("read_mail", Effect.succeed("Dear Alice")), shows: { outside: "a mail", private: true } }
      ]
    })
    scripted.script(
      ...(isRead ? [asks(call("r", "read_mail", {}))] : []),
      asks(call("a", "attach_file", { path: "report.md" })),
      says("Done.")
    )
    const { id } = yield* tasks.submit(request(message, {
      source: {
        kind: "chat",
        reply: { channel: "chat", to: chatReplyText({ thread: `${channel}/1`, user: "UALICE" }) },
        toolAccess: "all"
      }
    }))
    const settled = eventually(tasks.find(id), ({ status }) => status === "waiting_input" || status === "completed")
    const { approvals, choices, last_tool_call_id, question, status } = yield* settled
    if (status === "completed") return { status, question, files: approvals, outputs: 0 }
    yield* tasks.answer(id, choices[0] ?? "", Option.some(alice), { call: last_tool_call_id })
    const { outputs } = yield* eventually(tasks.find(id), (task) => task.status === "completed")
    return { status, question, files: approvals.flatMap(({ files }) => files), outputs: outputs.length }
  }).pipe(Effect.scoped)

inWorld("A file that a task attaches after private texts and texts from outside", (test) => {
  test("asks where guests read the conversation, and is posted once it is approved", function*() {
    const { files, outputs, question, status } = yield* attaches(["colleague", "guest"])
    assert.strictEqual(status, "waiting_input")
    assert.include(question, "private things may leave the team")
    assert.include(question, "report.md")
    assert.containSubset(files, [{ path: "report.md", size: 8 }])
    assert.strictEqual(outputs, 2)
  })

  test("asks where nobody is known to be in the conversation", function*() {
    assert.strictEqual((yield* attaches([])).status, "waiting_input")
  })

  test("is attached unasked where only the team reads it, or it is a direct conversation", function*() {
    assert.strictEqual((yield* attaches(["colleague"])).status, "completed")
    assert.strictEqual((yield* attaches(["guest"], { channel: "DALICE" })).status, "completed")
  })

  test("is attached unasked where its person named it, or nothing from outside was read", function*() {
    assert.strictEqual((yield* attaches(["guest"], { message: "Post report.md here" })).status, "completed")
    assert.strictEqual((yield* attaches(["guest"], { isRead: false })).status, "completed")
  })
})
