import {
  ClusterError,
  type RunnerAddress,
  RunnerStorage,
  ShardId,
  ShardingConfig,
  SqlRunnerStorage
} from "@effect/cluster"
import { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { Duration, Effect, Layer } from "effect"

/**
 * The cluster's storage in PostgreSQL, where the lock of a shard holds for as long as its runner gives signs of life:
 * one row of `cluster_runners` that each runner writes every refresh interval. (As it comes, the storage also writes the
 * row of every lock each time, which were nearly all the writes of an idle service.) A lock has one holder at a time,
 * and goes to another runner once it is released or its holder has been silent for the lock expiration. A refresh tells
 * of all that the runner holds: the cluster releases those it has no use for, such as a fallen process of the same
 * address may have left.
 */
export const layer: Layer.Layer<
  RunnerStorage.RunnerStorage,
  SqlError,
  SqlClient | ShardingConfig.ShardingConfig
> = Layer.effect(
  RunnerStorage.RunnerStorage,
  Effect.gen(function*() {
    const storage = yield* RunnerStorage.RunnerStorage
    const sql = (yield* SqlClient).withoutTransforms()
    const config = yield* ShardingConfig.ShardingConfig
    const expiration = Duration.toSeconds(config.shardLockExpiration)

    /** The shards that the statement names. No time-out, ours or the cluster's, waits for a frozen server. */
    const shardsOf = (statement: string, values: ReadonlyArray<unknown>) =>
      sql.unsafe<{ readonly shards: string | null }>(statement, values).pipe(
        Effect.map(([row]) => new Set(row?.shards?.split(" "))),
        Effect.disconnect,
        Effect.interruptible,
        Effect.timeout(config.shardLockRefreshInterval),
        ClusterError.PersistenceError.refail,
        Effect.withTracerEnabled(false)
      )

    /** Those taken since the refresh under way began: the cluster would release them where they were left out. */
    let justTaken: ReadonlyArray<ShardId.ShardId> = []

    return RunnerStorage.RunnerStorage.of({
      ...storage,
      acquire: (address, shardIds) => {
        const ids = Array.from(shardIds)
        return shardsOf(acquire, [nameOf(address), ids.map(String), expiration]).pipe(
          Effect.map((taken) => ids.filter((id) => taken.has(id.toString()))),
          Effect.tap((taken) => Effect.sync(() => (justTaken = [...justTaken, ...taken])))
        )
      },
      refresh: (address) =>
        Effect.suspend(() => {
          justTaken = []
          return storage.refresh(address, []).pipe(
            Effect.zipRight(shardsOf(held, [nameOf(address)])),
            Effect.map((ours) => Array.from(new Set([...Array.from(ours, ShardId.ShardId.fromString), ...justTaken])))
          )
        }),
      // As they come, hundreds of releases queue on the one connection of the signs of life, and these behind them.
      release: (address, shardId) => Effect.asVoid(shardsOf(release, [nameOf(address), shardId.toString()])),
      releaseAll: (address) => Effect.asVoid(shardsOf(releaseAll, [nameOf(address)]))
    })
  })
).pipe(Layer.provide(SqlRunnerStorage.layer))

const nameOf = ({ host, port }: RunnerAddress.RunnerAddress): string => `${host}:${port}`

const acquire = `
with taken as (
  insert into cluster_locks as l (shard_id, address, acquired_at)
  select id, $1, now() from unnest($2::text[]) as id order by id
  on conflict (shard_id) do update set address = excluded.address, acquired_at = excluded.acquired_at
  where l.address = $1 or not exists (
    select from cluster_runners r
    where r.address = l.address and r.last_heartbeat >= localtimestamp - make_interval(secs => $3::float8)
  )
  returning l.shard_id
)
select string_agg(shard_id, ' ') as shards from taken`

const held = "select string_agg(shard_id, ' ') as shards from cluster_locks where address = $1"

const released = (condition: string): string => `
with released as (delete from cluster_locks where ${condition} returning shard_id)
select string_agg(shard_id, ' ') as shards from released`

const release = released("address = $1 and shard_id = $2")

const releaseAll = released("address = $1")
