import { getDefaultEnvironment } from "@modelcontextprotocol/sdk/client/stdio.js"
import { deserializeMessage, serializeMessage } from "@modelcontextprotocol/sdk/shared/stdio.js"
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js"
import { Effect, Either, Runtime, type Scope } from "effect"
import { type ChildExit, type ChildProcess, start } from "../Runtime/Process/ChildProcess.ts"
import type { Watchdog } from "../Runtime/Process/Watchdog.ts"
import { ConnectionFailed, type McpTransport } from "./Connection.ts"
import { makeFloodMeter, maxMessageBytes } from "./FloodMeter.ts"
import { revealed, type StdioServer } from "./ToolServer.ts"

const maxNoise = 1_000

/** Bytes that the server has not read yet; they take our memory. */
const maxUnreadBytes = 32 * 1_024 * 1_024

const maxDiagnosticBytes = 2_000

interface StdioOptions {
  readonly watchdog: Watchdog["Type"]
  readonly onDiagnostic: (line: string) => void
}

export const openStdioTransport = (
  server: StdioServer,
  options: StdioOptions
): Effect.Effect<McpTransport, ConnectionFailed, Scope.Scope> =>
  Effect.gen(function*() {
    const { args, command, cwd, env } = server
    const child = yield* Effect.mapError(
      start({ program: command, args, cwd, env: { ...getDefaultEnvironment(), ...revealed(env) } }, {
        watchdog: options.watchdog,
        tracking: "environment",
        hasInput: true,
        inputGrace: "700 millis",
        grace: "1500 millis"
      }),
      ({ code }) => new ConnectionFailed({ reason: startError(server, code) })
    )
    const clock = yield* Effect.clock
    const runPromise = Runtime.runPromise(yield* Effect.runtime())
    const { onExit, transport } = makeTransport(child, {
      ...options,
      now: () => clock.unsafeCurrentTimeMillis(),
      stop: () => runPromise(child.stop)
    })
    // It outlives the scope until the process has been stopped, so that calls that are still waiting end.
    yield* Effect.forkDaemon(Effect.map(child.exit, onExit))
    return transport
  })

const makeTransport = (
  { stderr, stdin, stdout }: ChildProcess,
  { now, onDiagnostic, stop }: StdioOptions & { readonly now: () => number; readonly stop: () => Promise<void> }
) => {
  let closeReason = ""
  let isClosed = false
  let noise = 0

  const close = () => {
    isClosed = true
    return stop()
  }
  const abort = (reason: string) => {
    if (closeReason === "") closeReason = reason
    void close()
  }
  const meter = makeFloodMeter(now, abort)

  const receive = (line: string) => {
    if (isClosed) return
    if (line.trim() === "") return meter.noise()
    Either.match(Either.try(() => deserializeMessage(line)), {
      onLeft: () => {
        meter.noise()
        if (++noise > maxNoise) abort("it writes text to its standard output that is not of the protocol")
      },
      onRight: (message) => {
        noise = 0
        transport.onmessage?.(message)
      }
    })
  }
  const readMessages = makeLineReader(maxMessageBytes, receive, () => abort("it sent a message of more than 10 MB"))
  let diagnosticLines = 0
  const diagnose = (line: string) => {
    diagnosticLines++
    onDiagnostic(line)
  }
  const readDiagnostics = makeLineReader(maxDiagnosticBytes, diagnose, diagnose)

  const transport: Transport = {
    start: () => {
      // After the close the output is still read, so that the server is not blocked, and dropped.
      stdout.on("data", (chunk: Buffer) => {
        if (isClosed) return
        meter.bytes(chunk.length)
        readMessages(chunk)
      })
      stderr.on("data", (chunk: Buffer) => {
        if (isClosed) return
        diagnosticLines = 0
        readDiagnostics(chunk)
        meter.diagnostics(chunk.length, diagnosticLines)
      })
      return isClosed ? Promise.reject(new Error(closeReason)) : Promise.resolve()
    },
    send: (message) => {
      if (isClosed || stdin?.writable !== true) return Promise.reject(new Error("Not connected"))
      stdin.write(serializeMessage(message))
      if (stdin.writableLength > maxUnreadBytes) abort("it does not read what it is sent")
      return Promise.resolve()
    },
    close
  }
  meter.watch(transport)
  const onExit = ({ code, signal }: ChildExit) => {
    if (closeReason === "") {
      closeReason = signal === null ? `it ended with exit code ${code}` : `it was terminated by ${signal}`
    }
    isClosed = true
    transport.onclose?.()
  }
  return { onExit, transport: { transport, closeReason: () => closeReason } }
}

const startError = ({ command, cwd }: StdioServer, code: string): string =>
  code === "ENOENT"
    ? `there is no program ${JSON.stringify(command)}${cwd === null ? " on the PATH" : ` or no folder ${cwd}`}`
    : `${JSON.stringify(command)} can't be started (${code})`

const newline = 0x0a

/** Splits bytes into lines of text. A line of more than `maxBytes` is dropped; its beginning goes to `onTooLong`. */
export const makeLineReader = (
  maxBytes: number,
  onLine: (line: string) => void,
  onTooLong: (beginning: string) => void
): (chunk: Buffer) => void => {
  let parts: Array<Buffer> = []
  let bytes = 0
  let isTooLong = false

  const add = (part: Buffer) => {
    if (isTooLong) return
    bytes += part.length
    if (bytes <= maxBytes) return void parts.push(part)
    isTooLong = true
    const beginning = Buffer.concat([...parts, part]).subarray(0, Math.min(maxBytes, 2_000)).toString("utf8")
    parts = []
    onTooLong(beginning)
  }
  const end = () => {
    const line = isTooLong ? null : Buffer.concat(parts, bytes).toString("utf8")
    parts = []
    bytes = 0
    isTooLong = false
    if (line !== null) onLine(line.endsWith("\r") ? line.slice(0, -1) : line)
  }
  return (chunk) => {
    let from = 0
    for (let at = chunk.indexOf(newline); at !== -1; at = chunk.indexOf(newline, from)) {
      add(chunk.subarray(from, at))
      end()
      from = at + 1
    }
    if (from < chunk.length) add(chunk.subarray(from))
  }
}
