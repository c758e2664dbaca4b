import { assert } from "@effect/vitest"
import { type TaskId, UserId } from "@troupe/domain/Ids"
import { Effect } from "effect"
import { Sandbox } from "../../src/File/Sandbox.ts"
import { Users } from "../../src/People/User/Users.ts"
import { Tasks } from "../../src/Task/UseCase/Tasks.ts"
import { accounts } from "../support/ChatAccounts.ts"
import {
  alice,
  bob,
  completes,
  givenCompleted,
  givenSubtask,
  givenTask,
  givenWaiting,
  request
} from "../support/GivenTasks.ts"
import { inWorld, Wire } from "../support/TaskWorld.ts"
import { insertRows } from "../support/UserRows.ts"
import { erase, tablesWith } from "./personalData.ts"

inWorld("Deleting the data of a person", (test) => {
  test("leaves nothing of them, and the data of others as it was", function*() {
    const tasks = yield* Tasks
    const sandbox = yield* Sandbox
    const { query } = yield* Wire
    for (const user of [alice, bob]) {
      yield* insertRows(query, user, ["file_reservations"])
      yield* sandbox.write(user, "notes/today.md", "Hello")
      yield* givenTask("Something", user)
    }
    yield* givenSubtask(yield* givenWaiting())
    yield* givenCompleted()
    yield* tasks.submit(request("With help", { assignee: bob }))
    const assigned = yield* tasks.submit(request("For Bob", { user_id: bob, assignee: alice }))
    yield* query("update users set email = 'alice@example.org' where id = 'alice'")
    yield* query(
      `insert into idempotency_keys (caller, key, digest, task_id) values
           ('alice', 'own', 'd', gen_random_uuid()), ('bob', 'own', 'd', gen_random_uuid()),
           ('self-hosted', 'hers', 'd', (select id from tasks where creator = 'alice' limit 1))`
    )
    const before = yield* tablesWith("bob")
    assert.lengthOf(before, 14)
    assert.includeMembers([...yield* tablesWith("alice")], ["actors", "memories", "notifications", "tasks", "users"])

    yield* erase(alice)
    assert.deepStrictEqual(yield* tablesWith("alice"), ["memory_owners"])
    assert.deepStrictEqual(
      yield* query("select version, removals, memories from memory_owners where user_id = 'alice'"),
      [{ version: 2, removals: 1, memories: 0 }]
    )
    assert.deepStrictEqual(yield* query("select from steps"), [])
    assert.deepStrictEqual(yield* query("select caller from idempotency_keys"), [{ caller: "bob" }])
    assert.strictEqual((yield* Effect.flip(sandbox.stat(alice, "notes"))).kind, "missing")
    assert.deepStrictEqual(yield* tablesWith("bob"), before)
    assert.strictEqual((yield* sandbox.stat(bob, "notes/today.md")).size, 5)
    assert.deepInclude(yield* tasks.find(assigned.id), { status: "pending", assignee: null })

    yield* erase(alice)
    const nobody = UserId.make("nobody")
    assert.strictEqual((yield* Effect.flip(erase(nobody)))._tag, "UserNotFound", "there was never such a user")
    assert.deepStrictEqual(yield* tablesWith("nobody"), [])
    yield* givenTask("Back again")
    assert.deepStrictEqual(yield* query("select id from users where id = 'alice'"), [{ id: "alice" }])
  })

  test("empties the messages of their tasks, and the chat and webhooks of theirs that wait or failed", function*() {
    const { query } = yield* Wire
    for (const user of [alice, bob]) yield* givenTask("From a webhook", user)
    yield* query(accounts({ alice: "U1" }))
    yield* query(
      `insert into inbound_messages (id, source, type, state, due_at, ended_at, headers, url, source_ip, task_id, body)
         select gen_random_uuid(), 'webhook', creator, 'done', null, now(), '{"a": "b"}', '/x', '192.0.2.1', id, 'said'
         from tasks`
    )
    for (const [type, user] of [["alice's", "U1"], ["another's", "U11"]]) {
      yield* query(
        `insert into inbound_messages (id, source, type, state, due_at, ended_at, headers, url, sender, body)
           values (gen_random_uuid(), 'chat', $1, 'failed', null, now(), '{}', '/', $2, 'said to <@U1>')`,
        [type, user]
      )
    }
    yield* query(
      `insert into inbound_messages (id, source, type, state, headers, url, ordering_key, sender, body)
         select gen_random_uuid(), 'chat', sender || ' ' || state, state, '{}', '/', sender, sender, 'said to "U1"'
         from (values ('U1', 'pending'), ('U1', 'processing'), ('U2', 'pending')) e (sender, state)`
    )
    yield* query(
      `insert into inbound_messages (id, source, type, state, due_at, ended_at, headers, url, source_ip, creator, body)
         select gen_random_uuid(), 'webhook', creator || ' ' || state, state, case when state <> 'failed' then now() end,
           case when state = 'failed' then now() end, '{"a": "b"}', '/x', '192.0.2.1', creator, '{}'
         from (values ('alice', 'pending'), ('alice', 'failed'), ('bob', 'pending')) e (creator, state)`
    )
    yield* erase(alice)
    assert.deepStrictEqual(
      yield* query(
        "select type, state, headers, url, source_ip, creator from inbound_messages where body is null order by type"
      ),
      [
        { type: "U1 pending", state: "done" },
        { type: "U1 processing", state: "done" },
        { type: "alice", state: "done" },
        { type: "alice failed", state: "failed" },
        { type: "alice pending", state: "done" },
        { type: "alice's", state: "failed" }
      ].map((row) => ({ ...row, headers: "{}", url: "", source_ip: null, creator: null }))
    )
    assert.deepStrictEqual(
      yield* query(
        "select type, creator from inbound_messages where body is not null or sender is not null order by type"
      ),
      [["U2 pending", null], ["another's", null], ["bob", null], ["bob pending", "bob"]].map(([type, creator]) => ({
        type,
        creator
      }))
    )
  })

  test("empties what is listed about their mails that were not taken", function*() {
    const { query } = yield* Wire
    yield* givenTask("A task", alice)
    yield* query("update users set email = 'alice@example.net' where id = 'alice'")
    yield* query(
      `insert into mail_ledger
         (mailbox, uid_validity, uid, outcome, done_at, ignored_id, reason_code, from_header, subject, message_id)
       select 'm', 1, row_number() over (), 'ignored', now(), gen_random_uuid(), 'list', sender, 'A secret', '<1@x>'
       from (values ('Alice <Alice@example.net>'), ('bob@example.net')) v (sender)`
    )
    yield* erase(alice)
    assert.deepStrictEqual(yield* query("select from_header, subject, message_id from mail_ledger order by uid"), [
      { from_header: null, subject: null, message_id: null },
      { from_header: "bob@example.net", subject: "A secret", message_id: "<1@x>" }
    ])
  })

  test("leaves no outcome of theirs in what others continue", function*() {
    const tasks = yield* Tasks
    const hers = yield* givenCompleted("Find the quokka", "The quokka hides.")
    const next = yield* tasks.submit(request("And then?", { user_id: bob, continue_task_id: hers }))
    yield* completes(next.id, "It came out.")
    const copied = (id: TaskId) =>
      Effect.flatMap(
        tasks.messages(id),
        ([first]) => Effect.sync(() => assert.include(first?.content, "The quokka hides."))
      )
    const after = yield* tasks.submit(request("And now?", { user_id: bob, continue_task_id: next.id }))
    const opening = (id: TaskId) => Effect.map(tasks.messages(id), ([first]) => first?.content ?? "")
    yield* copied(next.id)
    yield* copied(after.id)
    yield* erase(alice)
    assert.strictEqual(
      yield* opening(next.id),
      "This continues an earlier task, which was deleted with the data of its creator.\n\nAnd then?"
    )
    assert.include(yield* opening(after.id), "It came out.", "the outcome is of another one")
    assert.deepStrictEqual(yield* tablesWith("quokka"), [])
  })

  test("keeps the users of the service itself, without their profile", function*() {
    const users = yield* Users
    const { query } = yield* Wire
    const own = UserId.make("default")
    yield* users.ensureExists(own)
    yield* query(
      `update users set name = 'Ada', email = 'ada@example.org', addresses = '{"pager": "4711"}', overrides = '{name}'
       where id = 'default'`
    )
    yield* erase(own)
    const [row] = yield* query("select name, email, addresses, overrides, role from users where id = 'default'")
    assert.deepStrictEqual(row, { name: "default", email: null, addresses: {}, overrides: [], role: "owner" })
  })
})
