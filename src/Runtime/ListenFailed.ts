import { Predicate, Schema } from "effect"

/** The service can't listen on an address: another process does, or the address is not of this machine. */
export class ListenFailed extends Schema.TaggedError<ListenFailed>()("ListenFailed", {
  host: Schema.String,
  port: Schema.Int,
  settings: Schema.Struct({ host: Schema.String, port: Schema.String }),
  cause: Schema.Defect
}) {
  override get message() {
    const code = Predicate.hasProperty(this.cause, "code") ? String(this.cause.code) : "unknown"
    return `It can't listen on ${this.host}:${this.port}: ${reasonOf(code, this.settings)}.`
  }
}

const reasonOf = (code: string, { host, port }: ListenFailed["settings"]): string => {
  switch (code) {
    case "EADDRINUSE":
      return `another program uses this port; stop that, or set another ${port}`
    case "EADDRNOTAVAIL":
      return `${host} is no address of this machine`
    case "ENOTFOUND":
      return `the name ${host} can't be resolved`
    case "EACCES":
      return "the service's user is not allowed to; use a port from 1024 on"
    default:
      return code
  }
}
