import { Layer } from "effect"
import * as Cluster from "../Runtime/Cluster/Cluster.ts"
import type { Settings } from "../Runtime/Settings/Settings.ts"
import * as Actors from "./Actors.ts"
import * as Database from "./Database.ts"
import * as Deliveries from "./Deliveries.ts"
import { metrics } from "./Http.ts"
import * as Intake from "./Intake.ts"
import * as Services from "./Services.ts"
import * as Tools from "./Tools.ts"

/** Runs the tasks of the shards that the cluster assigns to it, without HTTP. Any number may share a database. */
export const layer = (settings: Settings["Type"]) =>
  Actors.layer(settings).pipe(
    Layer.merge(Layer.provide(Intake.layer(settings), Services.submission(settings))),
    Layer.provide(Tools.tools(settings)),
    Layer.merge(Layer.merge(Deliveries.layer(settings), metrics(settings))),
    Layer.provide(Services.memories(settings)),
    Layer.provide(Services.shared(settings)),
    Layer.provide(Cluster.member(settings.cluster)),
    Layer.provide(Database.layer(settings))
  )
