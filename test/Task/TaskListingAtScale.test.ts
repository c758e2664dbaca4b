import { SqlClient } from "@effect/sql/SqlClient"
import { assert } from "@effect/vitest"
import type { TaskFilter, TaskQuery } from "@troupe/api/TaskFilter"
import { type TaskId, UserId } from "@troupe/domain/Ids"
import { type Task, TaskStatus } from "@troupe/domain/Task"
import { Context, Effect, Layer } from "effect"
import type { ById } from "../../src/People/User/Access.ts"
import { nextCursor, type Page } from "../../src/Runtime/Database/Page.ts"
import { SearchStatements } from "../../src/Runtime/Database/SearchStatements.ts"
import { Runners } from "../../src/Task/Read/Runners.ts"
import { TaskRepo } from "../../src/Task/Read/TaskRepo.ts"
import { sumUserHours } from "../../src/Task/Read/UserHours.ts"
import { makeBlock } from "../../src/Task/Read/WordBlocks.ts"
import { Tasks } from "../../src/Task/UseCase/Tasks.ts"
import { buffersOf } from "../support/Buffers.ts"
import { bob } from "../support/GivenTasks.ts"
import { inWorld, type Sent, Wire } from "../support/TaskWorld.ts"
import { listed } from "./listing.ts"

/**
 * Of so many tasks, the newest quarter is archived, the next one is due, in the queue of a runner or not, and the others are
 * completed. Among the oldest are a few of each kind that is rare, many that sleep, and many that failed, none of them of the
 * project with many tasks.
 */
const givenTasks = (count: number) =>
  Effect.gen(function*() {
    const { query } = yield* Wire
    yield* query(
      `with numbered as (
         select i, ('019a0000-0000-7000-8000-' || lpad(to_hex(i), 12, '0'))::uuid as id from generate_series(1, $1) i
       ), made as (
         insert into tasks (id, created_at, creator, description, task_type, webhook_type, archived_at, parent_task_id,
           project_id, source)
         select id, now(), case when i in (1, 2) then 'bob' when i % 7 = 0 then 'carol' else 'alice' end,
           case i when 5 then 'Rare zebra ' || i when 9 then 'Number of tasks' when 6 then 'Antelope ' || repeat('of the savannah ', 40)
             else 'Task number ' || i end,
           case when i in (7, 8) then 'subtask' else 'task' end, case when i in (3, 4) then 'sms' end,
           case when i > $1 * 3 / 4 then now() end, case when i in (7, 8) then id end,
           case when i in (1, 2) then 'rare' when i % 3 = 0 then 'often' end, case when i in (1, 2) then 'email' end
         from numbered
       )
       insert into actors (task_id, shard, creator, updated_at, status, completed_at, wake_at, queued_by, error, ended_by)
       select id, 1, case when i % 7 = 0 then 'carol' else 'alice' end, now(),
         case when i > $1 / 2 and i <= $1 * 3 / 4 then 'pending' when i = 10 or i between 101 and 1600 then 'running'
           when i in (11, 12) or i between 5001 and 9000 and i % 3 = 1 then 'failed'
           when i in (13, 14) then 'waiting_input' when i in (15, 16) then 'waiting_subagents' else 'completed' end,
         case when i not in (10, 13, 14, 15, 16) and i not between 101 and 1600 and (i <= $1 / 2 or i > $1 * 3 / 4)
           then now() - interval '3 hours' end,
         case when i > $1 / 2 and i <= $1 * 3 / 4 or i = 10 then now() when i between 101 and 1600 then now() + interval '1 day' end,
         case when i > $1 / 2 and i <= $1 * 3 / 4 and i % 2 = 0 then '10.0.0.9:1' end,
         case when i = 12 then 'Cancelled.' when i = 11 or i between 5001 and 9000 and i % 3 = 1 then 'Broken' end,
         case when i = 12 then 'cancelled' when i = 11 or i between 5001 and 9000 and i % 3 = 1 then 'failure' end
       from numbered`,
      [count]
    )
    yield* Effect.repeat(makeBlock(yield* SqlClient), { while: (isMade) => isMade })
    for (const table of ["tasks", "actors", "task_word_blocks"]) yield* query(`vacuum analyze ${table}`)
  })

type Read = (services: Context.Context<Reads>) => Effect.Effect<unknown, unknown>
type Reads = Runners | TaskRepo

/** The pages that all statements of a read touch, with the plans that a search connection makes for their values. */
const pagesOf = (read: Read) =>
  Effect.gen(function*() {
    const sent: Array<Sent> = []
    const real = yield* SearchStatements
    const captured = Layer.succeed(SearchStatements, {
      execute: (query) =>
        Effect.suspend(() => {
          sent.push(query)
          return real.execute(query)
        })
    })
    const layers = Layer.mergeAll(Layer.fresh(TaskRepo.layer), Layer.fresh(Runners.layer(4)))
    yield* read(yield* Layer.build(Layer.provide(layers, captured)))
    const pages = yield* Effect.forEach(sent, (one) =>
      buffersOf(one, { plan_cache_mode: "force_custom_plan", jit: "off" }))
    return pages.reduce((sum, count) =>
      sum + count, 0)
  })

const list = (filter: ById<TaskQuery>): Read => (services) =>
  Context.get(services, TaskRepo).list({ limit: 21, ...filter })
const counts = (filter: ById<TaskFilter>): Read => (services) => Context.get(services, TaskRepo).counts(filter)

const filters: Readonly<Record<string, ById<TaskQuery>>> = {
  "the first page": {},
  "archived ones too": { include_archived: true },
  "of a user": { creator: bob },
  "of a user, completed": { creator: bob, status: "completed" },
  "of a project": { project_id: "rare" },
  "of a project without any": { project_id: "nothing" },
  "of mails": { source: "email" },
  "of schedules": { source: "schedule" },
  "of the API": { source: "api" },
  "of a webhook": { webhook_type: "sms" },
  "subtasks": { task_type: "subtask" },
  "pending": { status: "pending" },
  "completed and archived": { status: "completed", include_archived: true },
  "running": { status: "running" },
  "failed": { status: "failed" },
  "waiting for input": { status: "waiting_input" },
  "waiting for subtasks": { status: "waiting_subagents" },
  "cancelled": { cancelled: true },
  "failed, not cancelled": { status: "failed", cancelled: false },
  "a frequent word": { q: "number" }
}

/** Fifteen for each of 21 tasks, by their indexes and beside them. To read all tasks takes several times as many. */
const maxPages = 400

/** Filters together of which many tasks match one or both, and few or none match all. */
const together: Readonly<Record<string, ById<TaskQuery>>> = {
  "completed, of which the newest are archived": { status: "completed" },
  "of a project with many, of which the newest are archived": { project_id: "often" },
  "failed, of a project with many": { project_id: "often", status: "failed" },
  "cancelled, of a project with many": { project_id: "often", cancelled: true },
  "running, of a project with many": { project_id: "often", status: "running" },
  "archived, of a project with many": { project_id: "often", archived: true },
  "archived, of a project with few": { project_id: "rare", archived: true },
  "pending, of a user": { creator: UserId.make("carol"), status: "pending" },
  "failed, of mails": { source: "email", status: "failed" },
  "of a project and a user": { project_id: "often", creator: bob },
  "archived and failed": { status: "failed", archived: true },
  "sleeping": { sleeping: true },
  "sleeping, of a project with many": { project_id: "often", sleeping: true },
  "sleeping, of mails": { source: "email", sleeping: true },
  "a rare word, of subtasks": { q: "ZEBRA", task_type: "subtask" }
}
/** Some hundred are looked up one by one, and the ids of the others are compared by their indexes. */
const maxPagesTogether = 1_250

const small: Readonly<Record<string, Read>> = {
  "the places of workers": (services) => Context.get(services, Runners).places
}

/** What looks at a thousand rows, of which a page each is read in each table. */
const figures: Readonly<Record<string, Read>> = {
  "the counts of all tasks": counts({}),
  "a rare word": list({ q: "ZEBRA" }),
  "no such word": list({ q: "giraffe" }),
  "a word of a long text": list({ q: "antelope" }),
  "a rare word of a user": list({ q: "zebra", creator: bob }),
  "a rare word of completed tasks": list({ q: "zebra", status: "completed" }),
  "a rare text of frequent words": list({ q: "number of t" }),
  "a frequent word of failed tasks": list({ q: "number", status: "failed" }),
  "the counts of a rare word": counts({ q: "zebra" }),
  "the counts of a rare text of frequent words": counts({ q: "number of t" }),
  "the counts of a user": counts({ creator: UserId.make("carol") }),
  "the counts of a project": counts({ project_id: "rare" }),
  "the counts of a project with many": counts({ project_id: "often" }),
  "the counts of what sleeps": counts({ sleeping: true }),
  "the counts of archived tasks": counts({ archived: true }),
  "running ones that do not sleep": list({ status: "running", sleeping: false }),
  "a word of two letters": list({ q: "ZE" }),
  "a frequent word of two letters": list({ q: "nu" }),
  "a word of two letters of a user": list({ q: "ze", creator: bob }),
  "a word of two letters of a project": list({ q: "ze", project_id: "often" }),
  "a word of two letters of completed tasks": list({ q: "ze", status: "completed" }),
  "a word of two letters of failed tasks": list({ q: "ze", status: "failed" }),
  "the counts of a word of two letters": counts({ q: "ze" }),
  "the usage of a user": (services) => Context.get(services, TaskRepo).usage(UserId.make("carol"), {}),
  "the health of the workers": (services) => Context.get(services, Runners).report
}
const maxPagesOfFigures = 3_500

const allPages = (query: ById<TaskQuery>) =>
  Effect.gen(function*() {
    const tasks = yield* Tasks
    const pages: Array<ReadonlyArray<string>> = []
    let cursor: TaskId | undefined
    do {
      const page: Page<Task, TaskId> = yield* tasks.list({ ...query, include_archived: true, cursor })
      pages.push(page.items.map(({ description }) => description))
      cursor = nextCursor(page) ?? undefined
    } while (cursor !== undefined)
    return pages
  })

inWorld("Reads of forty thousand tasks", (test) => {
  test("touch about as many pages as they show tasks, whatever they ask for", function*() {
    const { query } = yield* Wire
    yield* givenTasks(40_000)
    yield* query("update usage_sums set until = date_trunc('hour', now(), 'UTC') - interval '6 hours'")
    yield* sumUserHours(yield* SqlClient)
    for (const [name, filter] of Object.entries(filters)) {
      assert.isBelow(yield* pagesOf(list(filter)), maxPages, `pages for ${name}`)
    }
    for (const [name, filter] of Object.entries(together)) {
      assert.isBelow(yield* pagesOf(list(filter)), maxPagesTogether, `pages for ${name}`)
    }
    for (const [name, read] of Object.entries(small)) {
      assert.isBelow(yield* pagesOf(read), maxPages, `pages for ${name}`)
    }
    for (const [name, read] of Object.entries(figures)) {
      assert.isBelow(yield* pagesOf(read), maxPagesOfFigures, `pages for ${name}`)
    }
    assert.deepStrictEqual(yield* listed({ q: "ZEBRA" }), ["Rare zebra 5"])
    assert.deepStrictEqual(yield* listed({ limit: 2 }), ["Task number 30000", "Task number 29999"])
    assert.deepStrictEqual(yield* listed({ status: "completed", limit: 2 }), ["Task number 20000", "Task number 19999"])
    assert.deepStrictEqual(yield* listed({ cancelled: true }), ["Task number 12"])
    assert.deepStrictEqual(yield* listed({ status: "waiting_subagents" }), ["Task number 16", "Task number 15"])
  })

  test("find a rare text of frequent words page by page, of which each has searched as many blocks", function*() {
    yield* givenTasks(30_000)
    const tasks = yield* Tasks
    assert.deepStrictEqual(yield* allPages({ q: "Number of T" }), [[], [], ["Number of tasks"]])
    assert.deepInclude(yield* tasks.counts({ q: "number of t" }), { completed: 0, capped: [...TaskStatus.literals] })
    assert.deepInclude(yield* tasks.counts({ q: "zebra" }), { completed: 1, capped: [] })
    assert.deepStrictEqual(yield* listed({ q: "number 2", creator: bob }), ["Task number 2"])
  })

  test("find a word of two letters page by page, of which each has searched as many tasks", function*() {
    yield* givenTasks(15_900)
    const tasks = yield* Tasks
    assert.deepStrictEqual(yield* allPages({ q: "zE" }), [[], [], [], ["Rare zebra 5"]])
    assert.deepStrictEqual(yield* listed({ q: "2", creator: bob }), ["Task number 2"])
    assert.deepInclude(yield* tasks.counts({ q: "2", creator: bob }), { completed: 1, capped: [] })
    assert.deepInclude(yield* tasks.counts({ q: "ze" }), { completed: 0, capped: [...TaskStatus.literals] })
    const first = yield* tasks.list({ q: "nu", limit: 2 })
    assert.deepStrictEqual([first.items.length, nextCursor(first)], [2, first.items[1]?.id])
  })

  test("find a status on both sides of the newest tasks of the list, in their order", function*() {
    yield* givenTasks(8_400)
    const { query } = yield* Wire
    yield* query("update actors set status = 'completed' where task_id = '019a0000-0000-7000-8000-00000000189c'")
    const found = yield* listed({ status: "completed", limit: 3 })
    assert.deepStrictEqual(found, ["Task number 6300", "Task number 4200", "Task number 4199"])
  })
})
