import type { ToolServerEntry } from "@troupe/api/ToolServersApi"
import type { ToolServerTransport } from "@troupe/domain/ToolServer"
import { type Either, Record, Redacted } from "effect"
import { isPublicHost, notPublic } from "../Runtime/NetworkAddress.ts"

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

/** A server as it is stored. One whose secrets SECRETS_KEY does not decrypt can't be used. */
export interface StoredServer {
  readonly name: string
  readonly transport: ToolServerTransport
  readonly disabled: boolean
  /** As it is configured, with its secrets masked. */
  readonly entry: ToolServerEntry
  readonly server: Either.Either<ToolServer, "unreadable">
}

export const secretsOf = ({ target }: ToolServer): Secrets => target.transport === "stdio" ? target.env : target.headers

export const revealed = (secrets: Secrets): Readonly<Record<string, string>> => Record.map(secrets, Redacted.value)

export interface HostedRules {
  readonly isHosted: boolean
  readonly allowStdio: boolean
}

/** Why the target can't be used here, or null. Host names are checked again after they are resolved. */
export const serverRefusal = (
  target: StdioTarget | HttpTarget,
  rules: HostedRules
): { readonly field: string; readonly reason: string } | null => {
  if (!rules.isHosted) return null
  if (target.transport === "stdio") {
    return rules.allowStdio ? null : {
      field: "command",
      reason: "programs can't be started on a hosted instance; the operator may set ALLOW_STDIO_TOOL_SERVERS=true"
    }
  }
  const { hostname } = new URL(target.url)
  return isPublicHost(hostname) ? null : { field: "url", reason: notPublic }
}
