import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js"
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js"

/** Per second: messages that no call asked for, where 4 kB count as one more. */
const maxUnasked = 2_000
const bytesPerUnasked = 4_096

/** Per second: lines on the standard error, where 1 kB counts as one more. */
const maxDiagnostics = 10_000
const bytesPerDiagnostic = 1_024

/** Notices a server that sends more than any honest one, and would keep the service from its work. */
export interface FloodMeter {
  /** Bytes of the protocol have come in; the message that they belong to may follow. */
  readonly bytes: (count: number) => void
  /** A line has come in that is no message. */
  readonly noise: () => void
  /** Bytes of the standard error, and the lines that ended in them. */
  readonly diagnostics: (bytes: number, lines: number) => void
  /** Counts the messages of a transport from its start on. Answers to requests are free: there is one for each. */
  readonly watch: (transport: Transport) => void
}

/** Calls `onFlood` once for messages and once for the standard error: what follows is the same flood. */
export const makeFloodMeter = (now: () => number, onFlood: (why: string) => void): FloodMeter => {
  const unasked = makeRate(
    maxUnasked,
    now,
    () => onFlood(`it sent more than ${maxUnasked} messages, or 8 MB of them, in a second that no call asked for`)
  )
  const diagnosed = makeRate(
    maxDiagnostics,
    now,
    () => onFlood(`it wrote more than ${maxDiagnostics} lines, or 10 MB, to its standard error in a second`)
  )
  let pendingBytes = 0
  let owedAnswers = 0
  const received = (message: JSONRPCMessage) => {
    const isAnswer = owedAnswers > 0 && !("method" in message)
    if (isAnswer) owedAnswers--
    else unasked(1 + pendingBytes / bytesPerUnasked)
    pendingBytes = 0
  }
  return {
    bytes: (count) => {
      pendingBytes += count
    },
    noise: () => unasked(1),
    diagnostics: (bytes, lines) => diagnosed(lines + bytes / bytesPerDiagnostic),
    watch: (transport) => {
      const send = transport.send.bind(transport)
      const counted: Transport["send"] = (message, options) => {
        if ("method" in message && "id" in message) owedAnswers++
        return send(message, options)
      }
      // The protocol's client calls the listener that it finds before its own.
      Object.assign(transport, { send: counted, onmessage: received })
    }
  }
}

const makeRate = (limit: number, now: () => number, onExceeded: () => void): (units: number) => void => {
  let since = now()
  let sum = 0
  let isExceeded = false
  return (units) => {
    if (isExceeded) return
    const at = now()
    if (at - since >= 1_000) {
      since = at
      sum = 0
    }
    sum += units
    isExceeded = sum > limit
    if (isExceeded) onExceeded()
  }
}
