import { Duration, Effect, Record, Redacted, type Scope } from "effect"
import { spawn } from "node:child_process"
import { readdirSync, readFileSync, readlinkSync } from "node:fs"
import { createRequire } from "node:module"
import process, { env } from "node:process"
import { fileURLToPath } from "node:url"
import type { Watchdog } from "../../src/Runtime/Process/Watchdog.ts"
import { connect, type Connection, type ConnectionOptions } from "../../src/ToolServer/Connection.ts"
import type { ServerTool } from "../../src/ToolServer/ServerTool.ts"
import type { StdioServer, ToolServer } from "../../src/ToolServer/ToolServer.ts"
import { isListening } from "./LocalServer.ts"
import { freePort, until } from "./Processes.ts"

const misbehaving = fileURLToPath(new URL("toolServer.mjs", import.meta.url))
const resolve = createRequire(import.meta.url).resolve
export const everything = resolve("@modelcontextprotocol/server-everything/dist/index.js")
export const filesystem = resolve("@modelcontextprotocol/server-filesystem/dist/index.js")

/** Our own misbehaving server, as the ecosystem would configure it. */
export const entry = (...modes: ReadonlyArray<string>) => ({ command: process.execPath, args: [misbehaving, ...modes] })

const common = { disabled: false, timeoutSeconds: null, allowedTools: null, variables: "none" } as const

export const program = (
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>> = {},
  name = "test"
): StdioServer => ({
  name,
  transport: "stdio",
  command: process.execPath,
  args,
  cwd: null,
  env: Record.map(env, (value) => Redacted.make(value)),
  ...common
})

export const misbehaved = (...modes: ReadonlyArray<string>): ToolServer => program([misbehaving, ...modes])

export const address = (
  transport: "http" | "sse",
  url: string,
  headers: Readonly<Record<string, string>> = {}
): ToolServer => ({
  name: "test",
  transport,
  url,
  headers: Record.map(headers, (value) => Redacted.make(value)),
  signIn: null,
  ...common
})

const idle: Watchdog["Type"] = { guard: () => {}, release: () => {} }

export const options: ConnectionOptions = {
  connectTimeout: Duration.seconds(20),
  rules: { isHosted: false, allowStdio: false },
  watchdog: idle
}

export const connected = (server: ToolServer, more: Partial<ConnectionOptions> = {}) =>
  connect(server, { ...options, ...more })

export const namesOf = (tools: ReadonlyArray<ServerTool>): ReadonlyArray<string> => tools.map(({ name }) => name)

/** The text of a call's first part. */
export const said = (
  connection: Connection,
  tool: string,
  args: Readonly<Record<string, unknown>> = {},
  timeout: Duration.DurationInput = "20 seconds"
) =>
  Effect.map(connection.call(tool, args, Duration.decode(timeout)), ({ content }) => {
    const first: unknown = Array.isArray(content) ? content[0] : undefined
    return typeof first === "object" && first !== null && "text" in first ? String(first.text) : JSON.stringify(content)
  })

/** A zombie has ended. Its command line does not tell: while a process executes another program, it is empty too. */
export const isAlive = (pid: number): boolean => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1")
    return !/^[ZX]/.test(stat.slice(stat.lastIndexOf(")") + 2))
  } catch {
    return false
  }
}

/** Pipes and sockets that this process holds open. */
export const openPipes = Effect.sync(() =>
  readdirSync("/proc/self/fd").filter((fd) => {
    try {
      return /^(pipe|socket):/.test(readlinkSync(`/proc/self/fd/${fd}`))
    } catch {
      return false
    }
  }).length
)

/** The reference server over HTTP, on a port of its own, until the scope ends. */
export const everythingOver = (transport: "streamableHttp" | "sse"): Effect.Effect<string, never, Scope.Scope> =>
  Effect.gen(function*() {
    const port = yield* freePort
    yield* listening(transport, port)
    return `http://127.0.0.1:${port}/${transport === "sse" ? "sse" : "mcp"}`
  })

export const listening = (transport: "streamableHttp" | "sse", port: number) =>
  Effect.gen(function*() {
    const child = yield* Effect.acquireRelease(
      Effect.sync(() =>
        spawn(process.execPath, [everything, transport], {
          env: { PATH: env["PATH"], PORT: String(port) },
          stdio: "ignore"
        })
      ),
      (child) => Effect.sync(() => child.kill("SIGKILL"))
    )
    yield* Effect.orDie(until("the server listens", isListening(port)))
    return child
  })
