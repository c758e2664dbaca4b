import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js"
import { Effect, Record, Redacted, type Scope } from "effect"
import { randomUUID } from "node:crypto"
import { descendants } from "../Runtime/ProcessFamily.ts"
import type { Watchdog } from "../Runtime/Watchdog.ts"
import { makeHttpTransport } from "./HttpTransport.ts"
import { makeStdioTransport, type StdioTransport } from "./StdioTransport.ts"
import { endStragglers, maxMembers } from "./Stragglers.ts"
import type { Secrets, ToolServer } from "./ToolServer.ts"

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

/** The variable by which the processes of a tool server are known, and their descendants, who inherit it. */
const markVariable = "TROUPE_TOOL_SERVER"

/** Closed, with all that belongs to it, when the scope is. */
export const openLine = (
  server: ToolServer,
  options: LineOptions,
  onDiagnostic: (line: string) => void
): Effect.Effect<Line, never, Scope.Scope> =>
  Effect.clockWith((clock) => open(server, options, onDiagnostic, () => clock.unsafeCurrentTimeMillis()))

const open = (
  { target }: ToolServer,
  { publicOnly, watchdog }: LineOptions,
  onDiagnostic: (line: string) => void,
  now: () => number
): Effect.Effect<Line, never, Scope.Scope> => {
  if (target.transport === "stdio") {
    const { args, command, cwd, env } = target
    const id = randomUUID()
    const mark = `${markVariable}=${id}`
    const marked = { ...plain(env), [markVariable]: id }
    return Effect.map(
      Effect.acquireRelease(
        Effect.sync(() => makeStdioTransport({ command, args, cwd, watchdog, mark, onDiagnostic, now, env: marked })),
        (transport) => closed(transport, mark)
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
      Effect.sync(() => makeHttpTransport({ transport, url, publicOnly, onBroken, now, headers: plain(headers) })),
      (line) => Effect.promise(() => line.dispose().catch(ignored))
    ),
    (line) => ({ transport: line.transport, obituary: () => obituary, onBroken: (f) => void (heard = f) })
  )
}

/** Ends the server with its process group, and then what has left the group. The watchdog guards them until then. */
const closed = (transport: StdioTransport, mark: string): Effect.Effect<void> =>
  Effect.gen(function*() {
    const pid = transport.pid()
    const family = pid === null ? [] : yield* descendants([pid], maxMembers)
    yield* Effect.promise(() => transport.close())
    yield* endStragglers(mark, family)
  }).pipe(Effect.ensuring(Effect.sync(transport.release)))

const plain = (secrets: Secrets): Readonly<Record<string, string>> => Record.map(secrets, Redacted.value)

const ignored = () => {}
