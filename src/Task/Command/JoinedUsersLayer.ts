import { SqlClient } from "@effect/sql/SqlClient"
import { Effect, Layer, Schedule } from "effect"
import { Sandbox } from "../../File/Sandbox.ts"
import { changingUsers, moveRows, type Pair, pairsOf } from "../../People/User/JoinedUsers.ts"
import { ScheduledJobs } from "../../Runtime/Cluster/ScheduledJobs.ts"
import { Signals } from "../../Runtime/Database/Signals.ts"

/**
 * Moves the files of joined users, and for an hour what processes still write for them. Each process with the files does
 * it, because it may be repeated.
 */
export const JoinedUsersLayer: Layer.Layer<never, never, Signals | Sandbox | ScheduledJobs | SqlClient> = Layer
  .scopedDiscard(Effect.gen(function*() {
    const jobs = yield* ScheduledJobs
    const { receive } = yield* Signals
    const move = yield* makeMoveJoined
    yield* jobs.start({
      name: "joined_users",
      scope: "process",
      schedule: Schedule.spaced("1 minute"),
      wakeUps: receive("troupe_joined_users"),
      run: move
    })
  }))

export const makeMoveJoined = Effect.gen(function*() {
  const sandbox = yield* Sandbox
  const sql = yield* SqlClient
  const moveOne = Effect.fnUntraced(function*(pair: Pair) {
    yield* changingUsers(sql)(moveRows(sql, pair))
    yield* sandbox.moveAll(pair.id, pair.user_id)
    yield* sql`with ended as (
  delete from joined_users where id = ${pair.id} and joined_at < now() - interval '1 hour' returning id
)
delete from memory_owners o using ended where o.user_id = ended.id and o.memories = 0`
  }, Effect.orDie)
  return Effect.flatMap(
    pairsOf(sql`select id, user_id from joined_users order by joined_at, id`),
    Effect.forEach(moveOne, { discard: true })
  )
})
