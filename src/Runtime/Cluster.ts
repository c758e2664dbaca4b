import {
  MessageStorage,
  RunnerAddress,
  RunnerHealth,
  Runners,
  Sharding,
  ShardingConfig,
  SocketRunner
} from "@effect/cluster"
import { NodeClusterSocket } from "@effect/platform-node"
import { RpcSerialization } from "@effect/rpc"
import type { SqlClient } from "@effect/sql/SqlClient"
import { Duration, Layer, Option, Schedule } from "effect"
import { ListenFailed } from "./ListenFailed.ts"
import type { Settings } from "./Settings.ts"
import * as ShardLocks from "./ShardLocks.ts"

type ClusterSettings = Settings["Type"]["cluster"]

const shardingConfig = (
  settings: ClusterSettings,
  member: boolean
): Partial<ShardingConfig.ShardingConfig["Type"]> => ({
  runnerAddress: member ? Option.some(RunnerAddress.make(settings.host, settings.port)) : Option.none(),
  runnerListenAddress: Option.none(),
  // The rows of `cluster_locks` guard the claims; an advisory lock would outlive the sleep of a frozen worker.
  shardLockDisableAdvisory: true,
  shardLockExpiration: settings.shardLockExpiration,
  shardLockRefreshInterval: settings.shardLockRefreshInterval,
  refreshAssignmentsInterval: settings.refreshAssignmentsInterval,
  runnerHealthCheckInterval: settings.healthCheckInterval,
  entityTerminationTimeout: settings.terminationTimeout,
  // There are no messages to poll for, but by this interval the cluster also looks again for shards that it is to
  // take, and begins anew after the database was away.
  entityMessagePollInterval: settings.refreshAssignmentsInterval,
  simulateRemoteSerialization: false
})

/**
 * No call to an actor is stored: a task's commands are rows of its inbox. (A copy: `layerNoop` shares one object that
 * keeps request ids.)
 */
const noMessages = Layer.succeed(
  MessageStorage.MessageStorage,
  MessageStorage.MessageStorage.of({ ...MessageStorage.noop })
)

type Cluster = Sharding.Sharding | ShardingConfig.ShardingConfig

/**
 * The cluster makes its own tables, unguarded: of processes that start together on an empty database all but one may be
 * refused (`create table if not exists` is no lock), and find the tables there when they look again.
 */
const runnerStorage = ShardLocks.layer.pipe(
  Layer.retry(Schedule.spaced("100 millis").pipe(Schedule.intersect(Schedule.recurs(20)))),
  Layer.orDie
)

const storages = Layer.merge(noMessages, runnerStorage)

// Not `NodeClusterSocket.layer`: it takes settings of its own from the environment, some under names that are ours and
// mean something else there (SHARD_LOCK_EXPIRATION), others that would put every task elsewhere (SHARDS_PER_GROUP).

/** A process that runs actors beside others: it registers as a runner, is given shards and can be called. */
export const member = (settings: ClusterSettings): Layer.Layer<Cluster, ListenFailed, SqlClient> =>
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
        settings: { host: "RUNNER_HOST", port: "RUNNER_PORT: each worker on a machine needs its own" }
      })
    )
  )

/** A process that only calls actors. It holds no shards. */
export const client = (settings: ClusterSettings): Layer.Layer<Cluster, never, SqlClient> =>
  SocketRunner.layerClientOnly.pipe(
    Layer.provide(NodeClusterSocket.layerClientProtocol),
    Layer.provide([storages, RpcSerialization.layerMsgPack]),
    Layer.provideMerge(ShardingConfig.layer(shardingConfig(settings, false)))
  )

/** How often the only process looks for others, of which there are none. */
const seldom = Duration.seconds(10)

/** The only process on its database: it holds every shard, and needs no port. */
export const alone = (settings: ClusterSettings): Layer.Layer<Cluster, never, SqlClient> =>
  Sharding.layer.pipe(
    Layer.provide([Runners.layerNoop, RunnerHealth.layerNoop]),
    Layer.provide(storages),
    Layer.provideMerge(ShardingConfig.layer({ ...shardingConfig(settings, true), refreshAssignmentsInterval: seldom }))
  )
