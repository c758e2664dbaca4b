import { NodeContext } from "@effect/platform-node"
import { Layer, Option } from "effect"
import { join } from "node:path"
import { DatabaseUrl } from "../Runtime/DatabaseUrl.ts"
import * as EmbeddedPostgres from "../Runtime/EmbeddedPostgres.ts"
import { Listener } from "../Runtime/Listener.ts"
import * as Migrations from "../Runtime/Migrations.ts"
import { PreparedStatements } from "../Runtime/PreparedStatements.ts"
import type { Settings } from "../Runtime/Settings.ts"
import * as Sql from "../Runtime/Sql.ts"
import { channels, TaskSignals } from "../Task/TaskSignals.ts"

/** PostgreSQL, the configured or the embedded one, migrated, with every door to it. */
export const layer = ({ database }: Settings["Type"]) =>
  Layer.mergeAll(
    PreparedStatements.layer({ maxConnections: Math.max(2, Math.ceil(database.maxConnections / 2)) }),
    Option.isSome(database.url)
      ? TaskSignals.layer.pipe(Layer.provide(Listener.layer({ channels })))
      : TaskSignals.layerLocal
  ).pipe(
    Layer.provideMerge(Migrations.layer.pipe(Layer.provide(NodeContext.layer))),
    Layer.provideMerge(Sql.layer({ maxConnections: Math.max(3, Math.floor(database.maxConnections / 2)) })),
    Layer.provideMerge(
      Option.match(database.url, {
        onNone: () => EmbeddedPostgres.layer({ dataDir: join(database.dataDir, "postgres"), durable: true }),
        onSome: (url) => Layer.succeed(DatabaseUrl, url)
      })
    )
  )
