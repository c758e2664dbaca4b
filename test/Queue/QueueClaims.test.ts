import { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { assert } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { makeOutboxQueue } from "../../src/Delivery/OutboxStream.ts"
import { inboundTable } from "../../src/Intake/InboundMessage.ts"
import { type ClaimOptions, makeQueue } from "../../src/Queue/Queue.ts"
import { keyedPlans, type PreparedStatements } from "../../src/Runtime/Database/PreparedStatements.ts"
import { buffersOf } from "../support/Buffers.ts"
import { givenMail, outboxRows } from "../support/Deliveries.ts"
import { inWorld, Wire } from "../support/TaskWorld.ts"
import { claimOf, claimOptions } from "./claims.ts"

/** Messages from outside: `values` are the type and the ordering key. */
const given = (values: string, count: number) =>
  Effect.flatMap(Wire, ({ query }) =>
    query(
      `insert into inbound_messages (id, source, type, ordering_key, headers, url, body)
select gen_random_uuid(), 'webhook', ${values}, '{}', '/', '' from generate_series(1, $1) i`,
      [count]
    ))

const claimInbound = (options: Partial<ClaimOptions> = {}) =>
  Effect.flatMap(
    makeQueue(inboundTable, Schema.Struct({})),
    ({ claim }) => claim("webhook", { ...claimOptions, ...options })
  )

const pagesOf = (name: string) =>
  Effect.flatMap(Wire, ({ sent }) => buffersOf(sent.findLast((one) => one.name === name), keyedPlans))

inWorld("Claims of a queue", (test) => {
  test("wait for the disk where a lost one could be handed over twice", function*() {
    yield* givenMail("ada@x.org", "1")
    yield* given("'orders', null", 1)
    const sql = yield* SqlClient
    const commitOf = (claim: Effect.Effect<unknown, SqlError, PreparedStatements>) =>
      sql.withTransaction(Effect.gen(function*() {
        yield* sql`set local synchronous_commit = on`
        yield* claim
        return yield* sql`show synchronous_commit`
      }))
    assert.deepStrictEqual(yield* commitOf(claimOf("email")), [{ synchronous_commit: "on" }])
    assert.deepStrictEqual(yield* commitOf(claimInbound()), [{ synchronous_commit: "off" }])
  })

  test("read few pages, however many rows of one key wait, whether its first one is due or not", function*() {
    const { query } = yield* Wire
    yield* given("'flood', 'channel'", 20_000)
    yield* given("'flood', 'other'", 1)
    yield* given("'flood', null", 1)
    assert.strictEqual((yield* claimInbound()).claims.length, 3)
    assert.deepStrictEqual(
      yield* query(
        "select position - min(position) over () as after from inbound_messages where state = 'processing' order by position"
      ),
      [{ after: "0" }, { after: "20000" }, { after: "20001" }]
    )
    assert.strictEqual((yield* claimInbound()).claims.length, 0)
    assert.isBelow(yield* pagesOf("inbound_messages_claim"), 60)
    yield* query("update inbound_messages set state = 'pending', due_at = now() where state = 'processing'")
    assert.isBelow(yield* pagesOf("inbound_messages_claim"), 200)
  })

  test("read few pages, however many rows of one lane wait for one that is not due", function*() {
    const { query } = yield* Wire
    yield* query(`insert into outbox (id, channel, recipient, kind, payload, due_at)
      select notification_id(now() + i * interval '1 second', gen_random_uuid(), 0, 0), 'email', 'dead@x.org', 'mail', '{}',
        case when i = 0 then now() + interval '1 hour' else now() end from generate_series(0, 49999) i`)
    yield* query(`insert into outbox (id, channel, recipient, kind, payload)
      select notification_id(now(), gen_random_uuid(), i, 0), 'email', i || '@y.org', 'mail', '{}' from generate_series(1, 50) i`)
    yield* query("analyze outbox")
    const { claims, next } = yield* claimOf("email")
    assert.deepStrictEqual([claims.length, next.lane], [50, ""])
    assert.isFalse(claims.some(({ recipient }) => recipient === "dead@x.org"))
    assert.isBelow(yield* pagesOf("outbox_claim"), 1_000)
  })

  test("find other lanes by reading few pages, however many keys of one wait, and as many of each as it may have", function*() {
    const { query } = yield* Wire
    yield* query(`insert into outbox (id, channel, recipient, kind, payload, task_id, due_at)
      select notification_id(now(), gen_random_uuid(), i, 0), 'webhook', '0', 'task.created', '{}', gen_random_uuid(), now() + interval '1 hour'
      from generate_series(1, 50000) i`)
    yield* query(`insert into outbox (id, channel, recipient, kind, payload, task_id)
      select notification_id(now(), gen_random_uuid(), i, 0), 'webhook', (1 + i % 2)::text, 'task.created', '{}', gen_random_uuid()
      from generate_series(1, 20) i`)
    yield* query("analyze outbox")
    const recipients = Effect.map(claimOf("webhook"), ({ claims }) => claims.map(({ recipient }) => recipient).sort())
    assert.deepStrictEqual(yield* recipients, ["1", "1", "1", "1", "2", "2", "2", "2"])
    assert.deepStrictEqual(yield* recipients, [])
    assert.isBelow(yield* pagesOf("outbox_claim"), 2_500)
  })

  test("consider a bounded number of keys, and go on with those after them", function*() {
    yield* given("'flood', 'key ' || to_char(i, 'FM0000')", 600)
    const { query } = yield* Wire
    yield* query("update inbound_messages set due_at = now() + interval '1 hour'")
    yield* given("'quiet', 'last'", 1)
    const first = yield* claimInbound()
    assert.deepStrictEqual([first.claims.length, first.next.lane], [0, "key 0499"])
    const second = yield* claimInbound({ from: first.next })
    assert.deepStrictEqual([second.claims.length, second.next.lane], [1, ""])
  })

  test("go round the lanes where they have no room for all", function*() {
    for (const recipient of ["a", "a", "b", "c"]) yield* givenMail(recipient, "Hello")
    const first = yield* claimOf("email", { limit: 2 })
    const second = yield* claimOf("email", { limit: 2, from: first.next })
    assert.deepStrictEqual(
      [first, second].map(({ claims }) => claims.map(({ recipient }) => recipient)),
      [["a", "b"], ["c"]]
    )
  })

  test("of several processes at the same time take each row once", function*() {
    yield* given("'flood', 'key ' || i", 20)
    yield* given("'flood', null", 20)
    const results = yield* Effect.replicateEffect(claimInbound({ limit: 8 }), 5, { concurrency: "unbounded" })
    const first = results.flatMap(({ claims }) => claims)
    assert.isAtLeast(first.length, 16)
    const { claims: rest } = yield* claimInbound()
    assert.strictEqual(new Set([...first, ...rest].map(({ id }) => id)).size, first.length + rest.length)
    assert.strictEqual(first.length + rest.length, 40)
  })

  test("of a row that ends its process are made with growing delays, and in the end it has failed", function*() {
    const { query } = yield* Wire
    const end = query("update outbox set due_at = now() - interval '1 second'")
    yield* givenMail("poison@x.org", "1")
    const delays: Array<number> = []
    for (const claims of [1, 1, 0, 1]) {
      assert.lengthOf((yield* claimOf("email")).claims, claims)
      const [row] = yield* query<{ seconds: number }>(
        "select extract(epoch from due_at - now())::float8 as seconds from outbox"
      )
      delays.push(Math.round(row?.seconds ?? 0))
      yield* end
    }
    assert.deepStrictEqual(delays, [20, 20, 15, 20])
    assert.deepStrictEqual((yield* claimOf("email")).ended, { deferred: 0, exhausted: 1, uncertain: 0 })
    const [row] = yield* outboxRows
    assert.deepInclude(row, { state: "failed", attempts: 3 })
    assert.match(row?.last_error ?? "", /Attempt 3 ended with its process/)
  })

  test("are not made of what was handed over, and its result counts even later", function*() {
    const { query } = yield* Wire
    const { queue } = yield* makeOutboxQueue
    for (const to of ["a@x.org", "b@x.org"]) yield* givenMail(to, to)
    const [handed, other] = (yield* claimOf("email")).claims
    if (handed === undefined || other === undefined) return assert.fail("no claims")
    assert.isTrue(yield* queue.handOver(handed, "20 seconds", true))
    yield* query("update outbox set due_at = now() - interval '1 second'")
    const { claims, ended } = yield* claimOf("email")
    assert.deepStrictEqual([claims.map(({ id }) => id), ended.uncertain], [[other.id], 1])
    assert.match((yield* outboxRows).find(({ id }) => id === handed.id)?.last_error ?? "", /may have arrived/)
    assert.isFalse(yield* queue.handOver(other, "20 seconds", true), "a frozen process sends nothing")
    assert.isTrue(yield* queue.finish(handed, null), "the result is known in the end")
  })
})
