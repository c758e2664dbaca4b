import { deserializeMessage, serializeMessage, type Transport } from "@modelcontextprotocol/client"
import { getDefaultEnvironment } from "@modelcontextprotocol/client/stdio"
import { Deferred, Effect, Either, Runtime, type Scope } from "effect"
import type { Readable } from "node:stream"
import { type ChildExit, type ChildProcess, start } from "../Runtime/Process/ChildProcess.ts"
import type { Watchdog } from "../Runtime/Process/Watchdog.ts"
import { makeFloodMeter, maxMessageBytes } from "./FloodMeter.ts"
import { makeLastOutput } from "./LastOutput.ts"
import { ConnectionFailed, type McpTransport } from "./McpTransport.ts"
import type { Redact } from "./Redaction.ts"
import { revealed, type StdioServer } from "./ToolServer.ts"

const maxNoise = 1_000

/** Bytes that the server has not read yet; they take our memory. */
const maxUnreadBytes = 32 * 1_024 * 1_024

/** Longer lines are left out. A secret in a shorter one is not cut, so it is redacted. */
const maxDiagnosticBytes = 16 * 1_024

/** What a program has written before its end may still be in the pipes; another process may keep them open. */
const outputGrace = "500 millis"

interface StdioOptions {
  readonly watchdog: Watchdog["Type"]
  readonly onDiagnostic: (line: string) => void
  readonly redact: Redact
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
    const closed = yield* Deferred.make<void>()
    const { end, onExit, outputEnd, transport } = makeTransport(child, {
      ...options,
      now: () => clock.unsafeCurrentTimeMillis(),
      stop: () => runPromise(child.stop),
      closing: () => runPromise(Effect.timeoutOption(Deferred.await(closed), "1 second"))
    })
    // It outlives the scope until the process has been stopped, so that calls that are still waiting end.
    yield* child.exit.pipe(
      Effect.map(onExit),
      Effect.zipRight(Effect.timeoutOption(outputEnd, outputGrace)),
      Effect.zipRight(Effect.sync(end)),
      Effect.zipRight(Deferred.succeed(closed, undefined)),
      Effect.forkDaemon
    )
    return transport
  })

interface TransportOptions extends StdioOptions {
  readonly now: () => number
  readonly stop: () => Promise<void>
  /** Resolves once it is known why the program has ended, or soon if it goes on. */
  readonly closing: () => Promise<unknown>
}

const makeTransport = (
  { stderr, stdin, stdout }: ChildProcess,
  { closing, now, onDiagnostic, redact, stop }: TransportOptions
) => {
  const output = makeLastOutput(redact)
  let closeReason = ""
  let isClosed = false
  let noise = 0

  const close = () => {
    isClosed = true
    // The protocol's client does not wait for it, and the end of the service may interrupt it.
    return stop().catch(() => {})
  }
  const abort = (reason: string) => {
    if (closeReason === "") closeReason = reason
    void close()
  }
  const meter = makeFloodMeter(now, abort)

  const receive = (line: string) => {
    if (isClosed) return
    meter.add(0, 1)
    if (line.trim() === "") return
    Either.match(Either.try(() => deserializeMessage(line)), {
      onLeft: () => {
        output.other(line.length > maxDiagnosticBytes ? leftOut : line)
        if (++noise > maxNoise) abort("it writes text to its standard output that is not of the protocol")
      },
      onRight: (message) => {
        noise = 0
        transport.onmessage?.(message)
      }
    })
  }
  const readMessages = makeLineReader(maxMessageBytes, receive, () => abort("it sent a message of more than 10 MB"))
  const diagnose = (line: string) => {
    meter.add(0, 1)
    output.error(line)
    onDiagnostic(line)
  }
  const readDiagnostics = makeLineReader(maxDiagnosticBytes, diagnose, () => diagnose(leftOut))

  const transport: Transport = {
    start: () => {
      // After the close the output is still read, so that the server is not blocked, and dropped.
      stdout.on("data", (chunk: Buffer) => {
        if (isClosed) return
        meter.add(chunk.length, 0)
        readMessages(chunk)
      })
      stderr.on("data", (chunk: Buffer) => {
        if (isClosed) return
        meter.add(chunk.length, 0)
        readDiagnostics(chunk)
      })
      return isClosed ? Promise.reject(new Error(closeReason)) : Promise.resolve()
    },
    send: (message) => {
      if (isClosed) return Promise.reject(new Error(closeReason || notConnected))
      if (stdin?.writable !== true) return closing().then(() => Promise.reject(new Error(closeReason || notConnected)))
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
  }
  const outputEnd = Effect.forEach([stdout, stderr], ended, { concurrency: 2, discard: true })
  const end = () => {
    // A last line without its end.
    for (const read of [readMessages, readDiagnostics]) read(Buffer.of(newline))
    isClosed = true
    transport.onclose?.()
  }
  return { end, onExit, outputEnd, transport: { transport, closeReason: () => closeReason, lastOutput: output.text } }
}

const notConnected = "Not connected"

const leftOut = `[A line of more than ${maxDiagnosticBytes / 1_024} kB]`

const ended = (stream: Readable): Effect.Effect<void> =>
  Effect.async((resume) => {
    if (stream.readableEnded || stream.destroyed) return resume(Effect.void)
    const done = () => resume(Effect.void)
    stream.once("close", done)
    return Effect.sync(() => stream.off("close", done))
  })

const startError = ({ command, cwd }: StdioServer, code: string): string => {
  const name = JSON.stringify(command)
  const folder = cwd === null ? "" : `, or no folder ${cwd}`
  switch (code) {
    case "ENOENT":
      return /[/\\]/.test(command)
        ? `there is no program ${name}, or not the interpreter that its first line names${folder}`
        : `there is no program ${name} on the PATH${folder}`
    case "EACCES":
      return `${name} can't be started (EACCES): it is not executable`
    default:
      return `${name} can't be started (${code})`
  }
}

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
