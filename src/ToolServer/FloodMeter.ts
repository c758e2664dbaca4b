import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client"

export const maxMessageBytes = 10 * 1_024 * 1_024

/** Per second, in all that a server sends and writes. */
const maxLines = 10_000

/** To read a message takes more time than to read a line. */
const linesOfMessage = 5

/** Per second, besides the responses to open requests. */
const maxBytes = 8 * 1_024 * 1_024

/** Detects a server that sends so much that it would slow down the service. */
export interface FloodMeter {
  readonly add: (bytes: number, lines: number) => void
  /** Counts the messages of a transport from its start on, except the one response to each request. */
  readonly watch: (transport: Transport) => void
}

/** Bytes beyond the rate are taken from the credit of the open requests, each of which may get one large response. */
export const makeFloodMeter = (now: () => number, onFlood: (why: string) => void): FloodMeter => {
  let since = now()
  let lines = 0
  let bytes = 0
  let openRequests = 0
  let credit = 0
  let isFlooded = false
  const add = (moreBytes: number, moreLines: number) => {
    const at = now()
    if (at - since >= 1_000) {
      since = at
      lines = 0
      bytes = 0
    }
    lines += moreLines
    bytes += moreBytes
    credit -= Math.max(0, bytes - maxBytes)
    bytes = Math.min(bytes, maxBytes)
    if (isFlooded || (lines <= maxLines && credit >= 0)) return
    isFlooded = true
    onFlood(`it sent more than ${maxLines} lines, or 8 MB, in a second that no call asked for; a message counts five`)
  }
  const onmessage = (message: JSONRPCMessage) => {
    if (openRequests === 0 || "method" in message) return add(0, linesOfMessage)
    openRequests--
    credit = Math.min(credit, openRequests * maxMessageBytes)
    bytes = 0
  }
  return {
    add,
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

const newline = 0x0a
const carriageReturn = 0x0d
/** Of the field `data`: no other field of an event begins with it. */
const firstOfData = 0x64

/** Added for each line of a message, which takes more time to read than its bytes. */
const bytesPerDataLine = 32

/**
 * Counts a stream of events (text/event-stream). The lines of a message count as bytes, so that a long answer which a call
 * asked for may have many. The result takes each chunk and returns the size of the longest event that ends or continues in it.
 */
export const makeEventMeter = (meter: FloodMeter): (chunk: Uint8Array) => number => {
  let bytes = 0
  let isLineStart = true
  let isData = false
  let previous = 0
  return (chunk) => {
    let longest = 0
    let lines = 0
    let dataLines = 0
    for (const byte of chunk) {
      const isSecondHalf = byte === newline && previous === carriageReturn
      previous = byte
      if (isSecondHalf) continue
      bytes++
      if (isLineStart) isData = byte === firstOfData
      const endsLine = byte === newline || byte === carriageReturn
      if (endsLine && isData) dataLines++
      else if (endsLine) lines++
      if (endsLine && isLineStart) {
        longest = Math.max(longest, bytes)
        bytes = 0
      }
      isLineStart = endsLine
    }
    meter.add(chunk.byteLength + dataLines * bytesPerDataLine, lines)
    return Math.max(bytes, longest)
  }
}
