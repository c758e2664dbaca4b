import { Context, type Duration, Effect, Layer, Predicate, Redacted } from "effect"
import { Client } from "pg"
import { DatabaseSetting, DatabaseUrl, ThroughPooler } from "./DatabaseUrl.ts"
import { DatabaseUnreachable, reached, serverName } from "./Sql.ts"

/** What a connection finds at an address. */
export interface FoundDatabase {
  readonly isPooler: boolean
  readonly name: string
  /** The number of the cluster, which its replicas share; null where the user may not read it. */
  readonly cluster: string | null
}

/** A server names its process when it accepts a connection; a pooler makes up a name. */
const databaseAt = (connectionString: string): Promise<FoundDatabase> => {
  const client = new Client({
    connectionString,
    application_name: "troupe-start",
    connectionTimeoutMillis: 5_000,
    query_timeout: 5_000
  })
  client.on("error", () => {})
  const cluster = () =>
    client.query<{ readonly id: string }>("select system_identifier::text as id from pg_control_system()")
      .then(({ rows }) => rows[0]?.id ?? null, () => null)
  return client.connect()
    .then(() =>
      client.query<{ readonly process: number; readonly name: string }>(
        "select pg_backend_pid() as process, current_database()::text as name"
      )
    )
    .then(({ rows: [row] }) =>
      cluster().then((cluster) => ({
        isPooler: Predicate.hasProperty(client, "processID") && client.processID !== row?.process,
        name: row?.name ?? "",
        cluster
      }))
    )
    .finally(() => client.end())
}

export const isSame = (one: FoundDatabase, other: FoundDatabase): boolean =>
  one.name === other.name && (one.cluster === null || other.cluster === null || one.cluster === other.cluster)

export const anotherDatabase = "it is another database than the one that DATABASE_URL leads to"

export interface AddressOptions {
  readonly connectTimeout?: Duration.DurationInput
  readonly setting?: "DATABASE_URL" | "DATABASE_DIRECT_URL"
}

/** Asks once what answers at an address. Waits for it as `Sql` does. */
export const found = (
  url: Redacted.Redacted,
  { connectTimeout, setting = "DATABASE_URL" }: AddressOptions = {}
): Effect.Effect<FoundDatabase, DatabaseUnreachable> =>
  reached(() => databaseAt(Redacted.value(url)), connectTimeout).pipe(
    Effect.provideService(DatabaseSetting, setting),
    Effect.provideService(DatabaseUrl, url)
  )

const addressOf = (url: Redacted.Redacted, setting: string, { isPooler }: FoundDatabase) =>
  Context.make(DatabaseUrl, url).pipe(Context.add(ThroughPooler, isPooler), Context.add(DatabaseSetting, setting))

/** The database at an address, and whether it leads through a pooler. */
export const layer = (
  url: Redacted.Redacted,
  options: AddressOptions = {}
): Layer.Layer<DatabaseUrl, DatabaseUnreachable> =>
  Layer.effectContext(
    Effect.map(found(url, options), (database) => addressOf(url, options.setting ?? "DATABASE_URL", database))
  )

/** The database at DATABASE_DIRECT_URL, which must be the one at DATABASE_URL. */
export const layerDirect = (url: Redacted.Redacted): Layer.Layer<DatabaseUrl, DatabaseUnreachable, DatabaseUrl> =>
  Layer.effectContext(Effect.gen(function*() {
    const setting = "DATABASE_DIRECT_URL"
    const [pooled, direct] = yield* Effect.zip(Effect.flatMap(DatabaseUrl, found), found(url, { setting }))
    if (isSame(pooled, direct)) return addressOf(url, setting, direct)
    return yield* new DatabaseUnreachable({ server: serverName(url), setting, detail: anotherDatabase })
  }))
