import { assert } from "@effect/vitest"
import { type TaskId } from "@troupe/domain/Ids"
import type { Task } from "@troupe/domain/Task"
import { Effect, Fiber, Option } from "effect"
import { createHash } from "node:crypto"
import { SearchStatements } from "../../src/Runtime/Database/SearchStatements.ts"
import { Journal } from "../../src/Task/Journal/Journal.ts"
import { Runners } from "../../src/Task/Read/Runners.ts"
import { Tasks } from "../../src/Task/UseCase/Tasks.ts"
import { eventually } from "../support/Eventually.ts"
import { claim, givenCompleted, givenSubtask, givenTask, stepAfter } from "../support/GivenTasks.ts"
import { inWorld, Wire } from "../support/TaskWorld.ts"
import { listed } from "./listing.ts"

inWorld("Tasks.list", (test) => {
  test("shows the newest first, page by page, each task once", function*() {
    const tasks = yield* Tasks
    const ids = yield* Effect.forEach(
      Array.from({ length: 7 }, (_, index) => `Task ${index}`),
      (name) => givenTask(name)
    )
    const newestFirst = [...ids].sort().toReversed()
    const pages: Array<ReadonlyArray<TaskId>> = []
    let cursor: TaskId | undefined
    while (pages.at(-1)?.length !== 0) {
      const { items: page } = yield* tasks.list({ limit: 3, cursor })
      pages.push(page.map(({ id }) => id))
      cursor = page.at(-1)?.id ?? cursor
    }
    assert.deepStrictEqual(pages.map(({ length }) => length), [3, 3, 1, 0])
    assert.deepStrictEqual(pages.flat(), newestFirst)
  })

  test("counts up to a thousand tasks of a status, and says of which there may be more", function*() {
    const { query } = yield* Wire
    const { counts } = yield* Tasks
    yield* query(`with made as (
      insert into tasks (id, created_at, creator, description, task_type, project_id)
      select ('019a0000-0000-7000-8000-' || lpad(i::text, 12, '0'))::uuid, now(), 'alice', 'One of many',
        case when i % 100 = 0 then 'subtask' else 'task' end, case when i <= 10 then 'P-few' else 'P-many' end
      from generate_series(1, 1400) i returning id
    ) insert into actors (task_id, shard, creator, updated_at, status)
      select id, 1, 'alice', now(), case when id < '019a0000-0000-7000-8000-000000000006' then 'failed' else 'completed' end
      from made`)
    const none = { pending: 0, running: 0, waiting_input: 0, waiting_subagents: 0, sleeping: 0, cancelled: 0 }
    assert.deepStrictEqual(yield* counts({}), { ...none, completed: 1_000, failed: 5, capped: ["completed"] })
    assert.deepStrictEqual(yield* counts({ project_id: "P-few" }), { ...none, completed: 5, failed: 5, capped: [] })
    const subtasks = yield* counts({ task_type: "subtask" })
    assert.deepStrictEqual(subtasks, { ...none, completed: 14, failed: 0, capped: [] })
  })

  test("ends a page early where texts are long, and says that more follow", function*() {
    const tasks = yield* Tasks
    const { query } = yield* Wire
    const newestFirst = (yield* Effect.replicateEffect(givenTask(), 4)).toSorted().toReversed()
    yield* query("update tasks set description = repeat('x', 1500000)")
    for (const status of [undefined, "pending" as const]) {
      const first = yield* tasks.list({ status })
      const second = yield* tasks.list({ status, cursor: first.items.at(-1)?.id })
      assert.deepStrictEqual([first.hasMore, second.hasMore], [true, false])
      assert.deepStrictEqual([first, second].map(({ items }) => items.map(({ id }) => id)), [
        newestFirst.slice(0, 3),
        newestFirst.slice(3)
      ])
    }
    yield* query("update tasks set description = repeat('x', 5000000)")
    assert.strictEqual((yield* tasks.list({})).items.length, 1)
  })

  test("stores and finds a request with any number of different sequences of letters", function*() {
    const hex = Array.from({ length: 16_000 / 64 }, (_, at) => createHash("sha256").update(`${at}`).digest("hex"))
    const characters = Array.from({ length: 20_000 }, (_, at) => String.fromCodePoint(0x4e00 + at)).join("")
    const texts = {
      "a dump in hex": { text: hex.join(""), q: hex[200]?.slice(0, 40) ?? "" },
      "a key": {
        text: `Key: ${hex.slice(0, 100).map((line) => Buffer.from(line, "hex").toString("base64")).join("\n")}`,
        q: "key: x"
      },
      "ideographs": { text: characters, q: characters.slice(9_000, 9_010) },
      "as long as a request may be": { text: hex.join(" ").repeat(10).slice(0, 100_000), q: "6b86b273ff34" }
    }
    for (const [name, { q, text }] of Object.entries(texts)) {
      yield* givenTask(text)
      assert.include((yield* listed({ q })).join("|"), text.slice(0, 5_000), name)
    }
  })

  test("shows subtasks only when they are asked for, and a task's own page by page, archived ones too", function*() {
    const tasks = yield* Tasks
    const id = yield* givenTask("Parent")
    const children = (yield* Effect.replicateEffect(givenSubtask(id), 3)).toSorted().toReversed()
    assert.deepStrictEqual(yield* listed(), ["Parent"])
    for (const filter of [{ task_type: "subtask" as const }, { parent_task_id: id }]) {
      assert.deepStrictEqual(yield* listed(filter), ["A part", "A part", "A part"])
    }
    assert.deepStrictEqual(yield* tasks.subtasks(children[0] ?? id, {}), { items: [], hasMore: false })
    yield* tasks.remove(children[1] ?? id)
    const first = yield* tasks.subtasks(id, { limit: 2 })
    const second = yield* tasks.subtasks(id, { limit: 2, cursor: first.items[1]?.id })
    assert.deepStrictEqual([first, second].map(({ items }) => items.map((task) => task.id)), [
      children.slice(0, 2),
      children.slice(2)
    ])
  })

  test("shows summaries: no logs, outputs or webhook contents", function*() {
    const tasks = yield* Tasks
    const { query } = yield* Wire
    const id = yield* givenCompleted()
    yield* query("update tasks set webhook_payload = '{\"a\": 1}', webhook_headers = '{\"b\": 2}' where id = $1", [
      id
    ])
    const whole = yield* tasks.find(id)
    assert.deepInclude(whole, { webhook_payload: { a: 1 }, webhook_headers: { b: 2 } })
    assert.isNotEmpty(whole.logs)
    const summary: Task = { ...whole, logs: [], outputs: [], webhook_payload: null, webhook_headers: null }
    assert.deepStrictEqual(yield* tasks.list({}), { items: [summary], hasMore: false })
  })
})

inWorld("Slow searches", (test) => {
  test("delay neither new tasks nor claims nor steps, in any number", function*() {
    const { query } = yield* Wire
    const journal = yield* Journal
    const runners = yield* Runners
    const searches = yield* SearchStatements
    yield* query("select pg_advisory_lock(1)")
    const slow = searches.execute({ name: "slow", text: "select pg_advisory_xact_lock_shared(1)", values: [] })
    const held = yield* Effect.forkAll(Array.from({ length: 8 }, () => slow))
    yield* eventually(
      query("select from pg_locks where locktype = 'advisory' and not granted"),
      ({ length }) => length === 2
    )
    const behind = yield* Effect.forkAll([listed(), listed({ q: "do" }), runners.report])

    const id = yield* givenTask()
    const claimed = yield* claim(id)
    yield* journal.append(stepAfter(claimed, { kind: "crashed", reason: "a test", retryAt: 0 }))

    assert.deepStrictEqual([yield* Fiber.poll(held), yield* Fiber.poll(behind)], [Option.none(), Option.none()])
    yield* query("select pg_advisory_unlock(1)")
    yield* Fiber.join(held)
    const [all, found] = yield* Fiber.join(behind)
    assert.deepStrictEqual([all, found], [["Do it"], ["Do it"]])
  })
})
