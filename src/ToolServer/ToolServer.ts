import type { ToolServerTransport } from "@troupe/domain/ToolServer"
import type { Redacted } from "effect"

/** Secrets by their name: environment variables or headers. */
export type Secrets = Readonly<Record<string, Redacted.Redacted>>

/** A program of this machine, spoken to over its standard input and output. */
export interface StdioTarget {
  readonly transport: "stdio"
  readonly command: string
  readonly args: ReadonlyArray<string>
  readonly env: Secrets
  readonly cwd: string | null
}

/** A server that runs elsewhere. */
export interface HttpTarget {
  readonly transport: "http" | "sse"
  readonly url: string
  readonly headers: Secrets
}

/** One tool server as it is configured. */
export interface ToolServer {
  readonly name: string
  readonly target: StdioTarget | HttpTarget
  readonly disabled: boolean
  /** Null: the service's default. */
  readonly timeoutSeconds: number | null
  /** Null: all. */
  readonly allowedTools: ReadonlyArray<string> | null
}

export const transportOf = ({ target }: ToolServer): ToolServerTransport => target.transport
