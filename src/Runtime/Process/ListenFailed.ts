import { Schema } from "effect"
import { errorCode } from "../ErrorText.ts"

/** The service can't listen on an address: another process does, or the address is not of this machine. */
export class ListenFailed extends Schema.TaggedError<ListenFailed>()("ListenFailed", {
  host: Schema.String,
  port: Schema.Int,
  /** The names of the settings. */
  settings: Schema.Struct({ host: Schema.String, port: Schema.String }),
  cause: Schema.Defect
}) {
  get code() {
    return errorCode(this.cause) || "unknown"
  }

  /** What is wrong, and what to do. */
  get advice(): readonly [problem: string, fix: string] {
    const { code, host, settings } = this
    const at = `${host}:${this.port}`
    switch (code) {
      case "EADDRINUSE":
        return [`${at} is in use by another program.`, `End that program, or set another ${settings.port}.`]
      case "EADDRNOTAVAIL":
        return [`${host} is no address of this machine.`, `Set ${settings.host} to one that is.`]
      case "ENOTFOUND":
        return [`The name ${host} can't be resolved.`, `Set ${settings.host} to an address of this machine.`]
      case "EACCES":
        return [`The service's user may not listen on ${at}.`, `Set ${settings.port} to a port from 1024 on.`]
      default:
        return [`It is not possible to listen on ${at}: ${code}.`, `Set another ${settings.host} or ${settings.port}.`]
    }
  }

  override get message() {
    return this.advice.join(" ")
  }
}
