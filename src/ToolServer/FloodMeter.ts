import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js"
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js"

export const maxMessageBytes = 10 * 1_024 * 1_024

/** Per second: messages that are no responses, and lines that are no messages. */
const maxUnasked = 2_000

/** Per second, besides the responses to open requests. */
const maxBytes = 8 * 1_024 * 1_024

/** Per second: lines on the standard error, where 1 kB counts as one more. */
const maxDiagnostics = 10_000
const bytesPerDiagnostic = 1_024

/** Detects a server that sends so much that it would slow down the service. */
export interface FloodMeter {
  readonly bytes: (count: number) => void
  readonly noise: () => void
  /** Counts bytes of the standard error, and the lines that ended in them. */
  readonly diagnostics: (bytes: number, lines: number) => void
  /** Counts the messages of a transport from its start on, except the one response to each request. */
  readonly watch: (transport: Transport) => void
}

/** Bytes beyond the rate are taken from the credit of the open requests, each of which may get one large response. */
export const makeFloodMeter = (now: () => number, onFlood: (why: string) => void): FloodMeter => {
  let isFlooded = false
  const report = (why: string) => {
    if (!isFlooded) onFlood(why)
    isFlooded = true
  }
  const flood = () =>
    report(`it sent more than ${maxUnasked} messages, or 8 MB of them, in a second that no call asked for`)
  const unasked = makeRate(maxUnasked, now, flood)
  const received = makeRate(maxBytes, now, (excess) => {
    credit -= excess
    if (credit < 0) flood()
  })
  const diagnosed = makeRate(
    maxDiagnostics,
    now,
    () => report(`it wrote more than ${maxDiagnostics} lines, or 10 MB, to its standard error in a second`)
  )
  let openRequests = 0
  let credit = 0
  const onmessage = (message: JSONRPCMessage) => {
    if (openRequests === 0 || "method" in message) return unasked.add(1)
    openRequests--
    credit = Math.min(credit, openRequests * maxMessageBytes)
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
          openRequests++
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

const newline = 0x0a
const carriageReturn = 0x0d
const colon = 0x3a

/** Added for each line, which takes more time to read than its bytes. */
const bytesPerLine = 32

/**
 * Counts a stream of events (text/event-stream); a comment or an event without a field is a line that is no message.
 * The result takes each chunk and returns the size of the longest event that ends or continues in it.
 */
export const makeEventMeter = (meter: FloodMeter): (chunk: Uint8Array) => number => {
  let bytes = 0
  let hasField = false
  let isLineStart = true
  let previous = 0
  return (chunk) => {
    let longest = 0
    let lines = 0
    for (const byte of chunk) {
      const isSecondHalf = byte === newline && previous === carriageReturn
      previous = byte
      if (isSecondHalf) continue
      bytes++
      if (byte !== newline && byte !== carriageReturn) {
        if (isLineStart && byte === colon) meter.noise()
        if (isLineStart && byte !== colon) hasField = true
        isLineStart = false
        continue
      }
      lines++
      if (isLineStart) {
        if (!hasField) meter.noise()
        if (bytes > longest) longest = bytes
        bytes = 0
        hasField = false
      }
      isLineStart = true
    }
    meter.bytes(chunk.byteLength + lines * bytesPerLine)
    return Math.max(bytes, longest)
  }
}
