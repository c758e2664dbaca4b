import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { keyedPlans } from "../../src/Runtime/Database/PreparedStatements.ts"
import { noTask } from "../../src/Task/Events/EventPosition.ts"
import { findOldestOpen, readEvents } from "../../src/Task/Events/WatchStatements.ts"
import { buffersOf } from "../support/Buffers.ts"
import { eventually } from "../support/Eventually.ts"
import { inWorld, Wire } from "../support/TaskWorld.ts"

const query = (text: string, ...values: ReadonlyArray<unknown>) =>
  Effect.flatMap(Wire, (wire) => wire.query<Readonly<Record<string, unknown>>>(text, values))

/** Steps of as many transactions as there are numbers, in no order. */
const givenSteps = (from: number, to: number) =>
  query(
    `insert into steps (task_id, seq, body, xact_id)
     select ('019a0000-0000-7000-8000-' || lpad(to_hex(i), 12, '0'))::uuid, n, '{"kind":"failed","error":"' || i || '"}',
       (100 + (hashtext(i::text) & 255))::text::xid8
     from generate_series($1::integer, $2) i, generate_series(1, 10) n`,
    from,
    to
  )

const settled = Effect.gen(function*() {
  const [now] = yield* query("select pg_current_xact_id()::text as id")
  yield* eventually(
    query("select pg_snapshot_xmin(pg_current_snapshot()) > $1::xid8 as over", now?.["id"]),
    ([row]) => row?.["over"] === true
  )
})

/** Pages that a read touches from here. */
const pagesFrom = (xact: string) => buffersOf({ text: readEvents.text, values: [xact, noTask, -1] }, keyedPlans)

const end = Effect.map(query(findOldestOpen.text), ([row]) => String(row?.["oldest_open"]))

inWorld("A read of the events of all tasks", (test) => {
  test("costs a bounded number of pages, anywhere among two hundred thousand steps, and where new ones take the space of old ones", function*() {
    yield* givenSteps(1, 18_000)
    yield* query("delete from steps where hashtext(task_id::text || seq) % 3 = 0")
    yield* query("vacuum steps")
    yield* givenSteps(18_001, 24_000)
    yield* query("vacuum analyze steps")
    yield* settled
    const now = yield* end
    assert.isBelow(yield* pagesFrom(now), 15, "with nothing new")
    yield* query(`insert into steps (task_id, seq, body) select task_id, 99, '{}' from steps limit 1`)
    yield* settled
    assert.isBelow(yield* pagesFrom(now), 25, "with one new row")
    assert.isBelow(yield* pagesFrom("0"), 256 * 12, "far behind")
  })
})
