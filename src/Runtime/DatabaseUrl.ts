import { Context, type Redacted } from "effect"

/** The address of the service's PostgreSQL: the configured server, or the embedded one once it runs. */
export class DatabaseUrl extends Context.Tag("troupe/Runtime/DatabaseUrl")<DatabaseUrl, Redacted.Redacted>() {}
