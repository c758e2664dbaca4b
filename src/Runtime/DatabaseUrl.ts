import { Context, type Redacted } from "effect"

export class DatabaseUrl extends Context.Tag("troupe/Runtime/DatabaseUrl")<DatabaseUrl, Redacted.Redacted>() {}
