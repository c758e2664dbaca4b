import { Context, type Redacted } from "effect"

export class DatabaseUrl extends Context.Tag("troupe/Runtime/Database/DatabaseUrl")<DatabaseUrl, Redacted.Redacted>() {}

/**
 * Whether `DatabaseUrl` leads to a connection pooler such as PgBouncer, which may give each transaction to another session
 * of the server: a session keeps no parameter, prepared statement, lock or LISTEN there.
 */
export class ThroughPooler extends Context.Reference<ThroughPooler>()("troupe/Runtime/Database/ThroughPooler", {
  defaultValue: () => false
}) {}

/** The setting that has the address, for messages. */
export class DatabaseSetting extends Context.Reference<DatabaseSetting>()("troupe/Runtime/Database/DatabaseSetting", {
  defaultValue: () => "DATABASE_URL"
}) {}
