import * as NodeContext from "@effect/platform-node/NodeContext"
import * as EmbeddedPostgres from "@troupe/embedded-postgres/EmbeddedPostgres"
import type { EmbeddedPostgresFailed } from "@troupe/embedded-postgres/EmbeddedPostgresFailed"
import { Duration, Effect, Layer, Option } from "effect"
import { join } from "node:path"
import * as ConnectionLimit from "../Runtime/Database/ConnectionLimit.ts"
import { DatabaseUrl } from "../Runtime/Database/DatabaseUrl.ts"
import * as Migrations from "../Runtime/Database/Migrations.ts"
import * as Pooler from "../Runtime/Database/Pooler.ts"
import { PreparedStatements } from "../Runtime/Database/PreparedStatements.ts"
import * as RequestRole from "../Runtime/Database/RequestRole.ts"
import { SearchStatements } from "../Runtime/Database/SearchStatements.ts"
import { Session } from "../Runtime/Database/Session.ts"
import { Signals } from "../Runtime/Database/Signals.ts"
import * as Sql from "../Runtime/Database/Sql.ts"
import { Sealing, secretsKeyFile } from "../Runtime/Sealing.ts"
import type { Settings } from "../Runtime/Settings/Settings.ts"
import { StoredSettings } from "../Runtime/Settings/StoredSettings.ts"
import { TaskSignals } from "../Task/Row/TaskSignals.ts"
import { backupFirst } from "./upgrade.ts"

/**
 * One connection is for the session of the process, and of the others almost half for the hot path. At least two are for
 * transactions, because one may need another connection for a moment.
 */
const shares = (connections: number) => {
  const pooled = connections - 1
  const search = pooled < 7 ? 1 : pooled < 11 ? 2 : 3
  const other = Math.max(2, Math.ceil((pooled - search) * 0.4))
  return { hot: pooled - search - other, search, other }
}

type Address = Layer.Layer<DatabaseUrl, EmbeddedPostgresFailed | Sql.DatabaseUnreachable>

interface Addresses {
  readonly pooled: Address
  readonly direct: Address
}

/** The address for the pools, and the one for the connections whose session matters. */
const addresses = ({ database: { dataDir, directUrl, url } }: Settings["Type"]): Addresses => {
  if (Option.isNone(url)) {
    const embedded = Layer.scoped(
      DatabaseUrl,
      EmbeddedPostgres.start({ dataDir: join(dataDir, "postgres"), durable: true }).pipe(
        Effect.timed,
        Effect.tap(([time]) => Effect.logInfo(`Database ready in ${Duration.toSeconds(time).toFixed(1)} s`)),
        Effect.map(([, address]) => address)
      )
    )
    return { pooled: embedded, direct: embedded }
  }
  const pooled = Pooler.layer(url.value)
  const direct = Option.map(directUrl, (address) => Layer.provide(Pooler.layerDirect(address), pooled))
  return { pooled, direct: Option.getOrElse(direct, () => pooled) }
}

/**
 * PostgreSQL, configured or embedded, migrated, with all pools and the signals between processes. The settings that are stored
 * in it are in effect before anything else starts.
 */
export const layer = (settings: Settings["Type"], defaultConnections = 6) => {
  const { database, isHosted } = settings
  const maxConnections = Option.getOrElse(database.maxConnections, () => defaultConnections)
  const { direct, pooled } = addresses(settings)
  const { hot, other, search } = shares(maxConnections)
  const migrated = Option.isSome(database.url)
    ? Migrations.migrate()
    : Effect.zipRight(backupFirst(database.dataDir), Migrations.migrate())
  return Layer.mergeAll(
    Layer.provide(
      Layer.mergeAll(
        ConnectionLimit.layer(maxConnections),
        PreparedStatements.layer({ maxConnections: hot }),
        SearchStatements.layer({ maxConnections: search })
      ),
      pooled
    ),
    Layer.provideMerge(TaskSignals.layer, Option.isSome(database.url) ? Signals.layer : Signals.layerAlone)
  ).pipe(
    // Without a sign-in there are no callers to separate.
    Layer.provideMerge(isHosted ? RequestRole.layer : Layer.empty),
    Layer.provideMerge(Layer.provide(Layer.effectDiscard(migrated), NodeContext.layer)),
    Layer.provideMerge(Layer.provide(Sql.layer({ maxConnections: other }), pooled)),
    Layer.provideMerge(Layer.provideMerge(Session.layer, direct)),
    (database) => Layer.provideMerge(Layer.provide(StoredSettings.layer(settings.stored), sealing(settings)), database)
  )
}

/** One process that has the database for itself makes a key; several must be given the same one. */
export const sealing = ({ database, toolServers: { secretsKey } }: Settings["Type"]) =>
  Option.isNone(secretsKey) && Option.isNone(database.url)
    ? Sealing.layerFile(join(database.dataDir, secretsKeyFile))
    : Sealing.layer(secretsKey)
