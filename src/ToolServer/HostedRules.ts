import { isPublicHost } from "../Runtime/PublicAddress.ts"
import type { HttpTarget, StdioTarget } from "./ToolServer.ts"

export interface HostedRules {
  readonly isHosted: boolean
  readonly allowStdio: boolean
}

/** Why the target can't be used here, or null. Host names are checked again after they are resolved. */
export const refusalOf = (
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
  return isPublicHost(hostname)
    ? null
    : { field: "url", reason: "private, local and reserved addresses can't be used on a hosted instance" }
}
