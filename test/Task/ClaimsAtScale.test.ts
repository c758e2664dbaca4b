import { assert } from "@effect/vitest"
import type { TaskId } from "@troupe/domain/Ids"
import { Effect, Number } from "effect"
import { keyedPlans } from "../../src/Runtime/Database/PreparedStatements.ts"
import { buffersOf as pagesOf } from "../support/Buffers.ts"
import { inWorld, type Sent, Wire } from "../support/TaskWorld.ts"
import { address, givenDue, lock, names, nobody, runner, shard } from "./claims.ts"

// Each takes its lock when its rows are inserted: the heartbeat would end meanwhile on a busy machine.
inWorld("Claims among very many tasks", (test) => {
  test("read no row of a thousand users whose tasks all sleep", function*() {
    yield* lock([shard])
    const line = yield* Wire
    const claims = yield* runner()
    yield* line.query(
      `insert into actors (task_id, shard, creator, updated_at, wake_at)
         select gen_random_uuid(), $1, 'asleep' || i, now(), now() + interval '1 hour' from generate_series(1, 1000) i`,
      [shard]
    )
    yield* givenDue("zoe", 1)
    assert.deepStrictEqual(names(yield* claims.take({ asked: 1, perUser: 1, after: "", active: nobody })), ["zoe.1"])
    assert.isBelow(yield* buffersOf(line.sent), 40)
  })

  test("skip what has been due for longer than asked for, at no cost, even for twenty thousand of other runners", function*() {
    const line = yield* Wire
    const claims = yield* runner()
    const take = (since?: number) =>
      claims.take({ asked: 1, perUser: 1, after: "", active: nobody, ...(since === undefined ? {} : { since }) })
    yield* givenDue("flood", 10_000, 302, 60_000)
    yield* line.query(
      `insert into actors (task_id, shard, creator, updated_at, wake_at, queued_by)
         select gen_random_uuid(), 302, 'waits' || i, now(), now() - interval '1 hour', '10.0.0.7:1'
         from generate_series(1, 10000) i`
    )
    yield* givenDue("zoe", 1, shard, 50_000)
    yield* givenDue("zora", 1)
    yield* lock([shard])
    assert.deepStrictEqual(names(yield* take(30)), ["zora.1"])
    assert.isBelow(yield* buffersOf(line.sent), 40)
    assert.deepStrictEqual(names(yield* take()), ["zoe.1"])
  })

  test("cost little with twenty thousand queued tasks of one user, and leave room for the one of another", function*() {
    const line = yield* Wire
    const claims = yield* runner()
    const active = new Map<TaskId, string>()
    const taken: Array<string> = []
    const look = (since?: number) =>
      Effect.gen(function*() {
        const result = yield* claims.take({
          asked: 16 - active.size,
          perUser: 12,
          after: "",
          active,
          ...(since === undefined ? {} : { since })
        })
        for (const claim of result.claims) active.set(claim.taskId, claim.creator)
        taken.push(...names(result))
        return result.hasMore
      })
    yield* givenDue("flood", 100, shard, 50_000)
    yield* lock([shard])
    assert.isFalse(yield* look())
    yield* givenDue("flood", 20_000, shard, 40_000)
    yield* givenDue("zora", 1)
    yield* lock([shard])
    let looks = 1
    while (yield* look()) looks += 1
    assert.strictEqual(looks, 41, "of five hundred each")
    assert.strictEqual(taken.length, 13, "twelve of one, and one of the other")
    assert.include(taken, "zora.1")
    yield* look(30)
    assert.isBelow(yield* buffersOf(line.sent), 40)
  })

  test("find the task of a new user, and one of each user in turn, among fifty thousand that no runner has queued", function*() {
    const line = yield* Wire
    const claims = yield* runner()
    yield* givenBacklog(50_000, 200)
    yield* line.query("vacuum analyze actors")
    yield* lock([shard])
    yield* givenDue("zoe", 1)
    const take = (newest: number, after: string, active = nobody) =>
      claims.take({ asked: 3, perUser: 2, after, active, since: 30, visits: 200, newest })
    const first = yield* take(100, "waits100")
    assert.deepStrictEqual(first.claims.map(({ creator }) => creator), ["zoe", "waits101", "waits102"])
    assert.strictEqual(first.after, "waits102")
    // Five of each of 200 users, and those of three claims.
    assert.isBelow(yield* buffersOf(line.sent), 1050)
    const active = new Map(first.claims.map(({ creator, taskId }) => [taskId, creator]))
    const second = yield* take(0, "waits199", active)
    assert.deepStrictEqual(second.claims.map(({ creator }) => creator), ["waits200", "waits001", "waits002"])
    assert.isBelow(yield* buffersOf(line.sent), 200)
    assert.deepStrictEqual(yield* line.query("select from actors where queued_by is not null"), [], "none is queued")
  })

  test("pass two hundred users at most whose tasks all sleep, and visit those after them next", function*() {
    const line = yield* Wire
    const claims = yield* runner()
    yield* line.query(
      `insert into actors (task_id, shard, creator, updated_at, wake_at)
         select gen_random_uuid(), $1, 'asleep' || i % 300, now(), now() + interval '1 hour' from generate_series(1, 9000) i`,
      [shard]
    )
    yield* line.query("vacuum analyze actors")
    yield* lock([shard])
    yield* givenDue("zoe", 1, shard, 60)
    const take = (after: string) =>
      claims.take({ asked: 1, perUser: 1, after, active: nobody, since: 30, visits: 200, newest: 0 })
    const first = yield* take("")
    assert.deepStrictEqual(names(first), [])
    assert.notStrictEqual(first.after, "")
    assert.isBelow(yield* buffersOf(line.sent), 2000)
    assert.deepStrictEqual(names(yield* take(first.after)), ["zoe.1"])
  })

  test("read nothing of the queues of living runners unless they are asked to", function*() {
    const line = yield* Wire
    const claims = yield* runner()
    yield* givenBacklog(20_000, 200, 302)
    yield* line.query("update actors set queued_by = '10.0.0.7:1'")
    yield* givenDue("zoe", 1)
    yield* line.query("update actors set queued_by = '10.0.0.7:1' where creator = 'zoe'")
    yield* line.query("vacuum analyze actors")
    yield* lock([shard])
    yield* lock([302], 0, "10.0.0.7:1")
    const take = (allQueues: boolean) => claims.take({ asked: 1, perUser: 1, after: "", active: nobody, allQueues })
    assert.deepStrictEqual(names(yield* take(false)), [])
    assert.isBelow(yield* buffersOf(line.sent), 60)
    assert.deepStrictEqual(names(yield* take(true)), ["zoe.1"], "of a shard that has moved")
    yield* line.query("update actors set queued_by = '10.0.0.7:1', runner = null where creator = 'zoe'")
    yield* lock([], 60, "10.0.0.7:1")
    assert.deepStrictEqual(names(yield* take(false)), ["zoe.1"], "once the runner has ended")
  })

  test("visit twenty thousand users with queued tasks in turn, at the cost of those visited", function*() {
    const line = yield* Wire
    const claims = yield* runner()
    yield* line.query(
      `with made as (
           insert into tasks (id, created_at, creator, description, task_type)
           select gen_random_uuid(), now(), 'waits' || lpad(i::text, 5, '0'), 'waits', 'task'
           from generate_series(1, 20000) i
           returning id, creator
         )
         insert into actors (task_id, shard, creator, updated_at, wake_at, queued_by)
         select id, $1, creator, now(), now() - interval '1 hour', $2 from made`,
      [shard, address]
    )
    // So that the plan does not depend on when PostgreSQL gathers its statistics.
    yield* line.query("vacuum analyze tasks")
    yield* line.query("vacuum analyze actors")
    yield* lock([shard])
    const { claims: taken } = yield* claims.take({
      asked: 3,
      perUser: 9,
      after: "waits19999",
      active: nobody,
      since: 30
    })
    assert.deepStrictEqual(taken.map(({ creator }) => creator), ["waits20000", "waits00001", "waits00002"])
    assert.isBelow(yield* buffersOf(line.sent), 150)
  })
})

/** Due tasks of users `waits001` and so on, one of each after the other, the newest a minute old. */
const givenBacklog = (tasks: number, users: number, on = shard) =>
  Effect.flatMap(Wire, ({ query }) =>
    query(
      `with made as (
         insert into tasks (id, created_at, creator, description, task_type)
         select gen_random_uuid(), now(), 'waits' || lpad((1 + i % $2::integer)::text, 3, '0'), i::text, 'task'
         from generate_series(1, $1::integer) i
         returning id, creator, description::integer as i
       )
       insert into actors (task_id, shard, creator, updated_at, wake_at)
       select id, $3, creator, now(), now() - make_interval(secs => 60 + i / 1000.0) from made`,
      [tasks, users, on]
    ))

/** The pages that the statements of the last scan touch. */
const buffersOf = (sent: ReadonlyArray<Sent>) => {
  const scan = sent.slice(sent.findLastIndex(({ name }) => name === "claims_candidates"))
  return Effect.map(Effect.forEach(scan, (statement) => pagesOf(statement, keyedPlans)), Number.sumAll)
}
