import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js"
import { Effect, Record, Redacted, type Scope } from "effect"
import { makeHttpTransport } from "./HttpTransport.ts"
import { makeStdioTransport } from "./StdioTransport.ts"
import type { Secrets, ToolServer } from "./ToolServer.ts"
import type { Watchdog } from "./Watchdog.ts"

export interface LineOptions {
  readonly watchdog: Watchdog["Type"]
  /** Connect to addresses of the public internet only. */
  readonly publicOnly: boolean
}

/** A transport and what only we know of it: how it ended, and when the other side is gone. */
export interface Line {
  readonly transport: Transport
  readonly obituary: () => string
  readonly onBroken: (heard: (why: string) => void) => void
}

/** Closed, with all that belongs to it, when the scope is. */
export const openLine = (
  { target }: ToolServer,
  { publicOnly, watchdog }: LineOptions,
  onDiagnostic: (line: string) => void
): Effect.Effect<Line, never, Scope.Scope> => {
  if (target.transport === "stdio") {
    const { args, command, cwd, env } = target
    return Effect.map(
      Effect.acquireRelease(
        Effect.sync(() => makeStdioTransport({ command, args, cwd, watchdog, onDiagnostic, env: plain(env) })),
        (transport) => Effect.promise(() => transport.close())
      ),
      (transport) => ({ transport, obituary: transport.obituary, onBroken: ignored })
    )
  }
  const { headers, transport, url } = target
  let heard: (why: string) => void = ignored
  let obituary = ""
  const onBroken = (why: string) => {
    if (obituary === "") obituary = why
    heard(why)
  }
  return Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => makeHttpTransport({ transport, url, publicOnly, onBroken, headers: plain(headers) })),
      (line) => Effect.promise(() => line.dispose().catch(ignored))
    ),
    (line) => ({ transport: line.transport, obituary: () => obituary, onBroken: (f) => void (heard = f) })
  )
}

const plain = (secrets: Secrets): Readonly<Record<string, string>> => Record.map(secrets, Redacted.value)

const ignored = () => {}
