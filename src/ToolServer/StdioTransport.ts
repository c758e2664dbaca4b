import { getDefaultEnvironment } from "@modelcontextprotocol/sdk/client/stdio.js"
import { deserializeMessage, serializeMessage } from "@modelcontextprotocol/sdk/shared/stdio.js"
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js"
import spawn from "cross-spawn"
import { Either } from "effect"
import type { ChildProcess } from "node:child_process"
import type { Readable, Writable } from "node:stream"
import { endGroup, endProcess, hasGroups } from "../Runtime/ProcessGroup.ts"
import type { Watchdog } from "../Runtime/Watchdog.ts"
import { makeFloodMeter, maxMessageBytes } from "./FloodMeter.ts"
import { makeLines } from "./Lines.ts"

/** So many lines that are no messages end the connection: the server writes something else to its output. */
const maxNoise = 1_000

/** A server that does not read what we write is ended before that fills our memory. */
const maxUnreadBytes = 32 * 1_024 * 1_024

/** A server that is asked to stop by the end of its input has so long before it gets a signal. */
const patienceMillis = 700

export interface StdioOptions {
  readonly command: string
  readonly args: ReadonlyArray<string>
  /** Added to the few harmless variables that every server gets. */
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string | null
  readonly watchdog: Watchdog["Type"]
  /** Part of the environment of its processes, by which those that left its process group are found. */
  readonly mark: string
  /** A line that the server wrote to its standard error, cut. */
  readonly onDiagnostic: (line: string) => void
  readonly now: () => number
}

export interface StdioTransport extends Transport {
  /** Why it ended, in words, once it has. */
  readonly obituary: () => string
  /** The pid of the server while it runs. */
  readonly pid: () => number | null
  /** Takes the server off the watchdog's list: to be called once nothing of it is left. */
  readonly release: () => void
}

interface Running {
  readonly process: ChildProcess
  readonly pid: number
  readonly stdin: Writable
  readonly stdout: Readable
  readonly stderr: Readable
}

/**
 * A tool server as a process of ours, at the head of a process group of its own, which ends as a whole. `close` answers
 * when nothing of it is left.
 */
export const makeStdioTransport = (options: StdioOptions): StdioTransport => {
  let child: Running | null = null
  let guarded: number | null = null
  let gone: Promise<void> = Promise.resolve()
  let reason = ""
  let noise = 0
  let isEnding = false

  const giveUp = (why: string) => {
    if (reason === "") reason = why
    void transport.close()
  }
  const meter = makeFloodMeter(options.now, giveUp)
  const receive = (line: string) => {
    if (isEnding) return
    if (line.trim() === "") return meter.noise()
    Either.match(Either.try(() => deserializeMessage(line)), {
      onLeft: () => {
        meter.noise()
        if (++noise > maxNoise) giveUp("it writes text to its standard output that is not of the protocol")
      },
      onRight: (message) => {
        noise = 0
        transport.onmessage?.(message)
      }
    })
  }

  const watch = ({ pid, process, stderr, stdin, stdout }: Running) => {
    options.watchdog.guard(pid, options)
    guarded = pid
    const messages = makeLines(maxMessageBytes, receive, () => giveUp("it sent a message of more than 10 MB"))
    let diagnosticLines = 0
    const diagnose = (line: string) => {
      diagnosticLines++
      options.onDiagnostic(line)
    }
    const diagnostics = makeLines(2_000, diagnose, diagnose)
    stdout.on("data", (chunk: Buffer) => {
      meter.bytes(chunk.length)
      messages(chunk)
    })
    stderr.on("data", (chunk: Buffer) => {
      diagnosticLines = 0
      diagnostics(chunk)
      meter.diagnostics(chunk.length, diagnosticLines)
    })
    for (const stream of [stdin, stdout, stderr]) stream.on("error", () => {})
    gone = new Promise((resolve) => {
      process.once("exit", (code, signal) => {
        if (reason === "") reason = signal === null ? `it ended with exit code ${code}` : `it was ended by ${signal}`
        const letGo = () => {
          for (const stream of [stdin, stdout, stderr]) stream.destroy()
          child = null
          transport.onclose?.()
          resolve()
        }
        // Children that hold our pipes are ended before the pipes are let go.
        void endGroup(pid).then(letGo)
      })
    })
  }

  const transport: StdioTransport = {
    obituary: () => reason,
    pid: () => child?.pid ?? null,
    release: () => {
      if (guarded !== null) options.watchdog.release(guarded)
      guarded = null
    },
    start: () =>
      new Promise((resolve, reject) => {
        const { args, command, cwd, env } = options
        const process = spawn(command, [...args], {
          env: { ...getDefaultEnvironment(), ...env },
          stdio: ["pipe", "pipe", "pipe"],
          shell: false,
          detached: hasGroups,
          windowsHide: true,
          ...(cwd === null ? {} : { cwd })
        })
        process.once("error", (cause: Error & { readonly code?: string }) => {
          if (reason === "") reason = refusal(command, cwd, cause.code ?? "unknown error")
          reject(cause)
        })
        const { pid, stderr, stdin, stdout } = process
        if (pid === undefined || stderr === null || stdin === null || stdout === null) return
        child = { process, pid, stderr, stdin, stdout }
        watch(child)
        process.once("spawn", resolve)
      }),
    send: (message) =>
      new Promise((resolve, reject) => {
        if (child === null || !child.stdin.writable) return reject(new Error("Not connected"))
        child.stdin.write(serializeMessage(message))
        if (child.stdin.writableLength > maxUnreadBytes) giveUp("it does not read what it is sent")
        resolve()
      }),
    close: () => {
      if (child !== null && !isEnding) {
        isEnding = true
        // Read on, so that it is not held up, but for nothing.
        for (const stream of [child.stdout, child.stderr]) stream.removeAllListeners("data").resume()
        child.stdin.end()
        endProcess(child.process, child.pid, patienceMillis)
      }
      return gone
    }
  }
  meter.watch(transport)
  return transport
}

const refusal = (command: string, cwd: string | null, code: string): string =>
  code === "ENOENT"
    ? `there is no program ${JSON.stringify(command)}${cwd === null ? " on the PATH" : ` or no folder ${cwd}`}`
    : `${JSON.stringify(command)} can't be started (${code})`
