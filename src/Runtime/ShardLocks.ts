import * as ClusterError from "@effect/cluster/ClusterError"
import type * as RunnerAddress from "@effect/cluster/RunnerAddress"
import * as RunnerStorage from "@effect/cluster/RunnerStorage"
import * as ShardId from "@effect/cluster/ShardId"
import * as ShardingConfig from "@effect/cluster/ShardingConfig"
import * as SqlRunnerStorage from "@effect/cluster/SqlRunnerStorage"
import { SqlClient } from "@effect/sql/SqlClient"
import { SqlError } from "@effect/sql/SqlError"
import { Cause, Duration, Effect, Layer, Option } from "effect"

/** A lock holds while its runner sends heartbeats, one row each; the library would update the row of every lock. */
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

    /** The shards that the statement returns. A frozen server does not delay the time-outs. */
    const shardsOf = (statement: string, values: ReadonlyArray<unknown>) =>
      sql.unsafe<{ readonly shards: string | null }>(statement, values).pipe(
        Effect.map(([row]) => new Set(row?.shards?.split(" "))),
        Effect.disconnect,
        Effect.interruptible,
        Effect.timeout(config.shardLockRefreshInterval),
        ClusterError.PersistenceError.refail,
        Effect.withTracerEnabled(false)
      )

    /** Locks acquired since the current refresh began: the cluster would release them if they were left out. */
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
      // The library sends hundreds of releases over the connection of the heartbeats, which would then be late.
      release: (address, shardId) => Effect.asVoid(shardsOf(release, [nameOf(address), shardId.toString()])),
      releaseAll: (address) => Effect.asVoid(shardsOf(releaseAll, [nameOf(address)]))
    })
  })
).pipe(Layer.provide(Layer.suspend(() => libraryStorage)))

/** The library fails with a defect if it can't reserve its connection in time, as on a busy machine. */
const libraryStorage = SqlRunnerStorage.layer.pipe(
  Layer.catchAllCause((cause) =>
    Layer.failCause(
      Option.match(Option.filter(Cause.dieOption(cause), (defect) => defect instanceof SqlError), {
        onNone: () => cause,
        onSome: Cause.fail
      })
    )
  )
)

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
