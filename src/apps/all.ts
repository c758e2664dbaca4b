import { Layer, Option } from "effect"
import type { ChatPlatform } from "../Chat/ChatPlatform.ts"
import * as Cluster from "../Runtime/Cluster/Cluster.ts"
import type { Settings } from "../Runtime/Settings/Settings.ts"
import * as Actors from "./Actors.ts"
import * as Database from "./Database.ts"
import * as Deliveries from "./Deliveries.ts"
import * as Http from "./Http.ts"
import * as Intake from "./Intake.ts"
import * as Services from "./Services.ts"
import * as Tools from "./Tools.ts"

/** Everything in one process, with the chat platform of the settings or the given one. With the embedded database it is a cluster by itself; otherwise it joins the workers. */
export const layer = (settings: Settings["Type"], chat?: Layer.Layer<ChatPlatform>) =>
  Layer.mergeAll(
    Actors.layer(settings).pipe(Layer.provide(Tools.tools(settings))),
    Intake.layer(settings),
    Deliveries.layer(settings),
    Http.layer(settings)
  ).pipe(
    Layer.provide([Services.tasks(settings), Services.memories(settings)]),
    Layer.provide(Services.shared(settings, chat)),
    Layer.provide(
      Option.isSome(settings.database.url)
        ? Cluster.member(settings.cluster)
        : Cluster.alone(settings.cluster)
    ),
    Layer.provide(Database.layer(settings, 10))
  )
