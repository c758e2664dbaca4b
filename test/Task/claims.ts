import { TaskId } from "@troupe/domain/Ids"
import { Context, Effect, Layer } from "effect"
import { type ClaimResult, Claims } from "../../src/Task/Claim/Claims.ts"
import { Shards } from "../../src/Task/Row/Shards.ts"
import { Wire } from "../support/TaskWorld.ts"

/** A runner beside the world's own, whose shards the world's cluster does not know of. */
export const address = "10.0.0.9:1"
export const shard = 301

export const runner = (owned: ReadonlyArray<number> = [shard], at = address) =>
  Layer.build(
    Claims.layer.pipe(
      Layer.provide(
        Layer.succeed(
          Shards,
          Shards.of({
            address: at,
            of: () => shard,
            holds: () => true,
            owned: () => owned,
            holdsMoreThan: () => false
          })
        )
      )
    )
  ).pipe(Effect.map(Context.get(Claims)))

/** The locks of shards, whose holder had its last heartbeat this many seconds ago. */
export const lock = (shards: ReadonlyArray<number>, age = 0, holder = address) =>
  Effect.flatMap(Wire, ({ query }) =>
    query(
      `with runner as (
         insert into cluster_runners (address, runner, last_heartbeat)
         values ($2, '', localtimestamp - make_interval(secs => $3))
         on conflict (address) do update set last_heartbeat = excluded.last_heartbeat
       )
       insert into cluster_locks (shard_id, address, acquired_at)
       select 'default:' || s, $2, localtimestamp from unnest($1::integer[]) s
       on conflict (shard_id) do update set address = excluded.address`,
      [shards, holder, age]
    ))

/** The runner that holds the shard. */
export const lockedRunner = Effect.zipRight(lock([shard]), runner())

/** So many due tasks of a user, `<user>.1` the oldest; each is due a second after the one before. */
export const givenDue = (creator: string, count: number, on: number = shard, oldest = count) =>
  Effect.flatMap(Wire, ({ query }) =>
    query(
      `with made as (
         insert into tasks (id, created_at, creator, title, description, task_type)
         select gen_random_uuid(), now(), $1, 'T', $1 || '.' || i, 'task' from generate_series(1, $2::integer) i
         returning id, split_part(description, '.', 2)::integer as i
       )
       insert into actors (task_id, shard, creator, updated_at, wake_at)
       select id, $3, $1, now(), now() - make_interval(secs => $4::integer - i + 1) from made`,
      [creator, count, on, oldest]
    ))

export const nobody: ReadonlyMap<TaskId, string> = new Map()

export const names = ({ claims }: ClaimResult): ReadonlyArray<string> => claims.map(({ input }) => input)

export const idOf = (name: string) =>
  Effect.flatMap(Wire, ({ query }) => query<{ id: string }>("select id from tasks where description = $1", [name]))
    .pipe(
      Effect.map(([row]) => TaskId.make(row?.id ?? "no such task"))
    )
