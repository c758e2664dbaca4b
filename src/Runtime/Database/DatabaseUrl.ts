import { Context, type Redacted } from "effect"

export class DatabaseUrl extends Context.Tag("troupe/Runtime/Database/DatabaseUrl")<DatabaseUrl, Redacted.Redacted>() {}
