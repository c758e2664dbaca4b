import { SqlClient } from "@effect/sql/SqlClient"
import { assert } from "@effect/vitest"
import { Effect } from "effect"

import { deleteIncomplete, makeBlock } from "../../src/Task/Read/WordBlocks.ts"
import { inWorld, Wire } from "../support/TaskWorld.ts"
import { listed } from "./listing.ts"

const id = (number: number) => `019a0000-0000-7000-8000-${String(number).padStart(12, "0")}`

/** Tasks with these texts, requested long ago. */
const given = (texts: ReadonlyArray<string>, from = 1) =>
  Effect.gen(function*() {
    const { query } = yield* Wire
    for (const [index, text] of texts.entries()) {
      yield* query(
        "insert into tasks (id, created_at, creator, description, task_type) values ($1, now(), 'alice', $2, 'task')",
        [id(from + index), text]
      )
      yield* query("insert into actors (task_id, shard, creator, updated_at) values ($1, 1, 'alice', now())", [
        id(from + index)
      ])
    }
  })

const blocks = Effect.flatMap(
  Wire,
  ({ query }) => query<{ tasks: number; last: string }>("select tasks, last from task_word_blocks order by last")
)

const long = (text: string) => `${text} ${"and so on ".repeat(6_000)}`

inWorld("The words of tasks", (test) => {
  test("are in a block once the tasks before the next one are long enough, and found before and after", function*() {
    const sql = yield* SqlClient
    yield* given([long("Überweisung an Łukasz"), "A short one: 東京タワー 😀😀😀", long("The third")])
    for (const text of ["überweisung", "ŁUKASZ", "東京タワー", "😀😀😀", "short one: 東京"]) {
      assert.lengthOf(yield* listed({ q: text }), 1, text)
    }
    assert.isTrue(yield* makeBlock(sql))
    assert.isFalse(yield* makeBlock(sql), "the last one is not enough")
    assert.deepStrictEqual(yield* blocks, [{ tasks: 2, last: id(2) }])
    for (
      const text of [
        "überweisung",
        "ŁUKASZ",
        "kas",
        "東京タワー",
        "京タワ",
        "😀😀😀",
        "short one: 東京",
        "third",
        "THIRD AND",
        "d a"
      ]
    ) {
      assert.isAtLeast((yield* listed({ q: text })).length, 1, text)
    }
    assert.deepStrictEqual(yield* listed({ q: "sixth" }), [])
  })

  test("of one that is longer than a block are in a block of its own", function*() {
    const sql = yield* SqlClient
    yield* given([long(long("Novel")), "After it"])
    assert.isTrue(yield* makeBlock(sql))
    assert.isFalse(yield* makeBlock(sql))
    assert.deepStrictEqual(yield* blocks, [{ tasks: 1, last: id(1) }])
    assert.lengthOf(yield* listed({ q: "novel" }), 1)
  })

  test("of a task that a process with a late clock requests after its block was made are found once the job ran again", function*() {
    const sql = yield* SqlClient
    const { query } = yield* Wire
    const at =
      "notification_id(now() - interval '1 hour' + $1 * interval '1 minute', '019a0000-0000-7000-8000-000000000000', 0, 0)"
    const request = (minute: number, text: string) =>
      query(
        `with t as (insert into tasks (id, created_at, creator, description, task_type)
  values (${at}, now(), 'alice', $2, 'task') returning id)
insert into actors (task_id, shard, creator, updated_at) select id, 1, 'alice', now() from t`,
        [minute, text]
      )
    yield* request(5, long("The fifth"))
    yield* request(9, long("The ninth"))
    assert.isTrue(yield* makeBlock(sql))
    yield* deleteIncomplete(sql)
    assert.lengthOf(yield* blocks, 1, "nothing was added")
    yield* request(3, "Late: hippopotamus")
    yield* deleteIncomplete(sql)
    assert.lengthOf(yield* blocks, 0)
    assert.isTrue(yield* makeBlock(sql))
    assert.lengthOf(yield* listed({ q: "hippopotamus" }), 1)
  })

  test("of a task that is a minute old are in no block, as an older one may still be committed", function*() {
    const sql = yield* SqlClient
    const { query } = yield* Wire
    yield* query(`insert into tasks (id, created_at, creator, description, task_type)
select notification_id(now() - interval '1 minute', '019a0000-0000-7000-8000-000000000000', i, 0), now(), 'alice', 'Fresh ' || i, 'task'
from generate_series(1, 300) i`)
    assert.isFalse(yield* makeBlock(sql))
  })
})
