import type { FloodMeter } from "./FloodMeter.ts"

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
