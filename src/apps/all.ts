import { Layer, Option } from "effect"
import * as Cluster from "../Runtime/Cluster.ts"
import { RunnerLease } from "../Runtime/RunnerLease.ts"
import type { Settings } from "../Runtime/Settings.ts"
import * as Actors from "./Actors.ts"
import * as Database from "./Database.ts"
import * as Http from "./Http.ts"
import * as Rooms from "./Rooms.ts"

/** Everything in one process. On a database of its own it needs no cluster port; on a shared one it is one of many. */
export const layer = (settings: Settings["Type"]) =>
  Layer.merge(Actors.layer(settings).pipe(Layer.provide(Rooms.tools(settings))), Http.layer).pipe(
    Layer.provide([Rooms.tasks(settings), Rooms.memories(settings)]),
    Layer.provide(Rooms.shared(settings)),
    Layer.provide(
      Option.isSome(settings.database.url)
        ? Layer.provide(Cluster.member(settings.cluster), RunnerLease.layer(settings.cluster))
        : Cluster.alone(settings.cluster)
    ),
    Layer.provide(Database.layer(settings))
  )
