import { assert } from "@effect/vitest"
import { TaskId } from "@troupe/domain/Ids"
import type { Step } from "@troupe/domain/Step"
import { Effect, FastCheck, Runtime, Struct } from "effect"
import { TaskCommands } from "../../src/Task/Command/TaskCommands.ts"
import { Journal } from "../../src/Task/Journal/Journal.ts"
import { processRestarted, stepAfter } from "../support/GivenTasks.ts"
import { runsOf } from "../support/PropertyRuns.ts"
import { rowOf, stepsOf } from "../support/TaskRows.ts"
import { inWorld, Wire, type World } from "../support/TaskWorld.ts"
import { makeCluster } from "./claimCluster.ts"
import { address, givenDue, idOf, lockedRunner, names, nobody, shard } from "./claims.ts"
import { addresses, shards, users } from "./claimSlots.ts"
import { said } from "./steps.ts"

/** What may happen, and how often. */
const weights = {
  insert: 5,
  scan: 9,
  "scan together": 2,
  "lose an answer": 1,
  progress: 3,
  sleep: 1,
  pause: 2,
  end: 2,
  release: 1,
  "hand over": 3,
  "drop stale claims": 1,
  cancel: 2,
  retry: 2,
  suspect: 4,
  restart: 2,
  die: 1,
  "move a shard": 2,
  "learn of shards": 2,
  "pass time": 3
} as const

interface Move {
  readonly kind: keyof typeof weights
  readonly runner: number
  readonly shard: number
  readonly user: string
  readonly pick: number
  readonly areTold: boolean
}

const moves = FastCheck.array(
  FastCheck.record<Move>({
    kind: FastCheck.oneof(
      ...Struct.entries(weights).map(([kind, weight]) => ({ weight, arbitrary: FastCheck.constant(kind) }))
    ),
    runner: FastCheck.nat(addresses.length - 1),
    shard: FastCheck.constantFrom(...shards),
    user: FastCheck.constantFrom(...users),
    pick: FastCheck.nat(9),
    areTold: FastCheck.boolean()
  }),
  { minLength: 40, maxLength: 100, size: "max" }
)

type Cluster = Effect.Effect.Success<typeof makeCluster>

const play = (
  cluster: Cluster,
  { areTold, kind, pick, runner, shard, user }: Move
): Effect.Effect<unknown, unknown, Wire> => {
  const one = cluster.processes[runner] ?? assert.fail("no process")
  const held = one.slots.claims
  const claim = held[pick % held.length]
  const rows = cluster.rows()
  const row = rows[pick % rows.length]
  switch (kind) {
    case "insert":
      return cluster.insert(1 + pick % 4, user, shard, areTold ? 0 : pick * 10)
    case "scan":
      return cluster.scan(one, pick)
    case "scan together":
      return cluster.scanTogether
    case "lose an answer":
      return cluster.loseAnswer(one)
    case "progress":
    case "sleep":
    case "pause":
    case "end":
    case "release":
    case "hand over":
      return claim === undefined ? Effect.void : cluster[kind](one, claim)
    case "drop stale claims":
      return cluster.dropStale(one)
    case "cancel":
    case "retry":
    case "suspect":
      return row === undefined ? Effect.void : cluster[kind](row)
    case "restart":
    case "die":
      return cluster[kind](one)
    case "move a shard":
      return cluster.move(shard, one, areTold)
    case "learn of shards":
      return Effect.sync(() => cluster.learnShards(one))
    case "pass time":
      return Effect.sync(() => cluster.pass(areTold ? 10 : 5))
  }
}

/** Once all processes live and know their shards, each due task is claimed. */
const settle = (cluster: Cluster) =>
  Effect.gen(function*() {
    for (const one of cluster.processes) if (cluster.isDead(one)) yield* cluster.restart(one)
    cluster.processes.forEach(cluster.learnShards)
    cluster.pass(15)
    for (let round = 0; round <= cluster.rows().length; round++) {
      for (const one of cluster.processes) {
        yield* cluster.dropStale(one)
        yield* cluster.scan(one)
        yield* Effect.forEach(one.slots.claims, (claim) => cluster.end(one, claim))
      }
    }
    assert.deepStrictEqual(cluster.rows().filter(({ dueAt }) => dueAt !== null), [])
  })

inWorld("Claims", (test) => {
  test("give a due task to one process at a time, by share and in turn, whatever ends, moves or gets lost", function*() {
    const runtime = yield* Effect.runtime<World>()
    const cluster = yield* makeCluster
    const playAll = (list: ReadonlyArray<Move>) =>
      Effect.gen(function*() {
        yield* cluster.begin
        for (const [place, shard] of shards.entries()) {
          yield* cluster.move(shard, cluster.processes[place % addresses.length] ?? assert.fail("no process"), true)
        }
        for (const move of list) yield* Effect.zipRight(play(cluster, move), cluster.assertRows)
        yield* Effect.zipRight(settle(cluster), cluster.assertRows)
      })
    yield* Effect.promise(() =>
      FastCheck.assert(
        FastCheck.asyncProperty(moves, (list) => Runtime.runPromise(runtime)(playAll(list))),
        { numRuns: runsOf(12), interruptAfterTimeLimit: 55_000, markInterruptAsFailure: true }
      )
    )
  })

  test("leave a task that is claimed several times at once to the claim with the highest epoch", function*() {
    const claims = yield* lockedRunner
    yield* givenDue("alice", 20)
    const take = claims.take({ asked: 20, perUser: 20, after: "", active: nobody })
    const taken = (yield* Effect.all([take, take, take], { concurrency: "unbounded" })).flatMap(({ claims }) => claims)
    const held = new Map(taken.toSorted((a, b) => a.epoch - b.epoch).map((claim) => [claim.taskId, claim.epoch]))
    assert.strictEqual(held.size, 20)
    assert.strictEqual(new Set(taken.map(({ epoch, taskId }) => `${taskId} ${epoch}`)).size, taken.length)
    const stale = taken.filter(({ epoch, taskId }) => held.get(taskId) !== epoch)
    for (const claim of taken) assert.strictEqual((yield* claims.stale([claim])).length, stale.includes(claim) ? 1 : 0)
  })

  test("journal which process woke the task and why, and keep the time at which it first started", function*() {
    const { query } = yield* Wire
    const claims = yield* lockedRunner
    yield* givenDue("alice", 1)
    const id = yield* idOf("alice.1")
    const take = claims.take({
      asked: 1,
      perUser: 1,
      after: "",
      active: nobody,
      suspects: { most: 1, isFirst: true, isAlone: true }
    })
    const woken = (epoch: number, reason: "first" | "recovery" | "resume" | "retry", more = {}): Step => ({
      kind: "woken",
      epoch,
      reason,
      runner: address,
      ...more
    })
    const startedAt = query<{ started_at: Date }>("select started_at from actors")
    yield* take
    const started = yield* startedAt
    assert.isNotNull(started[0]?.started_at)
    yield* processRestarted
    yield* take
    yield* query("update actors set runner = null")
    yield* take
    yield* query("update actors set attempts = 0, process_deaths = 0, runner = null")
    yield* take
    yield* query("update actors set status = 'failed', wake_at = null, runner = null")
    yield* (yield* TaskCommands).retry(id)
    yield* take
    assert.deepStrictEqual(yield* stepsOf(id), [
      woken(1, "first"),
      woken(2, "recovery", { deaths: 1 }),
      woken(3, "recovery"),
      woken(4, "resume"),
      { kind: "retried" },
      woken(6, "retry")
    ])
    assert.deepStrictEqual(yield* startedAt, started)
    assert.include(yield* rowOf(id), { job_seq: 6 })
  })

  test("take the suspect of a user below the share, which is none any more once it has progressed", function*() {
    const { query } = yield* Wire
    const claims = yield* lockedRunner
    yield* givenDue("alice", 1, shard, 60)
    yield* givenDue("bob", 1)
    yield* query("update actors set process_deaths = 2, queued_by = ''")
    const active = new Map([[TaskId.make("00000000-0000-7000-8000-000000000001"), "alice"]])
    const take = claims.take({
      asked: 9,
      perUser: 1,
      after: "",
      active,
      suspects: { most: 1, isFirst: true, isAlone: true }
    })
    const { claims: [suspect] } = yield* take
    assert.deepInclude(suspect, { input: "bob.1", claimKind: "alone" })
    yield* (yield* Journal).append(stepAfter(suspect ?? assert.fail("no claim"), said("It works.")))
    yield* processRestarted
    assert.deepInclude((yield* take).claims[0], { input: "bob.1", deaths: 1, loneDeaths: 0, claimKind: "recovered" })
  })

  test("report that more is due than one scan reads, and read it next", function*() {
    const claims = yield* lockedRunner
    yield* givenDue("flood", 501)
    yield* givenDue("zoe", 1)
    const wanted = { asked: 1, perUser: 1, after: "flood", active: nobody }
    const first = yield* claims.take(wanted)
    assert.deepStrictEqual([names(first), first.hasMore], [["flood.1"], true])
    const active = new Map(first.claims.map((claim) => [claim.taskId, claim.creator]))
    const second = yield* claims.take({ ...wanted, active })
    assert.deepStrictEqual([names(second), second.hasMore], [["zoe.1"], false])
  })
})
