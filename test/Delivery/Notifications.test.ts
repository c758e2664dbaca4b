import { Statement } from "@effect/sql"
import { assert } from "@effect/vitest"
import { ToolCallId } from "@troupe/domain/Ids"
import { NotificationId } from "@troupe/domain/Notification"
import { UserNotFound } from "@troupe/domain/User"
import { Clock, Effect, Option } from "effect"
import { v7 } from "uuid"
import { Notifications } from "../../src/Delivery/Notifications.ts"
import { keyedPlans } from "../../src/Runtime/Database/PreparedStatements.ts"
import { TaskCommands } from "../../src/Task/Command/TaskCommands.ts"
import { Journal } from "../../src/Task/Journal/Journal.ts"
import { Tasks } from "../../src/Task/UseCase/Tasks.ts"
import { alice, bob, claim, givenCompleted, givenTask, stepAfter, takeStep } from "../support/GivenTasks.ts"
import { inWorld, Wire } from "../support/TaskWorld.ts"

const all = { unread: false, limit: 100, cursor: Option.none() }
const unread = { ...all, unread: true }

/** A task of this user that tells of two things, asks a question and fails. */
const givenTalk = (message: string, userId = alice) =>
  Effect.gen(function*() {
    const journal = yield* Journal
    const id = yield* givenTask(message, userId)
    const held = yield* claim(id)
    const asked = { id: "q", question: "Which one?" }
    yield* journal.append(stepAfter(held, { kind: "results", results: [], notices: ["One thing", "Another"] }))
    yield* journal.append(stepAfter({ ...held, seq: 2 }, {
      kind: "results",
      results: [],
      asked: { id: ToolCallId.make("q"), question: asked.question }
    }))
    const { cancel } = yield* Tasks
    yield* Effect.orDie(cancel(id, Option.none()))
    return id
  })

const absentId = NotificationId.make("01900000-0000-7000-8000-000000000000")

inWorld("Notifications", (test) => {
  test("have the texts of the task's steps, newest first, under the task's title", function*() {
    const notifications = yield* Notifications
    const before = yield* Clock.currentTimeMillis
    const id = yield* givenTalk("Talk to me\nat length")
    const list = yield* notifications.list(alice, all)
    assert.deepStrictEqual(list.map(({ body, kind }) => [kind, body]), [
      ["failure", "Cancelled."],
      ["question", "Which one?"],
      ["question", "Another"],
      ["question", "One thing"]
    ])
    for (const entry of list) {
      assert.deepInclude(entry, { user_id: alice, task_id: id, title: "Talk to me", read: false, read_at: null })
      assert.match(entry.created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
      assert.isAtLeast(Date.parse(entry.created_at), before)
    }
    assert.deepStrictEqual(yield* notifications.list(bob, all).pipe(Effect.flip), new UserNotFound({ id: bob }))
  })

  test("of a completion name the files that go with it, also behind a long result", function*() {
    const notifications = yield* Notifications
    const attached = (names: ReadonlyArray<string>) => names.map((filename) => ({ filename, size: 1 }))
    const bodyOf = (body: string, names: ReadonlyArray<string>) =>
      Effect.gen(function*() {
        yield* takeStep(yield* givenTask(), { kind: "forced", reason: "Limit", output: body, files: attached(names) })
        return (yield* notifications.list(alice, all))[0]?.body ?? ""
      })
    assert.strictEqual(
      yield* bodyOf("Done.", ["a.md", "b.docx"]),
      "Cut short: Limit\n\nDone.\n\nAttached: a.md, b.docx"
    )
    const many = Array.from({ length: 12 }, (_, number) => `${number}.md`)
    const long = yield* bodyOf("x".repeat(100_000), many)
    assert.match(long, /^Cut short: Limit\n\nx+…\n\nAttached: 0\.md, .*, 9\.md and 2 more$/)
    assert.strictEqual(long.length, 4_000)
  })

  test("are listed page by page, each once, whether read or not; unread ones alone when asked for", function*() {
    const notifications = yield* Notifications
    for (const name of ["A", "B", "C"]) yield* givenTalk(name)
    const list = yield* notifications.list(alice, all)
    assert.strictEqual(list.length, 12)
    const read = list.filter((_, index) => index % 3 === 0)
    for (const { id } of read) yield* notifications.markRead(alice, id)
    const ids: Array<string> = []
    let page = yield* notifications.list(alice, { ...all, limit: 5 })
    while (page.length > 0) {
      ids.push(...page.map(({ id }) => id))
      page = yield* notifications.list(alice, { ...all, limit: 5, cursor: Option.fromNullable(page.at(-1)?.id) })
    }
    assert.deepStrictEqual(ids, list.map(({ id }) => id))
    const left = yield* notifications.list(alice, unread)
    assert.deepStrictEqual(left, list.filter(({ id }) => !read.some((entry) => entry.id === id)))
    const [, ...rest] = left
    const after = yield* notifications.list(alice, { ...unread, cursor: Option.fromNullable(left[0]?.id) })
    assert.deepStrictEqual(after, rest)
  })

  test("are marked as read once, with the time of the first, also by two at the same moment", function*() {
    const notifications = yield* Notifications
    const { query } = yield* Wire
    yield* givenCompleted()
    const [entry] = yield* notifications.list(alice, unread)
    const id = entry?.id ?? absentId
    const both = yield* Effect.all([notifications.markRead(alice, id), notifications.markRead(alice, id)], {
      concurrency: "unbounded"
    })
    assert.deepStrictEqual(both[0], both[1])
    assert.deepStrictEqual(both[0], { ...both[0], id, read: true })
    yield* query("update notifications set read_at = '2026-01-01T00:00:00Z'")
    assert.strictEqual((yield* notifications.markRead(alice, id)).read_at, "2026-01-01T00:00:00.000Z")
    assert.deepStrictEqual(yield* notifications.list(alice, unread), [])
    assert.deepInclude(yield* notifications.markUnread(alice, id), { read: false, read_at: null })
  })

  test("that no step caused bring words of their own", function*() {
    const notifications = yield* Notifications
    const { query } = yield* Wire
    yield* query(
      "insert into notifications (id, user_id, kind, title, body) values ($1, $2, 'reminder', 'Stand-up', 'At nine')",
      [v7(), alice]
    )
    const [entry] = yield* notifications.list(alice, all)
    assert.deepInclude(entry, { task_id: null, kind: "reminder", title: "Stand-up", body: "At nine", read: false })
  })

  test("are reached by their key alone, by every statement, however many a user has", function*() {
    const notifications = yield* Notifications
    const commands = yield* TaskCommands
    const { query, sent } = yield* Wire
    const id = yield* givenCompleted()
    sent.length = 0
    const texts: Array<string> = []
    yield* Effect.gen(function*() {
      for (const filter of [all, unread]) yield* notifications.list(alice, filter)
      yield* Effect.ignore(notifications.markRead(alice, absentId))
      yield* Effect.ignore(notifications.remove(alice, absentId))
    }).pipe(Statement.withTransformer((statement) =>
      Effect.sync(() => {
        texts.push(statement.compile()[0])
        return statement
      })
    ))
    yield* commands.removeAll([id])
    texts.push(...sent.map(({ text }) => text))
    assert.lengthOf(texts, 5)
    yield* query("begin")
    for (const [setting, value] of Object.entries(keyedPlans)) yield* query(`set local ${setting} = '${value}'`)
    for (const text of texts) {
      const plan = yield* query<{ readonly "QUERY PLAN": string }>(`explain (generic_plan, costs off) ${text}`)
      const lines = plan.map((row) => row["QUERY PLAN"].trim())
      const scans = lines.flatMap((line, index) =>
        /notifications_(?:pkey|unread)/.test(line) ? [lines[index + 1] ?? ""] : []
      )
      assert.isAtLeast(scans.length, 1, `${text}\n${lines.join("\n")}`)
      for (const scan of scans) {
        assert.match(scan, /^Index Cond: .*user_id = .*[( ]id [<=>]/, `${text} ${scan}`)
      }
      // The table has one row.
      assert.isFalse(lines.some((line) => /Seq Scan on (?!usage_sums)/.test(line)), `${text}\n${lines.join("\n")}`)
    }
    yield* query("rollback")
  })
})
