import * as NodeContext from "@effect/platform-node/NodeContext"
import * as EmbeddedPostgres from "@troupe/embedded-postgres/EmbeddedPostgres"
import { Duration, Effect, Layer, Option } from "effect"
import { join } from "node:path"
import { DatabaseUrl } from "../Runtime/Database/DatabaseUrl.ts"
import * as Migrations from "../Runtime/Database/Migrations.ts"
import { PreparedStatements } from "../Runtime/Database/PreparedStatements.ts"
import * as RequestRole from "../Runtime/Database/RequestRole.ts"
import { SearchStatements } from "../Runtime/Database/SearchStatements.ts"
import { Signals } from "../Runtime/Database/Signals.ts"
import * as Sql from "../Runtime/Database/Sql.ts"
import type { Settings } from "../Runtime/Settings/Settings.ts"
import { TaskSignals } from "../Task/Row/TaskSignals.ts"

/**
 * Almost half of the connections for the hot path, two or three for searches, the rest for everything else: at least four,
 * because the cluster keeps one, and two transactions that each need another one for a moment would wait for each other.
 */
const shares = (connections: number) => {
  const hot = Math.max(2, Math.ceil(connections / 2) - 1)
  const search = connections < 12 ? 2 : 3
  return { hot, search, other: Math.max(4, connections - hot - search) }
}

/** PostgreSQL, configured or embedded, migrated, with all pools and the signals between processes. */
export const layer = ({ database, isHosted }: Settings["Type"]) => {
  const { hot, other, search } = shares(database.maxConnections)
  return Layer.mergeAll(
    PreparedStatements.layer({ maxConnections: hot }),
    SearchStatements.layer({ maxConnections: search }),
    Layer.provideMerge(TaskSignals.layer, Option.isSome(database.url) ? Signals.layer : Signals.layerLocal)
  ).pipe(
    // Without a sign-in there are no callers to separate.
    Layer.provideMerge(isHosted ? RequestRole.layer : Layer.empty),
    Layer.provideMerge(Migrations.layer.pipe(Layer.provide(NodeContext.layer))),
    Layer.provideMerge(Sql.layer({ maxConnections: other })),
    Layer.provideMerge(
      Option.match(database.url, {
        onNone: () =>
          Layer.scoped(
            DatabaseUrl,
            EmbeddedPostgres.start({ dataDir: join(database.dataDir, "postgres"), durable: true }).pipe(
              Effect.timed,
              Effect.tap(([time]) => Effect.logInfo(`Database ready in ${Duration.toSeconds(time).toFixed(1)} s`)),
              Effect.map(([, url]) => url)
            )
          ),
        onSome: (url) => Layer.succeed(DatabaseUrl, url)
      })
    )
  )
}
