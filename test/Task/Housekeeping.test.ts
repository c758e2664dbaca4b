import { assert } from "@effect/vitest"
import { Layer } from "effect"
import * as Housekeeping from "../../src/Task/Command/Housekeeping.ts"
import { eventually } from "../support/Eventually.ts"
import { givenTask } from "../support/GivenTasks.ts"
import { inWorld, Wire } from "../support/TaskWorld.ts"

inWorld("Housekeeping", (test) => {
  test("removes the idempotency keys that are older than a day, a bounded number at a time, and no others", function*() {
    const { query } = yield* Wire
    yield* query(
      `insert into idempotency_keys (caller, key, digest, task_id, created_at)
         select 'c', n::text, 'd', gen_random_uuid(), now() - case when n > 3 then interval '25 hours' else '23 hours' end
         from generate_series(1, 2503) n`
    )
    yield* query("create table deletions (at timestamptz default now())")
    yield* query(`create function count_deletion() returns trigger language plpgsql as
        $$ begin insert into deletions default values; return null; end $$`)
    yield* query("create trigger count after delete on idempotency_keys execute function count_deletion()")
    yield* Layer.build(Housekeeping.layer({ notificationDays: 0 }))
    const keys = query<{ readonly key: string }>("select key from idempotency_keys order by key")
    const left = yield* eventually(keys, ({ length }) => length <= 3)
    assert.deepStrictEqual(left.map(({ key }) => key), ["1", "2", "3"])
    yield* eventually(query("select from deletions"), ({ length }) => length === 3)
  })

  test("deletes notifications so many days after they were read, and keeps unread ones", function*() {
    const { query } = yield* Wire
    yield* query(
      `insert into notifications (user_id, id, task_id, kind, title, read_at)
       select 'alice', gen_random_uuid(), null, 'reminder', title, now() - read * interval '1 hour'
       from (values ('old', 13), ('new', 11), ('unread', null)) given (title, read)`
    )
    yield* Layer.build(Housekeeping.layer({ notificationDays: 0.5 }))
    const left = query<{ title: string }>("select title from notifications order by title")
    assert.deepStrictEqual(
      yield* eventually(left, ({ length }) => length < 3),
      [{ title: "new" }, { title: "unread" }]
    )
  })

  test("takes the place among the events from rows of another database server, and from no others", function*() {
    const { query } = yield* Wire
    const id = yield* givenTask()
    yield* query(
      `insert into steps (task_id, seq, body, xact_id) values ($1, 1, '{}', '999999999999'), ($1, 2, '{}', default)`,
      [id]
    )
    yield* query("update tasks set xact_id = '999999999999'")
    yield* query("insert into remembered_tasks (task_id, xact_id) values ($1, '999999999999')", [id])
    yield* Layer.build(Housekeeping.layer({ notificationDays: 0 }))
    const steps = query<{ seq: number }>("select seq from steps where xact_id is not null")
    assert.deepStrictEqual(yield* eventually(steps, ({ length }) => length === 1), [{ seq: 2 }])
    yield* eventually(query("select from tasks where xact_id is null"), ({ length }) => length === 1)
    yield* eventually(query("select from remembered_tasks where xact_id is null"), ({ length }) => length === 1)
  })
})
