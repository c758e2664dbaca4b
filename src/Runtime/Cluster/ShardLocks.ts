import * as ClusterError from "@effect/cluster/ClusterError"
import * as Runner from "@effect/cluster/Runner"
import type * as RunnerAddress from "@effect/cluster/RunnerAddress"
import * as RunnerStorage from "@effect/cluster/RunnerStorage"
import * as ShardId from "@effect/cluster/ShardId"
import * as ShardingConfig from "@effect/cluster/ShardingConfig"
import * as SqlRunnerStorage from "@effect/cluster/SqlRunnerStorage"
import * as Reactivity from "@effect/experimental/Reactivity"
import * as PgClient from "@effect/sql-pg/PgClient"
import { make as makeClient, SqlClient } from "@effect/sql/SqlClient"
import type { Connection } from "@effect/sql/SqlConnection"
import type { SqlError } from "@effect/sql/SqlError"
import { Duration, Effect, Layer, Option } from "effect"
import type { Session } from "../Database/Session.ts"
import { makeHeartbeat } from "./Heartbeat.ts"

/** A lock holds while its runner sends heartbeats, one row each; the library would update the row of every lock. */
export const layer: Layer.Layer<
  RunnerStorage.RunnerStorage,
  SqlError,
  SqlClient | ShardingConfig.ShardingConfig | Session
> = Layer.scoped(
  RunnerStorage.RunnerStorage,
  Effect.gen(function*() {
    const storage = yield* RunnerStorage.RunnerStorage
    const sql = (yield* SqlClient).withoutTransforms()
    const config = yield* ShardingConfig.ShardingConfig
    const expiration = Duration.toSeconds(config.shardLockExpiration)
    const heartbeat = yield* makeHeartbeat
    yield* Effect.withTracerEnabled(sql.unsafe(setBackHeartbeats), false)
    // Those that a killed process of this address has left: the library would release hundreds of them one by one.
    yield* Effect.forEach(
      Option.toArray(config.runnerAddress),
      (address) => Effect.withTracerEnabled(sql.unsafe(releaseAll, [nameOf(address)]), false)
    )

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

    let hasLeft = false
    let known: Runners = []

    return RunnerStorage.RunnerStorage.of({
      ...storage,
      // The cluster asks every second.
      getRunners: Effect.suspend(() => {
        const found = heartbeat.runners()
        return found === null
          ? storage.getRunners
          : Effect.succeed(found.map(([runner, healthy]) => [Runner.Runner.decodeSync(runner), healthy] as const))
      }).pipe(
        // Without any runner the library would fail, and log that every second.
        Effect.map((runners) => hasLeft && !runners.some(([, healthy]) => healthy) ? known : (known = runners))
      ),
      unregister: (address) => Effect.zipRight(Effect.sync(() => (hasLeft = true)), storage.unregister(address)),
      register: (runner, healthy) => heartbeat.registering(storage.register(runner, healthy)),
      acquire: (address, shardIds) => {
        const ids = Array.from(shardIds)
        return Effect.map(shardsOf(acquire, [nameOf(address), ids.map(String), expiration]), (taken) => {
          heartbeat.acquired(taken)
          return ids.filter((id) => taken.has(id.toString()))
        })
      },
      refresh: (address) =>
        heartbeat.send(nameOf(address)).pipe(
          Effect.map((held) => Array.from(held, ShardId.ShardId.fromString)),
          Effect.mapError((cause) => new ClusterError.PersistenceError({ cause })),
          Effect.withTracerEnabled(false)
        ),
      // The library sends hundreds of releases one by one over a connection of its own.
      release: (address, shardId) =>
        Effect.map(
          shardsOf(release, [nameOf(address), shardId.toString()]),
          () => heartbeat.released(shardId.toString())
        ),
      releaseAll: (address) => Effect.asVoid(shardsOf(releaseAll, [nameOf(address)]))
    })
  })
).pipe(Layer.provide(Layer.suspend(() => libraryStorage)))

/**
 * The library reserves a connection for the statements about locks, which are all replaced above: it gets none. Its other
 * statements run on the pool.
 */
const libraryStorage = SqlRunnerStorage.layer.pipe(
  Layer.provide(Layer.effect(
    SqlClient,
    Effect.flatMap(SqlClient, ({ reserve }) =>
      makeClient({
        acquirer: reserve,
        transactionAcquirer: Effect.succeed(unused),
        compiler: PgClient.makeCompiler(),
        spanAttributes: []
      }))
  )),
  Layer.provide(Reactivity.layer)
)

const never = () => Effect.dieMessage("Statements about locks do not run on a connection of the library")
const unused: Connection = {
  execute: never,
  executeRaw: never,
  executeStream: never,
  executeUnprepared: never,
  executeValues: never
}

type Runners = Effect.Effect.Success<RunnerStorage.RunnerStorage["Type"]["getRunners"]>

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

const released = (condition: string): string => `
with released as (delete from cluster_locks where ${condition} returning shard_id)
select string_agg(shard_id, ' ') as shards from released`

/**
 * Heartbeats ahead of the clock of the database: an earlier version wrote them in the zone of the server, or the clock was set back. A
 * killed runner would look alive until then; one that lives sends its next heartbeat before this one expires.
 */
const setBackHeartbeats =
  "update cluster_runners set last_heartbeat = localtimestamp where last_heartbeat > localtimestamp + interval '1 minute'"

const release = released("address = $1 and shard_id = $2")

const releaseAll = released("address = $1")
