import { Predicate, Schema } from "effect"

/** The service can't be reached at its address: something else listens there, or it is none of this machine's. */
export class ListenFailed extends Schema.TaggedError<ListenFailed>()("ListenFailed", {
  host: Schema.String,
  port: Schema.Int,
  cause: Schema.Defect
}) {
  override get message() {
    const code = Predicate.hasProperty(this.cause, "code") ? String(this.cause.code) : "unknown"
    return `It can't listen on ${this.host}:${this.port}: ${reasons[code] ?? code}.`
  }
}

const reasons: Readonly<Record<string, string>> = {
  EADDRINUSE: "something listens there already; end that, or set another PORT (METRICS_PORT for a worker's metrics)",
  EADDRNOTAVAIL: "HOST is no address of this machine",
  ENOTFOUND: "HOST is no name that is known here",
  EACCES: "the service's user may not; ports from 1024 on are for everyone"
}
