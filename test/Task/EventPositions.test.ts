import { assert } from "@effect/vitest"
import { Chunk, Effect, Option, Stream } from "effect"
import { keyedPlans } from "../../src/Runtime/PreparedStatements.ts"
import { AllTaskEvents } from "../../src/Task/AllTaskEvents.ts"
import { noTask, parseResumePoint } from "../../src/Task/EventPosition.ts"
import { completePositions, findOldestOpen, readEvents } from "../../src/Task/EventPositions.ts"
import { TaskCommands } from "../../src/Task/TaskCommands.ts"
import { buffersOf } from "../support/Buffers.ts"
import { eventually } from "../support/Eventually.ts"
import { givenCompleted } from "../support/GivenTasks.ts"
import { inWorld, Wire } from "../support/TaskWorld.ts"

const fromTheBeginning = (count: number) =>
  Stream.unwrap(Effect.map(AllTaskEvents, ({ watch }) => watch(parseResumePoint("0"), null))).pipe(
    Stream.take(count),
    Stream.runCollect,
    Effect.map(Chunk.toReadonlyArray)
  )

const query = (text: string, ...values: ReadonlyArray<unknown>) =>
  Effect.flatMap(Wire, (wire) => wire.query<Readonly<Record<string, unknown>>>(text, values))

const positions = query(
  "select task_id::text, seq, xact_id::text from event_positions where xact_id > '0' order by task_id, seq"
)

const numberedRows = query(
  `select id::text as task_id, 0 as seq, xact_id::text from tasks union all
   select task_id::text, seq, xact_id::text from steps order by task_id, seq`
)

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

inWorld("Positions of events", (test) => {
  test("are those of all tasks and steps, and go with them", function*() {
    const commands = yield* TaskCommands
    const [kept, removed] = [yield* givenCompleted(), yield* givenCompleted()]
    const all = yield* positions
    assert.deepStrictEqual(all, yield* numberedRows)
    yield* commands.archive(removed)
    yield* commands.remove(removed)
    assert.deepStrictEqual(yield* positions, all.filter((row) => row["task_id"] === kept))
  })

  test("are restored after a crash of the server, which empties an unlogged table", function*() {
    for (let n = 0; n < 3; n++) yield* givenCompleted()
    const before = yield* fromTheBeginning(18)
    const [table] = yield* query("select relpersistence from pg_class where relname = 'event_positions'")
    assert.strictEqual(table?.["relpersistence"], "u")
    yield* query("truncate event_positions")
    yield* givenCompleted()
    const after = yield* fromTheBeginning(24)
    assert.deepStrictEqual(after.slice(0, 18), before)
    assert.deepStrictEqual(yield* positions, yield* numberedRows)
  })

  test("of rows that have gone are passed over", function*() {
    yield* query(
      "insert into event_positions select '5', gen_random_uuid(), n from generate_series(1, 600) n"
    )
    yield* givenCompleted()
    const events = yield* fromTheBeginning(6)
    assert.isTrue(Option.isSome(Option.fromNullable(events.find(({ _tag }) => _tag === "status"))))
  })

  test("bound what a read costs, anywhere among two hundred thousand rows, and where new rows take the space of old ones", function*() {
    // The restored order is what is read, and 200,000 calls of a trigger take time.
    yield* query("set session_replication_role = replica")
    yield* givenSteps(1, 18_000)
    yield* query("delete from steps where hashtext(task_id::text || seq) % 3 = 0")
    yield* query("vacuum steps")
    yield* givenSteps(18_001, 24_000)
    yield* query("set session_replication_role = origin")
    yield* query("truncate event_positions")
    yield* completePositions
    yield* query("vacuum analyze event_positions")
    yield* settled
    const now = yield* end
    assert.isBelow(yield* pagesFrom(now), 15, "with nothing new")
    yield* query(`insert into steps (task_id, seq, body) select task_id, 99, '{}' from steps limit 1`)
    yield* settled
    assert.isBelow(yield* pagesFrom(now), 25, "with one new row")
    assert.isBelow(yield* pagesFrom("0"), 256 * 12, "far behind")
  })
})
