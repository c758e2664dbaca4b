import type { Transport } from "@modelcontextprotocol/client"
import { Data } from "effect"

/** A transport of the protocol's client. It is closed, with all that belongs to it, when its scope ends. */
export interface McpTransport {
  readonly transport: Transport
  /** Why it closed, or "" while it is open or for an unknown reason. */
  readonly closeReason: () => string
  /** The end of what a program has written, without its secrets; "" if it is none. */
  readonly lastOutput: () => string
}

/** The reason is a clause; what a program has written last may follow it in further lines. */
export class ConnectionFailed extends Data.TaggedError("ConnectionFailed")<{ readonly reason: string }> {}
