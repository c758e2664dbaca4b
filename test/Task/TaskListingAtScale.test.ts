import { assert } from "@effect/vitest"
import type { TaskQuery } from "@troupe/api/TaskFilter"
import { Context, Effect, Layer } from "effect"
import type { ById } from "../../src/People/User/Access.ts"
import { SearchStatements } from "../../src/Runtime/Database/SearchStatements.ts"
import { TaskRepo } from "../../src/Task/Read/TaskRepo.ts"
import { buffersOf } from "../support/Buffers.ts"
import { bob } from "../support/GivenTasks.ts"
import { inWorld, type Sent, Wire } from "../support/TaskWorld.ts"
import { listed } from "./listing.ts"

/** Completed tasks; a few of each kind that is rare are among the oldest. */
const givenTasks = (count: number) =>
  Effect.gen(function*() {
    const { query } = yield* Wire
    yield* query(
      `with numbered as (
         select i, ('019a0000-0000-7000-8000-' || lpad(to_hex(i), 12, '0'))::uuid as id from generate_series(1, $1) i
       ), made as (
         insert into tasks (id, created_at, creator, description, task_type, webhook_type, archived_at, parent_task_id)
         select id, now(), case when i in (1, 2) then 'bob' else 'alice' end,
           case i when 5 then 'Rare zebra ' || i when 6 then 'Antelope ' || repeat('of the savannah ', 40)
             else 'Task number ' || i end,
           case when i in (7, 8) then 'subtask' else 'task' end, case when i in (3, 4) then 'sms' end,
           case when i > $1 - $1 / 4 then now() end, case when i in (7, 8) then id end
         from numbered
       )
       insert into actors (task_id, shard, creator, updated_at, status, completed_at, wake_at, error)
       select id, 1, 'alice', now(), case i when 10 then 'running' when 11 then 'failed' else 'completed' end,
         case when i <> 10 then now() end, case i when 10 then now() end, case i when 11 then 'Broken' end
       from numbered`,
      [count]
    )
    yield* query("vacuum analyze tasks")
    yield* query("vacuum analyze actors")
  })

/** The pages that a listing touches, with the plan that a search connection makes for its values. */
const pagesOf = (filter: ById<TaskQuery>) =>
  Effect.gen(function*() {
    const sent: Array<Sent> = []
    const captured = Layer.succeed(SearchStatements, {
      execute: (query) => Effect.sync(() => (sent.push(query), []))
    })
    const repo = Context.get(yield* Layer.build(Layer.provide(Layer.fresh(TaskRepo.layer), captured)), TaskRepo)
    yield* repo.list({ limit: 21, ...filter })
    return yield* buffersOf(sent[0], { plan_cache_mode: "force_custom_plan", jit: "off" })
  })

const filters: Readonly<Record<string, ById<TaskQuery>>> = {
  "the first page": {},
  "archived ones too": { include_archived: true },
  "of a user": { creator: bob },
  "of a webhook": { webhook_type: "sms" },
  "subtasks": { task_type: "subtask" },
  "completed": { status: "completed" },
  "running": { status: "running" },
  "failed": { status: "failed" },
  "a rare word": { q: "ZEBRA" },
  "a frequent word": { q: "number" },
  "no such word": { q: "giraffe" },
  "a word of a long text": { q: "antelope" }
}

/** Ten for each of 21 tasks: the row and its actor by their indexes. To read all tasks takes several times as many. */
const maxPages = 250

inWorld("Listings of thirty thousand tasks", (test) => {
  test("read about as much as they show, whatever they ask for", function*() {
    yield* givenTasks(30_000)
    for (const [name, filter] of Object.entries(filters)) {
      assert.isBelow(yield* pagesOf(filter), maxPages, `pages for ${name}`)
    }
    assert.deepStrictEqual(yield* listed({ q: "ZEBRA" }), ["Rare zebra 5"])
    assert.deepStrictEqual(yield* listed({ limit: 2 }), ["Task number 22500", "Task number 22499"])
  })
})
