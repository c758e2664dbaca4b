import { Layer } from "effect"
import * as MetricsServer from "../Http/MetricsServer.ts"
import * as Cluster from "../Runtime/Cluster.ts"
import { RunnerLease } from "../Runtime/RunnerLease.ts"
import type { Settings } from "../Runtime/Settings.ts"
import * as Actors from "./Actors.ts"
import * as Database from "./Database.ts"
import * as Rooms from "./Rooms.ts"

/** A worker alone: it runs the tasks of the shards that the cluster gives it. Any number may run on one database. */
export const layer = (settings: Settings["Type"]) =>
  Actors.layer(settings).pipe(
    Layer.merge(MetricsServer.layer),
    Layer.provide(Rooms.tools(settings)),
    Layer.provide(Rooms.memories(settings)),
    Layer.provide(Rooms.shared(settings)),
    Layer.provide(Layer.provide(Cluster.member(settings.cluster), RunnerLease.layer(settings.cluster))),
    Layer.provide(Database.layer(settings))
  )
