import { assert } from "@effect/vitest"
import { Duration, Effect, FastCheck as fc, Schema } from "effect"
import { inboundTable } from "../../src/Intake/InboundMessage.ts"
import { makeQueue, type QueueClaim } from "../../src/Queue/Queue.ts"
import { runsOf } from "../support/PropertyRuns.ts"
import { inWorld, Wire } from "../support/TaskWorld.ts"
import { claimOptions } from "./claims.ts"

/** What a process does next: `crash` forgets its claims, whose leases stay; `thaw` makes it finish claims that it lost. */
const action = fc.oneof(
  fc.record({
    kind: fc.constantFrom("claim", "finish", "retry", "release", "renew", "crash", "thaw"),
    process: fc.nat(2)
  }),
  fc.record({ kind: fc.constant("leases end"), process: fc.nat(2) })
)

const runs = fc.record({
  keys: fc.array(fc.constantFrom(null, "a", "b"), { minLength: 1, maxLength: 8 }),
  actions: fc.array(action, { minLength: 10, maxLength: 40 })
})

inWorld("A queue under any interleaving of processes that claim, finish, fail, crash and freeze", (test) => {
  test("ends each row once, one of a key after the other", function*() {
    const { query } = yield* Wire
    const queue = yield* makeQueue(inboundTable, Schema.Struct({}))
    for (const { actions, keys } of fc.sample(runs, runsOf(30))) {
      yield* query("truncate inbound_messages restart identity")
      yield* Effect.forEach(keys, (key) =>
        query(
          `insert into inbound_messages (id, source, type, ordering_key, headers, url, body)
          values (gen_random_uuid(), 'webhook', 'any', $1, '{}', '/', '')`,
          [key]
        ))
      const order = yield* query<{ id: string; key: string | null }>(
        "select id::text, ordering_key as key from inbound_messages order by position"
      )
      const held: ReadonlyArray<Array<QueueClaim>> = [[], [], []]
      const lost: ReadonlyArray<Array<QueueClaim>> = [[], [], []]
      const finished: Array<string> = []
      const newest = new Map<string, QueueClaim>()
      const due = query("update inbound_messages set due_at = now() - interval '1 second' where due_at is not null")

      const claim = (process: number) =>
        Effect.map(
          queue.claim("webhook", { ...claimOptions, limit: 3, maxAttempts: 1_000, firstDelay: "1 second" }),
          ({ claims }) => {
            for (const one of claims) {
              newest.set(one.id, one)
              const key = order.find(({ id }) => id === one.id)?.key ?? null
              const isAlone = key === null || order.every(({ id, key: other }) =>
                other !== key || finished.includes(id) || order.findIndex((row) => row.id === id) >=
                  order.findIndex((row) => row.id === one.id)
              )
              assert.isTrue(isAlone, "an older row of the key has not ended")
            }
            held[process]?.push(...claims)
          }
        )
      const finish = (claim: QueueClaim | undefined) =>
        claim === undefined ?
          Effect.void :
          Effect.map(queue.finish(claim, null, { task: null, keepsContent: true }), (isOurs) => {
            assert.isTrue(!isOurs || newest.get(claim.id) === claim, "only the newest claim ends a row")
            if (isOurs) finished.push(claim.id)
          })

      for (const { kind, process } of actions) {
        const [mine = [], forgotten = []] = [held[process], lost[process]]
        const first = kind === "claim" || kind === "crash" || kind === "thaw" ? undefined : mine[0]
        if (kind === "claim") yield* claim(process)
        if (kind === "finish") yield* finish(mine.shift())
        if (kind === "renew" && first !== undefined) yield* queue.renew(first, "20 seconds")
        if (kind === "retry" && first !== undefined) yield* queue.retry(first, "Not now", Duration.zero)
        if (kind === "release" && first !== undefined) yield* queue.release(first, null, Duration.zero)
        if (kind === "retry" || kind === "release") forgotten.push(...mine.splice(0, 1))
        if (kind === "crash") forgotten.push(...mine.splice(0))
        if (kind === "thaw") yield* finish(forgotten.shift())
        if (kind === "leases end") yield* due
      }
      for (let round = 0; round < 40 && finished.length < order.length; round++) {
        yield* due
        yield* claim(0)
        yield* Effect.forEach(held[0]?.splice(0) ?? [], finish)
      }
      assert.deepStrictEqual(finished.toSorted(), order.map(({ id }) => id).toSorted())
      assert.deepStrictEqual(yield* query("select from inbound_messages where state <> 'done'"), [])
      for (const key of ["a", "b"]) {
        const ids = order.filter((row) => row.key === key).map(({ id }) => id)
        assert.deepStrictEqual(finished.filter((id) => ids.includes(id)), ids)
      }
    }
  })
})
