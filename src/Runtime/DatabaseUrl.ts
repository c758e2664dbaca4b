import { Context, type Redacted } from "effect"

/** Where the service's PostgreSQL is: the configured server, or the embedded one once it runs. */
export class DatabaseUrl extends Context.Tag("troupe/Runtime/DatabaseUrl")<DatabaseUrl, Redacted.Redacted>() {}
