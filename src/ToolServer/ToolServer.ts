import { Record, Redacted } from "effect"

export type Secrets = Readonly<Record<string, Redacted.Redacted>>

export interface StdioTarget {
  readonly transport: "stdio"
  readonly command: string
  readonly args: ReadonlyArray<string>
  readonly env: Secrets
  readonly cwd: string | null
}

export interface HttpTarget {
  readonly transport: "http" | "sse"
  readonly url: string
  readonly headers: Secrets
}

export interface ToolServer {
  readonly name: string
  readonly target: StdioTarget | HttpTarget
  readonly disabled: boolean
  /** Null: the service's default. */
  readonly timeoutSeconds: number | null
  /** Null: all. */
  readonly allowedTools: ReadonlyArray<string> | null
}

export const secretsOf = ({ target }: ToolServer): Secrets => target.transport === "stdio" ? target.env : target.headers

export const revealed = (secrets: Secrets): Readonly<Record<string, string>> => Record.map(secrets, Redacted.value)
