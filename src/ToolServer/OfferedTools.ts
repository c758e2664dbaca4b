import { oneLine } from "@troupe/domain/Text"
import type { HeldTool } from "@troupe/domain/ToolServer"
import { Effect } from "effect"
import type { Connection } from "./Connection.ts"
import type { ConnectionFailed } from "./McpTransport.ts"
import type { ServerTool, ToolList } from "./ServerTool.ts"
import type { Review } from "./ToolReview.ts"
import type { ToolServer } from "./ToolServer.ts"

/** The tools of a server's last list: those that may be called, and those that are held. `stored`: of an earlier process. */
export interface OfferedTools {
  readonly read: (from: Connection) => Effect.Effect<void, ConnectionFailed>
  /** The same array as long as it is the same list. */
  readonly usable: () => ReadonlyArray<ServerTool>
  readonly held: () => ReadonlyArray<HeldTool>
  readonly warnings: () => ReadonlyArray<string>
}

export const makeOfferedTools = (
  server: ToolServer,
  review: Review,
  stored: ReadonlyArray<ServerTool>
): OfferedTools => {
  let usable = stored
  let held: ReadonlyArray<HeldTool> = []
  let warnings: ReadonlyArray<string> = []
  // One at a time, so that an older list never replaces a newer one.
  const exclusively = Effect.unsafeMakeSemaphore(1).withPermits(1)
  return {
    read: (from) =>
      from.list.pipe(
        Effect.map((list) => allowed(list, server.allowedTools)),
        Effect.tap((list) => logNew(server.name, list.warnings, warnings)),
        Effect.map((list) => {
          warnings = list.warnings
          return list.tools
        }),
        Effect.flatMap((tools) => review(server.name, tools)),
        Effect.map((reviewed) => {
          held = reviewed.held
          if (usable === stored || !isEqual(usable, reviewed.usable)) usable = reviewed.usable
        }),
        exclusively
      ),
    usable: () => usable,
    held: () => held,
    warnings: () => warnings
  }
}

const allowed = ({ tools, warnings }: ToolList, names: ToolServer["allowedTools"]): ToolList => {
  if (names === null) return { tools, warnings }
  const missing = names.filter((wanted) => !tools.some(({ name }) => name === wanted))
  return {
    tools: tools.filter(({ name }) => names.includes(name)),
    warnings: [
      ...warnings,
      ...(missing.length === 0
        ? []
        : [`allowed_tools has tools that it does not list: ${oneLine(missing.join(", "), 300)}`])
    ]
  }
}

const logNew = (server: string, warnings: ReadonlyArray<string>, before: ReadonlyArray<string>) =>
  Effect.forEach(
    warnings.filter((warning) => !before.includes(warning)),
    (warning) => Effect.logWarning(`Tool server ${server}: ${warning}`),
    { discard: true }
  )

const isEqual = (known: ReadonlyArray<ServerTool>, listed: ReadonlyArray<ServerTool>): boolean =>
  known.length === listed.length && known.every(({ digest, name }, index) => {
    const other = listed[index]
    return other !== undefined && other.name === name && other.digest === digest
  })
