import { Layer } from "effect"
import * as Cluster from "../Runtime/Cluster.ts"
import type { Settings } from "../Runtime/Settings.ts"
import * as Database from "./Database.ts"
import * as Http from "./Http.ts"
import * as Rooms from "./Rooms.ts"

/** The API alone: it accepts, answers and shows tasks, and runs none. */
export const layer = (settings: Settings["Type"]) =>
  Http.layer.pipe(
    Layer.provide(Rooms.tasks(settings)),
    Layer.provide(Rooms.shared(settings)),
    Layer.provide(Cluster.client(settings.cluster)),
    Layer.provide(Database.layer(settings))
  )
