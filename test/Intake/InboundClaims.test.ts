import { assert } from "@effect/vitest"
import { Duration, Effect } from "effect"
import { type ClaimPosition, makeInboundRepo } from "../../src/Intake/InboundRepo.ts"
import { webhookSource } from "../../src/Intake/Webhook/Webhooks.ts"
import { keyedPlans } from "../../src/Runtime/Database/PreparedStatements.ts"
import { buffersOf } from "../support/Buffers.ts"
import { inWorld, Wire } from "../support/TaskWorld.ts"

const given = (rows: string, count: number) =>
  Effect.flatMap(Wire, ({ query }) =>
    query(
      `insert into inbound_messages (id, source, type, ordering_key, headers, url, body)
select gen_random_uuid(), 'webhook', ${rows}, '{}', '/', '' from generate_series(1, $1) i`,
      [count]
    ))

const claim = (limit: number, from: ClaimPosition = { type: "", key: "" }) =>
  Effect.flatMap(
    makeInboundRepo,
    (repo) =>
      repo.claim({ source: webhookSource, limit, lease: Duration.seconds(10), maxAttempts: 5, from, exceptTypes: [] })
  )

const pages = Effect.flatMap(
  Wire,
  ({ sent }) => buffersOf(sent.findLast(({ name }) => name === "inbound_claim"), keyedPlans)
)

inWorld("Claims of inbound messages", (test) => {
  test("read few pages, however many messages of one key wait, whether its first one is due or not", function*() {
    const { query } = yield* Wire
    yield* given("'flood', 'channel'", 20_000)
    yield* given("'flood', 'other'", 1)
    yield* given("'flood', null", 1)
    const { claims } = yield* claim(32)
    assert.strictEqual(claims.length, 3)
    assert.deepStrictEqual(
      yield* query(
        "select position - min(position) over () as after from inbound_messages where state = 'processing'"
      ),
      [{ after: "0" }, { after: "20000" }, { after: "20001" }]
    )
    assert.strictEqual((yield* claim(32)).claims.length, 0)
    assert.isBelow(yield* pages, 60)
    yield* query("update inbound_messages set state = 'pending', due_at = now() where state = 'processing'")
    assert.isBelow(yield* pages, 200)
  })

  test("consider a bounded number of keys, and continue with those after them", function*() {
    yield* given("'flood', 'key ' || to_char(i, 'FM0000')", 600)
    yield* given("'quiet', 'last'", 1)
    const first = yield* claim(4)
    assert.deepStrictEqual(first.next, { type: null, key: "key 0257" })
    const second = yield* claim(4, first.next)
    const third = yield* claim(4, second.next)
    assert.deepStrictEqual(third.next, { type: null, key: null })
    const { query } = yield* Wire
    assert.deepStrictEqual(
      yield* query("select ordering_key from inbound_messages where state = 'processing' order by position"),
      [1, 2, 3, 4, 257, 258, 259, 260, 513, 514, 515].map((n) => ({
        ordering_key: `key ${String(n).padStart(4, "0")}`
      }))
        .concat({ ordering_key: "last" })
    )
    const none = yield* claim(4, third.next)
    assert.deepStrictEqual(none.claims, [])
  })

  test("of several processes at the same time take each message once", function*() {
    yield* given("'flood', 'key ' || i", 20)
    yield* given("'flood', null", 20)
    const results = yield* Effect.replicateEffect(claim(8), 5, { concurrency: "unbounded" })
    const first = results.flatMap(({ claims }) => claims)
    assert.isAtLeast(first.length, 16)
    const { claims: rest } = yield* claim(40)
    assert.strictEqual(new Set([...first, ...rest].map(({ id }) => id)).size, first.length + rest.length)
    assert.strictEqual(first.length + rest.length, 40)
  })
})
