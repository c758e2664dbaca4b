import { SqlError } from "@effect/sql/SqlError"
import { assert } from "@effect/vitest"
import { TaskId } from "@troupe/domain/Ids"
import type { Step } from "@troupe/domain/Step"
import { Effect, Either, Struct } from "effect"
import { PreparedStatements } from "../../src/Runtime/Database/PreparedStatements.ts"
import type { Claim } from "../../src/Task/Claim/Claims.ts"
import { lease } from "../../src/Task/Claim/ClaimStatements.ts"
import { beginScan, endScan, failScan, forget } from "../../src/Task/Claim/ScanState.ts"
import { TaskCommands } from "../../src/Task/Command/TaskCommands.ts"
import { Journal } from "../../src/Task/Journal/Journal.ts"
import type { StepWrite } from "../../src/Task/Journal/StepWrite.ts"
import { stepAfter } from "../support/GivenTasks.ts"
import { lockExpirationSeconds, Wire } from "../support/TaskWorld.ts"
import { age, atRest, created, failed, raised, type Row, scanned } from "./claimModel.ts"
import { lock, runner } from "./claims.ts"
import { addresses, assertWithinSlots, forgetful, maxActive, shards } from "./claimSlots.ts"
import { said } from "./steps.ts"

/** Processes that claim, work and end, beside the model of what each may hold. */
export const makeCluster = Effect.gen(function*() {
  const wire = yield* Wire
  const journal = yield* Journal
  const commands = yield* TaskCommands
  const statements = yield* PreparedStatements
  const rows = new Map<TaskId, Row>()
  const locks = new Map<number, string>()
  const dead = new Set<string>()
  let now = 0
  let moments = 0

  const processes = yield* Effect.forEach(addresses, (address) => {
    const owned: Array<number> = []
    return Effect.map(runner(owned, address), (claims) => ({ address, claims, owned, ...forgetful() }))
  })
  type Process = typeof processes[number]

  const write = (row: Row, change: Partial<Row>) => void rows.set(row.id, { ...row, ...change })

  /** Half a step of time away from each pass of time, and different for each task. */
  const secondsAgo = (seconds: number) => now - seconds - 2.5 - 0.001 * moments++

  /** The statements see the time of the test, and heartbeats just before or after their expiration. */
  const setTime = Effect.suspend(() => {
    const ages = [...rows.values()].flatMap((row) =>
      row.dueAt === null ? [] : [{ id: row.id, age: age(row, now), left: Math.max(row.leasedUntil - now, -1) }]
    )
    return wire.query(
      `with beats as (
         update cluster_runners set last_heartbeat = localtimestamp
           - make_interval(secs => $2 + case when address = any($3::text[]) then 1 else -5 end)
         where address = any($4::text[])
       )
       update actors a set wake_at = now() - make_interval(secs => r.age), leased_until = now() + make_interval(secs => r."left")
       from json_to_recordset($1) as r(id uuid, age float8, "left" float8) where a.task_id = r.id`,
      [JSON.stringify(ages), lockExpirationSeconds, [...dead], addresses]
    )
  })

  const scan = (one: Process, most: number = maxActive, isAnswered = true) =>
    Effect.gen(function*() {
      const { room } = one.slots
      one.scans = beginScan(one.scans, [...one.owned], room.free, BigInt(now) * 1_000_000_000n)
      const since = one.scans.scan?.since
      const wanted = { ...room, asked: Math.min(most, room.free), after: one.after, since }
      const expected = scanned(rows.values(), {
        address: one.address,
        holds: (shard) => one.owned.includes(shard) && locks.get(shard) === one.address && !dead.has(one.address),
        isAlive: (address) => !dead.has(address),
        now,
        wanted
      })
      const taken = yield* Effect.either(one.claims.take(wanted))
      for (const row of [...expected.claimed, ...expected.queued]) rows.set(row.id, row)
      // A scan that finds nothing claims nothing, so no claim can be lost.
      const isLost = !isAnswered && expected.claimed.length + expected.queued.length > 0
      assert.strictEqual(Either.isLeft(taken), isLost)
      if (Either.isLeft(taken)) {
        one.scans = failScan(one.scans)
        return yield* taken.left
      }
      const { claims } = taken.right
      assert.deepStrictEqual(
        claims.map(({ epoch, seq, taskId }) => [taskId, epoch, seq]),
        expected.claimed.map(({ epoch, id, seq }) => [id, epoch, seq])
      )
      for (const claim of claims) {
        one.slots.add(claim)
        one.after = claim.creator
      }
      assertWithinSlots(one)
      one.scans = endScan(one.scans, taken.right, false)
    })

  /** A step of a run: only the holder of the epoch writes. */
  const step = (one: Process, claim: Claim, body: Step, over: Partial<StepWrite>, change: (row: Row) => Partial<Row>) =>
    Effect.gen(function*() {
      const row = rows.get(claim.taskId) ?? assert.fail("no row")
      const steps = one.steps.get(claim) ?? 0
      const written = yield* Effect.either(journal.append(stepAfter({ ...claim, seq: claim.seq + steps }, body, over)))
      assert.strictEqual(Either.isRight(written), row.epoch === claim.epoch)
      if (Either.isRight(written)) {
        one.steps.set(claim, steps + 1)
        write(row, { seq: row.seq + 1, isOld: false, ...change(row) })
      }
      if (rows.get(row.id)?.runner !== one.address || Either.isLeft(written)) one.slots.remove(row.id)
    })

  const learnShards = (one: Process) =>
    void one.owned.splice(0, Infinity, ...shards.filter((shard) => locks.get(shard) === one.address))

  const move = (shard: number, to: Process, areTold: boolean) =>
    Effect.map(lock([shard], 0, to.address), () => {
      locks.set(shard, to.address)
      if (areTold) processes.forEach(learnShards)
      else learnShards(to)
    })

  const restart = (one: Process) =>
    Effect.gen(function*() {
      Object.assign(one, forgetful())
      dead.delete(one.address)
      yield* lock([], 0, one.address)
      yield* wire.query("update actors set updated_at = updated_at - interval '1 day' where runner = $1", [one.address])
      for (const row of rows.values()) if (row.runner === one.address) write(row, { isOld: true })
    })

  return {
    processes,
    rows: () => [...rows.values()],
    begin: Effect.gen(function*() {
      yield* wire.query("truncate tasks, actors, steps, inbox cascade")
      rows.clear()
      yield* Effect.forEach(processes, restart)
    }),
    insert: (count: number, user: string, shard: number, seconds: number) =>
      Effect.forEach(Array.from({ length: count }), () => {
        const id = TaskId.make(`00000000-0000-7000-8000-${String(rows.size).padStart(12, "0")}`)
        rows.set(id, { ...created, id, user, shard, dueAt: secondsAgo(seconds) })
        return wire.query(
          `with made as (
             insert into tasks (id, created_at, creator, title, description, task_type)
             values ($1, now(), $2, 'T', 'T', 'task')
           ) insert into actors (task_id, shard, creator, updated_at, wake_at) values ($1, $3, $2, now(), now())`,
          [id, user, shard]
        )
      }),
    scan: (one: Process, most?: number) => Effect.zipRight(setTime, scan(one, most)),
    scanTogether: Effect.zipRight(
      setTime,
      Effect.forEach(processes, (one) => scan(one), { concurrency: "unbounded" })
    ),
    loseAnswer: (one: Process) =>
      Effect.gen(function*() {
        yield* setTime
        wire.after = ({ name }) => name === "claims_take" ? new SqlError({ cause: null, message: "lost" }) : Effect.void
        yield* Effect.either(scan(one, maxActive, false))
        wire.after = () => Effect.void
      }),
    progress: (one: Process, claim: Claim) =>
      Effect.tap(
        step(one, claim, said("It works."), {}, ({ queuedBy }) => ({
          attempts: 1,
          deaths: 0,
          loneDeaths: 0,
          queuedBy: queuedBy === "" ? null : queuedBy
        })),
        () => Effect.sync(() => one.slots.progressed(claim))
      ),
    sleep: (one: Process, claim: Claim) =>
      step(one, claim, said("Later."), { attempts: 0, wake: later }, () => ({ ...atRest, dueAt: secondsAgo(-10) })),
    pause: (one: Process, claim: Claim) =>
      step(
        one,
        claim,
        { kind: "crashed", reason: "the process ended", retryAt: 0, deaths: claim.deaths },
        { run: null, attempts: 0, keepsDeaths: true, wake: later },
        ({ queuedBy }) => ({
          runner: null,
          attempts: 0,
          queuedBy: queuedBy === "" ? queuedBy : null,
          dueAt: secondsAgo(-10)
        })
      ),
    end: (one: Process, claim: Claim) =>
      step(one, claim, { kind: "failed", error: "No." }, { attempts: 0 }, () => ({ ...atRest, ...failed })),
    release: (one: Process, claim: Claim) =>
      Effect.map(one.claims.release([claim]), () => {
        const row = rows.get(claim.taskId)
        if (row?.epoch === claim.epoch && row.dueAt !== null) {
          write(row, { attempts: Math.max(0, row.attempts - 1), runner: null })
        }
        one.slots.remove(claim.taskId)
        one.scans = forget(one.scans)
      }),
    /** It loses the shard to another one, and ends the step. */
    "hand over": (one: Process, claim: Claim) =>
      Effect.gen(function*() {
        yield* statements.execute(lease({ tasks: [claim.taskId], epochs: [claim.epoch], seconds: 60 }))
        const row = rows.get(claim.taskId) ?? assert.fail("no row")
        if (row.epoch === claim.epoch && row.runner !== null) write(row, { leasedUntil: now + 7.5 })
        yield* move(row.shard, processes.find((other) => other !== one) ?? one, true)
      }),
    dropStale: (one: Process) =>
      Effect.gen(function*() {
        const held = one.slots.claims
        const stale = held.filter(({ epoch, taskId }) => rows.get(taskId)?.epoch !== epoch).map(({ taskId }) => taskId)
        assert.sameMembers([...yield* one.claims.stale(held)], stale)
        for (const id of stale) one.slots.remove(id)
      }),
    cancel: (row: Row) =>
      Effect.map(commands.cancel(row.id, "Cancelled."), () => {
        if (row.status !== "failed") write(row, { ...atRest, ...raised(row), ...failed })
      }),
    retry: (row: Row) =>
      Effect.map(commands.retry(row.id), () => {
        if (row.status === "failed") write(row, { ...raised(row), status: "pending", dueAt: secondsAgo(0) })
      }),
    /** As after two deaths of its process and a pause. */
    suspect: (row: Row) =>
      row.runner !== null || row.dueAt === null ? Effect.void : Effect.map(
        wire.query("update actors set process_deaths = 2, queued_by = '' where task_id = $1", [row.id]),
        () => write(row, { deaths: 2, queuedBy: "" })
      ),
    restart,
    /** Its heartbeat is old, though it may still run. */
    die: (one: Process) => Effect.sync(() => void dead.add(one.address)),
    isDead: ({ address }: Process) => dead.has(address),
    move,
    learnShards,
    pass: (seconds: number) => void (now += seconds),
    assertRows: Effect.gen(function*() {
      const stored = yield* wire.query(
        `select task_id as id, creator as "user", shard, status, epoch, seq, attempts, process_deaths as deaths,
           lone_deaths as "loneDeaths", claim_kind as kind, runner, queued_by as "queuedBy", wake_at is not null as "isDue"
         from actors order by task_id`
      )
      const expected = [...rows.values()].map((row) => ({
        ...Struct.omit(row, "dueAt", "isOld", "leasedUntil"),
        isDue: row.dueAt !== null
      }))
      assert.deepStrictEqual(stored, expected)
    })
  }
})

const later = { _tag: "After", millis: 10_000 } as const
