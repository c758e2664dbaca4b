import { assert } from "@effect/vitest"
import type { TaskId } from "@troupe/domain/Ids"
import { UserId } from "@troupe/domain/Ids"
import type { Approvers } from "@troupe/domain/Policy"
import { Effect, Option } from "effect"
import { Policies } from "../../src/Policy/Policies.ts"
import { via } from "../../src/Task/Command/CurrentVia.ts"
import { ApprovalList } from "../../src/Task/Read/ApprovalList.ts"
import { Tasks } from "../../src/Task/UseCase/Tasks.ts"
import type { AgentTool } from "../../src/Tool/AgentTool.ts"
import { eventually } from "../support/Eventually.ts"
import { fakeTool } from "../support/FakeTool.ts"
import { alice, request } from "../support/GivenTasks.ts"
import { asks, call, says, scriptedModel } from "../support/ScriptedModel.ts"
import { inWorld, Wire } from "../support/TaskWorld.ts"
import { startWorker } from "../support/Workers.ts"

const mallory = UserId.make("mallory")
const by = Option.some<UserId>

/** A tool of a server that deletes files, and notes what it did. */
const deletion = (ran: Array<string>, ofClass: "destructive" | "outside" = "outside"): AgentTool => ({
  ...fakeTool("files__delete", Effect.succeed(""), { effect: "outside" }),
  parameters: {
    type: "object",
    properties: { path: { type: "string" }, times: { type: "integer" } },
    required: ["path"],
    additionalProperties: false
  },
  class: ofClass,
  changes: "outside",
  server: { name: "files", binding: "b", isOpenWorld: true },
  run: (args) =>
    Effect.sync(() => {
      ran.push(JSON.stringify(args))
      return { _tag: "Answered", content: `deleted ${JSON.stringify(args)}` }
    })
})

const two = asks(call("one", "files__delete", { path: "a" }), call("two", "files__delete", { path: "b" }))

/** A worker whose rules ask for each deletion. */
const makeFiles = Effect.fnUntraced(function*(ofClass?: "destructive", who?: Approvers) {
  const tasks = yield* Tasks
  const ran: Array<string> = []
  const scripted = scriptedModel()
  yield* startWorker({
    scripted,
    tools: [deletion(ran, ofClass)],
    policies: Policies.layerOf({
      rules: [{ effect: "ask", tool: "files__*", because: "Files are dear.", ...(who === undefined ? {} : { who }) }]
    })
  })
  const settled = (id: TaskId) =>
    eventually(tasks.find(id), ({ status }) => status === "waiting_input" || status === "completed")
  return {
    ran,
    tasks,
    settled,
    asked: Effect.gen(function*() {
      scripted.script(two, says("Done."))
      const { id } = yield* tasks.submit(request("Tidy up"))
      return yield* settled(id)
    }),
    resultsOf: (id: TaskId) =>
      Effect.map(
        tasks.messages(id),
        (messages) => messages.filter(({ role }) => role === "tool").map(({ content }) => content)
      )
  }
})

inWorld("Calls that ask for approval", (test) => {
  test("are rows of one question; the task goes on once all are decided, and runs what was approved", function*() {
    const { asked, ran, resultsOf, settled, tasks } = yield* makeFiles()
    const task = yield* asked
    assert.deepInclude(task, { last_tool_call_id: "[\"one\",\"two\"]", choices: ["Approve", "Deny"] })
    assert.strictEqual(task.waiting_for?.reason, "approval")
    assert.deepStrictEqual(
      task.approvals.map(({ arguments: args, rule, server, status, who }) => ({ args, rule, server, status, who })),
      ["a", "b"].map((path) => ({
        args: { path },
        rule: { index: 0, because: "Files are dear." },
        server: "files",
        status: "open" as const,
        who: ["requester", "admin"]
      }))
    )
    for (const text of ["a", "b", "Files are dear.", "files__delete"]) assert.include(task.question, text)
    const first = yield* tasks.decide(task.id, [{ tool_call_id: "two", decision: "approve" }], by(alice))
    assert.deepInclude(first, { status: "waiting_input" })
    assert.deepStrictEqual(first.approvals.map(({ decided_by, status }) => [status, decided_by]), [
      ["open", null],
      ["approved", alice]
    ])
    assert.deepStrictEqual(ran, [])
    yield* tasks.decide(task.id, [{ tool_call_id: "one", decision: "deny", reason: "It is needed" }], by(alice))
    assert.strictEqual((yield* settled(task.id)).status, "completed")
    assert.deepStrictEqual(ran, ["{\"path\":\"b\"}"])
    const [denied, done] = yield* resultsOf(task.id)
    assert.match(denied ?? "", /^Error: files__delete was not called: alice denied it: It is needed\./)
    assert.match(done ?? "", /deleted/)
  })

  test("apply all or nothing, say who decided before, and are for those who may", function*() {
    const { asked, ran, tasks } = yield* makeFiles()
    const { id } = yield* asked
    const decide = (calls: ReadonlyArray<string>, who: UserId) =>
      tasks.decide(id, calls.map((tool_call_id) => ({ tool_call_id, decision: "approve" as const })), by(who))
    assert.strictEqual((yield* Effect.flip(decide(["one"], mallory)))._tag, "NotAllowed")
    assert.strictEqual((yield* Effect.flip(decide(["one", "three"], alice)))._tag, "TaskRequestInvalid")
    assert.strictEqual((yield* Effect.flip(decide(["one", "one"], alice)))._tag, "TaskRequestInvalid")
    assert.deepStrictEqual((yield* tasks.find(id)).approvals.map(({ status }) => status), ["open", "open"])
    yield* decide(["one"], alice)
    const again = yield* Effect.flip(decide(["two", "one"], alice))
    assert.strictEqual(again._tag, "ApprovalDecided")
    assert.match(again.message, /^The call one is approved already by alice, at 20/)
    assert.deepStrictEqual((yield* tasks.find(id)).approvals.map(({ status }) => status), ["approved", "open"])
    yield* tasks.cancel(id, Option.none())
    assert.deepStrictEqual((yield* tasks.find(id)).approvals.map(({ status }) => status), ["approved", "cancelled"])
    assert.deepStrictEqual(ran, [])
  })

  test("run as they were edited, if the tool's schema takes it", function*() {
    const { asked, ran, settled, tasks } = yield* makeFiles()
    const { id } = yield* asked
    const edited = (args: Readonly<Record<string, unknown>>) =>
      tasks.decide(id, [
        { tool_call_id: "one", decision: "approve", arguments: args },
        { tool_call_id: "two", decision: "deny" }
      ], by(alice))
    for (const wrong of [{}, { path: 1 }, { path: "a", times: 1.5 }, { path: "a", other: true }]) {
      assert.strictEqual((yield* Effect.flip(edited(wrong)))._tag, "TaskRequestInvalid", JSON.stringify(wrong))
    }
    yield* edited({ path: "c" })
    const { approvals } = yield* settled(id)
    assert.deepStrictEqual(ran, ["{\"path\":\"c\"}"])
    assert.deepInclude(approvals[0], { status: "approved", edited: true, arguments: { path: "c" } })
  })

  test("are decided by Approve and Deny with the question's id; other text is a message that leaves them open", function*() {
    const { asked, ran, settled, tasks } = yield* makeFiles()
    const { id, last_tool_call_id: call } = yield* asked
    assert.strictEqual((yield* Effect.flip(tasks.answer(id, "Approve", by(alice))))._tag, "TaskStateConflict")
    const open = yield* tasks.answer(id, "Only the first, please", by(alice))
    assert.strictEqual(open.status, "waiting_input")
    yield* tasks.answer(id, "approve", by(alice), { call })
    assert.strictEqual((yield* settled(id)).status, "completed")
    assert.lengthOf(ran, 2)
    const said = (yield* tasks.messages(id)).filter(({ role }) => role === "user").map(({ content }) => content)
    assert.include(said, "Only the first, please")
  })

  test("are decided in part, then by an answer to all; the chat message becomes each decision", function*() {
    const { asked, ran, settled, tasks } = yield* makeFiles()
    const { id, last_tool_call_id: call } = yield* asked
    const { query } = yield* Wire
    yield* query(
      `insert into outbox (id, channel, recipient, kind, task_id, notification_id, state, due_at, ended_at)
  select gen_random_uuid(), 'chat', 'UADA', 'notification', task_id, notification_id(now(), task_id, seq, 0), 'sent', null, now()
  from actors where task_id = $1`,
      [id]
    )
    const shown = query("select payload::json ->> 'answer' as answer from outbox where kind = 'answered' order by id")
    yield* tasks.decide(id, [{ tool_call_id: "one", decision: "deny" }], by(alice))
    assert.deepStrictEqual(yield* shown, [{ answer: "denied" }])
    yield* tasks.answer(id, "Approve", by(alice), { call, approves: true })
    assert.strictEqual((yield* settled(id)).status, "completed")
    assert.deepStrictEqual(ran, ["{\"path\":\"b\"}"])
    assert.deepStrictEqual(yield* shown, [{ answer: "denied" }, { answer: "approved" }])
  })

  test("are decided by no program for which no rule lists its user", function*() {
    const { asked, settled, tasks } = yield* makeFiles()
    const { id, last_tool_call_id: call } = yield* asked
    const answer = (text: string) => via("mcp")(tasks.answer(id, text, by(alice), { call }))
    for (const text of ["Approve", "Deny"]) {
      assert.strictEqual((yield* Effect.flip(answer(text)))._tag, "NotAllowed")
    }
    assert.strictEqual((yield* answer("Only the first, please")).status, "waiting_input", "a message to the agent")
    yield* tasks.answer(id, "Deny", by(alice), { call })
    yield* settled(id)
  })

  test("are decided by a program whose user the rule lists", function*() {
    const { asked, ran, settled, tasks } = yield* makeFiles(undefined, ["alice"])
    const { id, last_tool_call_id: call } = yield* asked
    yield* via("mcp")(tasks.answer(id, "Approve", by(alice), { call }))
    yield* settled(id)
    assert.lengthOf(ran, 2)
  })

  test("are not approved by a mail where they are destructive, but denied", function*() {
    const { asked, ran, settled, tasks } = yield* makeFiles("destructive")
    const { id, last_tool_call_id: call } = yield* asked
    const refused = yield* Effect.flip(via("email")(tasks.answer(id, "Approve", by(alice), { call, approves: true })))
    assert.strictEqual(refused._tag, "NotAllowed")
    yield* via("email")(tasks.answer(id, "Deny", by(alice), { call }))
    assert.strictEqual((yield* settled(id)).status, "completed")
    assert.deepStrictEqual(ran, [])
  })

  test("are remembered as grants, which are listed with their uses and can be ended", function*() {
    const { asked, tasks } = yield* makeFiles()
    const { id } = yield* asked
    yield* tasks.decide(id, [
      { tool_call_id: "one", decision: "approve", remember: { scope: "task", same: ["/path"] } },
      { tool_call_id: "two", decision: "deny" }
    ], by(alice))
    const { query } = yield* Wire
    assert.deepStrictEqual(
      yield* query("select tool, scope, task_id::text, \"values\", granted_by, uses from grants"),
      [{ tool: "files__delete", scope: "task", task_id: id, values: "{\"/path\":\"a\"}", granted_by: alice, uses: 0 }]
    )
    const list = yield* Effect.provide(ApprovalList, ApprovalList.layer)
    const [grant] = yield* list.grants
    assert.deepInclude(grant, { same: ["/path"], values: { "/path": "a" }, task_id: id })
    yield* list.removeGrant(grant?.id ?? "")
    assert.deepStrictEqual(yield* list.grants, [])
    const invalid = yield* Effect.flip(tasks.decide((yield* asked).id, [
      { tool_call_id: "one", decision: "approve", remember: { scope: "schedule" } }
    ], by(alice)))
    assert.strictEqual(invalid._tag, "TaskRequestInvalid", "no schedule has made it")
  })
})
