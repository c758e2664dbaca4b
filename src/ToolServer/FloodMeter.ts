import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js"
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js"

/** No message of a server is read beyond this. */
export const maxMessageBytes = 10 * 1_024 * 1_024

/** Per second: messages that no call asked for, and lines that are no messages. */
const maxUnasked = 2_000

/** Per second, besides the answers that are still owed. */
const maxBytes = 8 * 1_024 * 1_024

/** Per second: lines on the standard error, where 1 kB counts as one more. */
const maxDiagnostics = 10_000
const bytesPerDiagnostic = 1_024

/** Notices a server that sends more than any honest one, and would keep the service from its work. */
export interface FloodMeter {
  /** Bytes of the protocol have come in, whatever they belong to. */
  readonly bytes: (count: number) => void
  /** A line has come in that is no message. */
  readonly noise: () => void
  /** Bytes of the standard error, and the lines that ended in them. */
  readonly diagnostics: (bytes: number, lines: number) => void
  /** Counts the messages of a transport from its start on. Answers to requests are free: there is one for each. */
  readonly watch: (transport: Transport) => void
}

/**
 * Calls `onFlood` once for the protocol and once for the standard error. Bytes beyond the rate are charged to the
 * answers that are owed, each of which may have `maxMessageBytes`: an answer may share its second with other messages,
 * and slow messages of a long call leave its answer the whole size.
 */
export const makeFloodMeter = (now: () => number, onFlood: (why: string) => void): FloodMeter => {
  const flood = once(() =>
    onFlood(`it sent more than ${maxUnasked} messages, or 8 MB of them, in a second that no call asked for`)
  )
  const unasked = makeRate(maxUnasked, now, flood)
  const received = makeRate(maxBytes, now, (excess) => {
    credit -= excess
    if (credit < 0) flood()
  })
  const diagnosed = makeRate(
    maxDiagnostics,
    now,
    once(() => onFlood(`it wrote more than ${maxDiagnostics} lines, or 10 MB, to its standard error in a second`))
  )
  let owedAnswers = 0
  let credit = 0
  const onmessage = (message: JSONRPCMessage) => {
    if (owedAnswers === 0 || "method" in message) return unasked.add(1)
    owedAnswers--
    credit = Math.min(credit, owedAnswers * maxMessageBytes)
    received.reset()
  }
  return {
    bytes: received.add,
    noise: () => unasked.add(1),
    diagnostics: (bytes, lines) => diagnosed.add(lines + bytes / bytesPerDiagnostic),
    watch: (transport) => {
      const send = transport.send.bind(transport)
      const counted: Transport["send"] = (message, options) => {
        if ("method" in message && "id" in message) {
          owedAnswers++
          credit += maxMessageBytes
        }
        return send(message, options)
      }
      // The protocol's client calls the listener that it finds before its own.
      Object.assign(transport, { send: counted, onmessage })
    }
  }
}

interface Rate {
  readonly add: (units: number) => void
  readonly reset: () => void
}

/** Calls `onExceeded` with each part of a second's units that is beyond the limit. */
const makeRate = (limit: number, now: () => number, onExceeded: (excess: number) => void): Rate => {
  let since = now()
  let sum = 0
  return {
    add: (units) => {
      const at = now()
      if (at - since >= 1_000) {
        since = at
        sum = 0
      }
      sum += units
      if (sum <= limit) return
      const excess = sum - limit
      sum = limit
      onExceeded(excess)
    },
    reset: () => {
      sum = 0
    }
  }
}

const once = (run: () => void): () => void => {
  let isDone = false
  return () => {
    if (!isDone) run()
    isDone = true
  }
}
