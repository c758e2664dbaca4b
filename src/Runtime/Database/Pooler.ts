import { Context, type Duration, Effect, Layer, Predicate, Redacted } from "effect"
import { Client } from "pg"
import { DatabaseUrl, ThroughPooler } from "./DatabaseUrl.ts"
import { type DatabaseUnreachable, reached } from "./Sql.ts"

/** A server names its process when it accepts a connection; a pooler makes up a name. */
const leadsThroughPooler = (connectionString: string): Promise<boolean> => {
  const client = new Client({
    connectionString,
    application_name: "troupe-start",
    connectionTimeoutMillis: 5_000,
    query_timeout: 5_000
  })
  client.on("error", () => {})
  return client.connect()
    .then(() => client.query<{ readonly process: number }>("select pg_backend_pid() as process"))
    .then(({ rows }) => Predicate.hasProperty(client, "processID") && client.processID !== rows[0]?.process)
    .finally(() => client.end())
}

/** The database at an address, which is asked once whether a pooler answers there. Waits for it as `Sql` does. */
export const layer = (
  url: Redacted.Redacted,
  connectTimeout?: Duration.DurationInput
): Layer.Layer<DatabaseUrl, DatabaseUnreachable> =>
  Layer.effectContext(
    reached(() => leadsThroughPooler(Redacted.value(url)), connectTimeout).pipe(
      Effect.map((isPooler) => Context.add(Context.make(DatabaseUrl, url), ThroughPooler, isPooler)),
      Effect.provideService(DatabaseUrl, url)
    )
  )
