import * as MessageStorage from "@effect/cluster/MessageStorage"
import * as RunnerAddress from "@effect/cluster/RunnerAddress"
import * as RunnerHealth from "@effect/cluster/RunnerHealth"
import * as Runners from "@effect/cluster/Runners"
import * as Sharding from "@effect/cluster/Sharding"
import * as ShardingConfig from "@effect/cluster/ShardingConfig"
import * as SocketRunner from "@effect/cluster/SocketRunner"
import * as NodeClusterSocket from "@effect/platform-node/NodeClusterSocket"
import * as RpcSerialization from "@effect/rpc/RpcSerialization"
import type { SqlClient } from "@effect/sql/SqlClient"
import { Duration, Layer, Option, Schedule } from "effect"
import type { Session } from "../Database/Session.ts"
import { ListenFailed } from "../Process/ListenFailed.ts"
import * as RunnerLease from "./RunnerLease.ts"
import * as ShardLocks from "./ShardLocks.ts"

type Config = ShardingConfig.ShardingConfig["Type"]

export interface ClusterOptions extends Pick<Config, "shardLockExpiration"> {
  readonly host: string
  readonly port: number
}

/** A lock is kept while two of three heartbeats are lost. */
const intervalsOf = (shardLockExpiration: Config["shardLockExpiration"]) => {
  const heartbeat = Duration.min("2 seconds", Duration.times(shardLockExpiration, 2 / 7))
  const refreshAssignmentsInterval = Duration.times(heartbeat, 1 / 2)
  return {
    shardLockExpiration,
    shardLockRefreshInterval: heartbeat,
    runnerHealthCheckInterval: heartbeat,
    refreshAssignmentsInterval,
    // There are no messages to poll for, but at this interval the cluster also checks which shards to acquire, and
    // reconnects after the database was unavailable.
    entityMessagePollInterval: refreshAssignmentsInterval,
    // What the lease of the running steps has to be written when their shard moves.
    entityTerminationTimeout: Duration.seconds(3)
  }
}

const shardingConfig = ({ host, port, shardLockExpiration }: ClusterOptions, member: boolean): Partial<Config> => ({
  ...intervalsOf(shardLockExpiration),
  runnerAddress: member ? Option.some(RunnerAddress.make(host, port)) : Option.none(),
  // The rows of `cluster_locks` guard the claims; an advisory lock would survive while a worker is frozen.
  shardLockDisableAdvisory: true,
  simulateRemoteSerialization: false
})

/**
 * No call is stored: commands are rows of the inbox. (A copy: `layerNoop` shares one object that keeps request ids.)
 */
const noMessages = Layer.succeed(
  MessageStorage.MessageStorage,
  MessageStorage.MessageStorage.of({ ...MessageStorage.noop })
)

type Cluster = Sharding.Sharding | ShardingConfig.ShardingConfig

/** The cluster creates its tables without a lock, so of processes that start together all but one may fail once. */
const runnerStorage = ShardLocks.layer.pipe(
  Layer.retry(Schedule.spaced("100 millis").pipe(Schedule.intersect(Schedule.recurs(20)))),
  Layer.orDie
)

const storages = Layer.merge(noMessages, runnerStorage)

// Not `NodeClusterSocket.layer`: it reads settings from the environment, some under our names with another meaning
// (SHARD_LOCK_EXPIRATION), others that would assign every task to another shard (SHARDS_PER_GROUP).

/** A process that runs actors beside others: it registers as a runner, gets shards and can be called. */
export const member = (
  settings: ClusterOptions
): Layer.Layer<Cluster, ListenFailed | RunnerLease.RunnerAddressTaken, Session | SqlClient> =>
  SocketRunner.layer.pipe(
    Layer.provide([NodeClusterSocket.layerSocketServer, RunnerHealth.layerPing.pipe(Layer.provide(Runners.layerRpc))]),
    Layer.provide(NodeClusterSocket.layerClientProtocol),
    Layer.provide([storages, RpcSerialization.layerMsgPack]),
    Layer.provideMerge(ShardingConfig.layer(shardingConfig(settings, true))),
    Layer.mapError(({ cause }) =>
      new ListenFailed({
        host: settings.host,
        port: settings.port,
        cause,
        settings: { host: "RUNNER_HOST", port: "RUNNER_PORT" }
      })
    ),
    Layer.provide(RunnerLease.layer(settings))
  )

/** A process that only calls actors. It holds no shards. */
export const client = (settings: ClusterOptions): Layer.Layer<Cluster, never, Session | SqlClient> =>
  SocketRunner.layerClientOnly.pipe(
    Layer.provide(NodeClusterSocket.layerClientProtocol),
    Layer.provide([storages, RpcSerialization.layerMsgPack]),
    Layer.provideMerge(ShardingConfig.layer(shardingConfig(settings, false)))
  )

const seldom = Duration.seconds(10)

/** The only process on its database: it owns every shard, and needs no port. */
export const alone = (settings: ClusterOptions): Layer.Layer<Cluster, never, Session | SqlClient> =>
  Sharding.layer.pipe(
    Layer.provide([Runners.layerNoop, RunnerHealth.layerNoop]),
    Layer.provide(storages),
    Layer.provideMerge(ShardingConfig.layer({ ...shardingConfig(settings, true), refreshAssignmentsInterval: seldom }))
  )
