import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js"

/** A transport of the protocol's client. It is closed, with all that belongs to it, when its scope ends. */
export interface McpTransport {
  readonly transport: Transport
  /** Why it closed, or "" while it is open or for an unknown reason. */
  readonly closeReason: () => string
}
