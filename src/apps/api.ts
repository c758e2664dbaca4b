import { Layer } from "effect"
import * as Cluster from "../Runtime/Cluster/Cluster.ts"
import type { Settings } from "../Runtime/Settings/Settings.ts"
import * as Database from "./Database.ts"
import * as Http from "./Http.ts"
import * as Services from "./Services.ts"

/** The HTTP interface without workers. */
export const layer = (settings: Settings["Type"]) =>
  Http.layer(settings).pipe(
    Layer.provide(Services.tasks(settings)),
    Layer.provide(Services.shared(settings)),
    Layer.provide(Cluster.client(settings.cluster)),
    Layer.provide(Database.layer(settings))
  )
