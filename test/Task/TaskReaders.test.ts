import { SqlClient } from "@effect/sql/SqlClient"
import { assert } from "@effect/vitest"
import type { Caller } from "@troupe/domain/Caller"
import { ToolCallId, UserId } from "@troupe/domain/Ids"
import { mayReadContent } from "@troupe/domain/TaskReaders"
import { Effect, Option } from "effect"
import { requireCaller } from "../../src/Runtime/Database/Isolation.ts"
import { ensureRequestRole } from "../../src/Runtime/Database/RequestRole.ts"
import { Journal } from "../../src/Task/Journal/Journal.ts"
import { Tasks } from "../../src/Task/UseCase/Tasks.ts"
import { admin, memberAlice, memberBob } from "../People/alice.ts"
import { alice, bob, claim, completes, givenCompleted, givenTask, request, stepAfter } from "../support/GivenTasks.ts"
import { call } from "../support/ScriptedModel.ts"
import { as } from "../support/Seats.ts"
import { inWorld, Wire } from "../support/TaskWorld.ts"

const secret = "mangrove"
const carol = UserId.make("carol")

/** As a request of the caller runs in hosted mode. */
const asked = (caller: Caller) => <A, E, R>(effect: Effect.Effect<A, E, R>) => requireCaller(as(caller)(effect))

/** A running task of Alice with secrets in its request, its conversation and what came with it. */
const givenSecrets = Effect.gen(function*() {
  yield* ensureRequestRole()
  const journal = yield* Journal
  const { query } = yield* Wire
  const id = yield* givenTask(`Make the report\nabout the ${secret}`)
  yield* query(
    `update tasks set webhook_payload = $2, webhook_headers = $2, source_ip = '192.0.2.77', attachments = array[$3],
       context = $3 where id = $1`,
    [id, JSON.stringify({ tree: secret }), `${secret}.txt`]
  )
  const held = yield* claim(id)
  const look = call("c1", "look", { tree: secret })
  const asks = stepAfter(held, {
    kind: "model",
    message: { role: "assistant", content: `I look for the ${secret}.`, tool_calls: [look] },
    tokens: [10, 5],
    millis: 3
  })
  yield* journal.append(asks)
  yield* journal.append({
    ...asks,
    seq: 3,
    step: {
      kind: "results",
      results: [{
        message: { role: "tool", tool_call_id: ToolCallId.make("c1"), name: "look", content: `A ${secret}` },
        millis: 1
      }]
    }
  })
  return id
})

inWorld("What a member reads of the tasks of others", (test) => {
  test("is decided alike by the rule, by the policies and by the views, whoever the people are", function*() {
    yield* ensureRequestRole()
    const sql = yield* SqlClient
    const tasks = yield* Tasks
    const { query } = yield* Wire
    const assignees = [null, alice, bob]
    const pairs = [alice, bob].flatMap((creator) => assignees.map((assignee) => ({ creator, assignee })))
    const given = yield* Effect.forEach(
      pairs.flatMap((own) => [null, ...pairs].map((parent) => ({ own, parent }))),
      ({ own, parent }) =>
        Effect.gen(function*() {
          const parentId = parent === null ? null : yield* givenTask("Parent", parent.creator)
          if (parent !== null) yield* query("update tasks set assignee = $2 where id = $1", [parentId, parent.assignee])
          const id = yield* givenTask(`Do it\nwith a ${secret}`, own.creator)
          yield* query(
            "update tasks set assignee = $2, parent_task_id = $3, task_type = $4 where id = $1",
            [id, own.assignee, parentId, parent === null ? "task" : "subtask"]
          )
          yield* query(`insert into steps (task_id, seq, body) values ($1, 1, '{"kind": "retried"}')`, [id])
          return { id, people: [own.creator, own.assignee, parent?.creator ?? null, parent?.assignee ?? null] }
        })
    )
    const ids = given.map(({ id }) => id)
    for (const id of [alice, bob, carol]) {
      for (const role of ["member", "admin", "owner"] as const) {
        const reader: Caller = { id, role }
        const expected = given.filter(({ people }) => mayReadContent(reader, people)).map(({ id }) => id).toSorted()
        const listed = (rows: ReadonlyArray<{ id: string }>) =>
          rows.flatMap((row) => ids.some((one) => one === row.id) ? [row.id] : []).toSorted()
        const rows = (text: string) => asked(reader)(sql.unsafe<{ id: string }>(text))
        assert.deepStrictEqual(listed(yield* rows("select task_id::text as id from steps")), expected)
        for (const task_type of ["task", "subtask"] as const) {
          const ofType = yield* rows(`select id::text from tasks where task_type = '${task_type}'`)
          const wanted = expected.filter((id) => ofType.some((row) => row.id === id))
          const all = yield* asked(reader)(tasks.list({ task_type, limit: 1000 }))
          const found = yield* asked(reader)(tasks.list({ task_type, limit: 1000, q: secret }))
          assert.deepStrictEqual(listed(all.items.filter(({ description }) => description !== "")), wanted)
          assert.deepStrictEqual(listed(found.items), wanted)
        }
      }
    }
  })

  test("is the outline: no request, conversation, plan, log data or payload, but status, usage and outputs", function*() {
    const id = yield* givenSecrets
    const tasks = yield* Tasks
    const whole = yield* asked(memberAlice)(tasks.find(id))
    assert.include(JSON.stringify(whole.logs), secret)
    assert.deepInclude(whole, { plan: `I look for the ${secret}.`, webhook_payload: { tree: secret } })
    const outline = yield* asked(memberBob)(tasks.find(id))
    assert.notInclude(JSON.stringify(outline), secret)
    assert.deepInclude(outline, {
      title: "Make the report",
      status: "running",
      creator: alice,
      description: "",
      plan: null,
      source_ip: null,
      usage: whole.usage
    })
    assert.deepStrictEqual(
      outline.logs.map(({ id, event }) => [id, event]),
      whole.logs.map(({ id, event }) => [id, event])
    )
    assert.deepStrictEqual(yield* asked(admin)(tasks.find(id)), whole)
    assert.deepStrictEqual(yield* tasks.find(id), whole, "self-hosted")

    const refused = yield* Effect.flip(asked(memberBob)(tasks.messages(id)))
    assert.deepInclude(refused, {
      _tag: "NotAllowed",
      reason: `Only its creator, its assignee, an owner or an admin may read the conversation of task ${id}.`
    })
    assert.include(JSON.stringify(yield* asked(memberAlice)(tasks.messages(id))), secret)

    const { query } = yield* Wire
    yield* query("update tasks set assignee = $2 where id = $1", [id, bob])
    assert.deepStrictEqual(yield* asked(memberBob)(tasks.find(id)), { ...whole, assignee: bob })
  })

  test("are found by a search for their titles alone, and their subtasks are not", function*() {
    yield* ensureRequestRole()
    const tasks = yield* Tasks
    const { query } = yield* Wire
    const wide = "\u{1F333}".repeat(50)
    const subtask = yield* givenTask("Quolls of the parent")
    yield* query("update tasks set task_type = 'subtask', parent_task_id = $2 where id = $1", [
      subtask,
      yield* givenTask()
    ])
    const [derived, titled, long] = [
      yield* givenTask(`  Count quolls\nnear the ${secret}`),
      yield* givenTask(`The ${secret} of quolls`),
      yield* givenTask(`Quolls ${wide} ${secret}`)
    ]
    yield* query("update tasks set title = 'Animals' where id = $1", [titled])
    const found = (caller: Caller, q: string) =>
      Effect.map(
        asked(caller)(tasks.list({ q })),
        ({ items }) => items.flatMap(({ id }) => [derived, titled, long].filter((one) => one === id)).toSorted()
      )
    assert.deepStrictEqual(yield* found(memberAlice, secret), [derived, titled, long].toSorted())
    assert.deepStrictEqual(yield* found(admin, secret), [derived, titled, long].toSorted())
    assert.deepStrictEqual(yield* found(memberBob, secret), [])
    assert.deepStrictEqual(yield* found(memberBob, "QUOLLS"), [derived, long].toSorted())
    assert.deepStrictEqual(yield* found(memberBob, "qu"), [derived, long].toSorted())
    assert.deepStrictEqual(yield* found(memberBob, "anima"), [titled])

    const subtasks = (caller: Caller) =>
      Effect.map(
        asked(caller)(tasks.list({ task_type: "subtask", q: "of the parent" })),
        ({ items }) => items.map(({ id, title }) => [id, title])
      )
    assert.deepStrictEqual(yield* subtasks(memberAlice), [[subtask, "Quolls of the parent"]])
    assert.deepStrictEqual(yield* subtasks(memberBob), [])
  })

  test("of a task that they continue is its outcome, but not why it failed", function*() {
    const failed = yield* givenSecrets
    const tasks = yield* Tasks
    yield* tasks.cancel(failed, Option.some(secret))
    const completed = yield* givenCompleted(`Find the ${secret}`, "Found it.")
    for (const [previous, outcome] of [[failed, "none"], [completed, "Found it."]] as const) {
      const next = yield* asked(memberBob)(
        tasks.submit(request("And then?", { user_id: bob, continue_task_id: previous }))
      )
      const [opening] = yield* asked(memberBob)(tasks.messages(next.id))
      assert.include(opening?.content, `<earlier_outcome>\n${outcome}\n`)
      assert.notInclude(opening?.content.replace(`Find the ${secret}`, ""), secret)
    }
    const own = yield* asked(memberAlice)(tasks.submit(request("Again", { continue_task_id: failed })))
    assert.include((yield* asked(memberAlice)(tasks.messages(own.id)))[0]?.content, `Cancelled: ${secret}`)
  })

  test("costs one statement more for the one who reads an outline, and none self-hosted", function*() {
    yield* ensureRequestRole()
    const tasks = yield* Tasks
    const { sent } = yield* Wire
    const id = yield* givenTask()
    yield* completes(id, "Done.")
    const countOf = <R>(effect: Effect.Effect<unknown, unknown, R>) =>
      Effect.suspend(() => {
        const before = sent.length
        return Effect.map(effect, () => sent.length - before)
      })
    assert.strictEqual(yield* countOf(tasks.find(id)), 1)
    assert.strictEqual(yield* countOf(asked(memberAlice)(tasks.find(id))), 1)
    assert.strictEqual(yield* countOf(asked(memberBob)(tasks.find(id))), 2)
  })
})
