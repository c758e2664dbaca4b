import { assert } from "@effect/vitest"
import { chatReplyText } from "@troupe/domain/TeamChat"
import { Effect, Option } from "effect"
import { Sandbox } from "../../src/File/Sandbox.ts"
import { ensureRequestRole } from "../../src/Runtime/Database/RequestRole.ts"
import { Tasks } from "../../src/Task/UseCase/Tasks.ts"
import { outboxRows, settled, states } from "../support/Deliveries.ts"
import { eventually } from "../support/Eventually.ts"
import { alice, bob, completes, givenSubtask, givenTask, takeStep } from "../support/GivenTasks.ts"
import { as } from "../support/Seats.ts"
import { inWorld, Wire } from "../support/TaskWorld.ts"
import { asks, delivering, given, givenChatTask, posts, texts } from "./chat.ts"

inWorld("The chat channel", (test) => {
  test("posts what tasks say into their thread, in order, with files, buttons and who must answer", function*() {
    const { platform, reply } = yield* given
    const sandbox = yield* Sandbox
    yield* Effect.orDie(sandbox.write(alice, "report.md", "# Hi"))
    const first = yield* givenChatTask(reply)
    yield* completes(first, "It is **42** for <@UBOB> & co.", ["report.md", "gone.md"])
    const second = yield* givenChatTask(reply)
    yield* asks(second, "Which **one**?", ["Red", "Blue"])
    const tasks = yield* Tasks
    yield* tasks.cancel(second, Option.some("no longer needed"))
    yield* delivering(platform)
    yield* settled
    const places = posts(platform).map(({ channel, thread_ts }) => `${channel}/${thread_ts}`)
    assert.deepStrictEqual(places, Array.from({ length: 4 }, () => reply.thread))
    const [done, shared, question, failed] = posts(platform)
    assert.strictEqual(
      done?.text,
      "It is *42* for &lt;@UBOB&gt; &amp; co.\n\nNot attached: gone.md (gone or too large)"
    )
    assert.deepStrictEqual(shared?.files.map(({ content, name }) => [name, String(content)]), [["report.md", "# Hi"]])
    assert.strictEqual(question?.text, "<@UALICE> Which *one*?")
    assert.nestedPropertyVal(question, "blocks[1].elements[1].action_id", "answer_choice:1")
    assert.match(failed?.text ?? "", /^The task failed: .*no longer needed/)
    assert.deepStrictEqual([...new Set(yield* states)], ["sent"])
  })

  test("takes the buttons from a question that was answered elsewhere, and says by whom", function*() {
    const { platform, reply } = yield* given
    const { query } = yield* Wire
    const tasks = yield* Tasks
    const [early, late] = [yield* givenChatTask(reply), yield* givenChatTask(reply)]
    for (const id of [early, late]) yield* asks(id, "Which **one**?", ["Red", "Blue"])
    yield* tasks.answer(early, "Red & blue", Option.some(bob))
    platform.misbehave("chat.update", { _tag: "drop", after: true }, { _tag: "status", status: 500 })
    yield* delivering(platform)
    yield* settled
    assert.nestedPropertyVal(posts(platform)[1], "blocks[1].elements[1].action_id", "answer_choice:1")
    yield* ensureRequestRole()
    // With the rights of a request in hosted mode.
    yield* as({ id: alice, role: "member" })(tasks.answer(late, "Blue", Option.some(alice)))
    yield* eventually(
      Effect.sync(() => posts(platform)[1]?.text ?? ""),
      (text) => text.includes("Answered")
    )
    yield* settled
    assert.deepStrictEqual(texts(platform), [
      "<@UALICE> Which *one*?\n\nAnswered by Bob: Red &amp; blue",
      "<@UALICE> Which *one*?\n\nAnswered by Alice: Blue"
    ])
    for (const post of posts(platform)) {
      assert.deepStrictEqual(post.blocks.map((block) => (block as { type: string }).type), ["section", "section"])
    }
    assert.deepStrictEqual([...new Set(yield* states)], ["sent"])

    // A process that was killed before it noted the result, and a message that somebody deleted.
    platform.state.messages.splice(0, platform.state.messages.length)
    yield* query("update outbox set state = 'sending', due_at = now(), ended_at = null where kind = 'answered'")
    yield* eventually(
      query<{ last_error: string | null }>("select last_error from outbox where kind = 'answered' and state = 'sent'"),
      (rows) =>
        rows.length === 2 && rows.every(({ last_error }) => last_error?.includes("no longer be changed") === true)
    )
  })

  test("mentions the assignee, who must answer", function*() {
    const { platform, reply } = yield* given
    const { query } = yield* Wire
    const id = yield* givenChatTask(reply)
    yield* query("update tasks set assignee = 'bob' where id = $1", [id])
    yield* asks(id, "Which one?")
    yield* delivering(platform)
    yield* settled
    assert.deepStrictEqual(texts(platform), ["<@UBOB> Which one?"])
  })

  test("writes to a user who wants chat about a task from elsewhere, where an answer finds the task", function*() {
    const { platform } = yield* given
    const { query } = yield* Wire
    yield* query("update users set notify_by = '{chat}' where id = 'alice'")
    const id = yield* givenTask("Choose <one>")
    yield* asks(id, "Which one?")
    yield* delivering(platform, { console: new URL("https://troupe.example.org/console/") })
    yield* settled
    const [post] = posts(platform)
    assert.strictEqual(post?.channel, "DALICE")
    assert.strictEqual(
      post?.text,
      `*Question: Choose &lt;one&gt;*\n\nWhich one?\n\n<https://troupe.example.org/console/tasks/${id}|Open the task>`
    )
    const keys = yield* query<{ key: string }>("select key from task_threads where task_id = $1 order by 1", [id])
    assert.deepStrictEqual(keys.map(({ key }) => key), ["DALICE", `DALICE/${post?.ts}`])
  })

  test("ends questions, results and failures in a thread with a link to the task in the console", function*() {
    const { platform, reply } = yield* given
    const [asking, done, failed] = [
      yield* givenChatTask(reply),
      yield* givenChatTask(reply),
      yield* givenChatTask(reply)
    ]
    yield* asks(asking, "Which one?", ["red", "blue"])
    yield* completes(done, "It is 42.")
    yield* (yield* Tasks).cancel(failed, Option.some("no longer needed"))
    yield* delivering(platform, { console: new URL("https://troupe.example.org/console/") })
    yield* settled
    const link = (id: string) => `\n\n<https://troupe.example.org/console/tasks/${id}|Open the task>`
    assert.sameMembers(texts(platform), [
      `<@UALICE> Which one?${link(asking)}`,
      `It is 42.${link(done)}`,
      `The task failed: Cancelled: no longer needed${link(failed)}`
    ])
  })

  test("keeps what a task says in a channel in the thread of its first message, which a lost answer does not repeat", function*() {
    const { platform, reply } = yield* given
    const { query } = yield* Wire
    const id = yield* givenChatTask({ ...reply, thread: "CGENERAL" })
    yield* query("delete from task_threads")
    yield* asks(id, "Which one?")
    yield* delivering(platform).pipe(Effect.zipRight(settled), Effect.scoped)
    yield* query("update outbox set state = 'sending', ended_at = null, due_at = now()")
    const tasks = yield* Tasks
    yield* tasks.cancel(id, Option.some(`no longer needed ${"word ".repeat(1_500)}`))
    yield* delivering(platform)
    yield* settled
    const [question, ...others] = posts(platform)
    assert.deepInclude(question, { text: "<@UALICE> Which one?", channel: "CGENERAL" })
    assert.isAtLeast(others.length, 2)
    assert.deepStrictEqual([...new Set(others.map(({ thread_ts }) => thread_ts))], [question?.ts])
    assert.deepStrictEqual(yield* query("select key from task_threads"), [{ key: `CGENERAL/${question?.ts}` }])
    assert.deepStrictEqual(yield* states, ["sent", "sent"])
  })

  test("posts what a subtask waits for where the request came from, in a thread in which replies reach the request", function*() {
    const { platform, reply } = yield* given
    const { query } = yield* Wire
    for (const thread of [reply.thread, "CGENERAL"]) {
      yield* query("delete from task_threads")
      const request = yield* givenChatTask({ ...reply, thread })
      const waits = (paused: string) =>
        Effect.flatMap(
          givenSubtask(request),
          (id) => takeStep(id, { kind: "results", results: [], paused, notices: [`Waits for ${paused}.`] })
        )
      yield* waits("a sign-in")
      yield* delivering(platform).pipe(Effect.zipRight(settled), Effect.scoped)
      yield* waits("money")
      yield* delivering(platform).pipe(Effect.zipRight(settled), Effect.scoped)
      const [first, second] = posts(platform).slice(-2)
      assert.deepStrictEqual([first?.text, second?.text], [
        "<@UALICE> Waits for a sign-in.",
        "<@UALICE> Waits for money."
      ])
      const begun = thread === "CGENERAL" ? `CGENERAL/${first?.ts}` : thread
      assert.strictEqual(`${second?.channel}/${second?.thread_ts}`, begun)
      const threads = yield* query("select key, task_id::text from task_threads where key like '%/%'")
      assert.deepStrictEqual(threads, [{ key: begun, task_id: request }])
    }
  })

  test("answers where the task came from if the ways that its user chose lead nowhere", function*() {
    const { reply } = yield* given
    const { query } = yield* Wire
    const ways = Effect.fnUntraced(function*(notifyBy: string, email: string | null) {
      yield* query("truncate outbox")
      yield* query("update users set notify_by = $1, email = $2 where id = 'alice'", [notifyBy, email])
      yield* completes(yield* givenChatTask(reply), "Done.")
      return (yield* outboxRows).map(({ channel, recipient }) => [channel, recipient])
    })
    assert.deepStrictEqual(yield* ways("{email}", null), [["chat", chatReplyText(reply)]])
    assert.deepStrictEqual(yield* ways("{email}", "a@x.org"), [["email", "a@x.org"]])
    assert.deepStrictEqual(yield* ways("{email,ui}", null), [["chat", chatReplyText(reply)]])
    assert.deepStrictEqual(yield* ways("{email,chat}", "a@x.org"), [["chat", chatReplyText(reply)], [
      "email",
      "a@x.org"
    ]])
    assert.deepStrictEqual(yield* ways("{ui}", null), [])
    assert.deepStrictEqual(yield* ways("{}", "a@x.org"), [["chat", chatReplyText(reply)]])
  })

  test("posts a completion without a file that the platform refuses, and says which", function*() {
    const { platform, reply } = yield* given
    const sandbox = yield* Sandbox
    yield* Effect.orDie(sandbox.write(alice, "report.md", "# Hi"))
    platform.misbehave("files.getUploadURLExternal", { _tag: "error", code: "missing_scope" })
    yield* completes(yield* givenChatTask(reply), "Done.", ["report.md"])
    yield* delivering(platform)
    yield* settled
    assert.match(texts(platform).join(), /^Done\.\n\nNot attached: report\.md \(CHAT_BOT_TOKEN lacks a scope/)
  })
})
