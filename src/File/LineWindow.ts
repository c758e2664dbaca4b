import { Effect } from "effect"
import { isUtf8 } from "node:buffer"
import { decodeText, wideEncodingOf } from "../Runtime/TextDecoding.ts"
import type { OpenFile } from "./OpenDirectory.ts"
import type { SandboxRefused } from "./SandboxRefused.ts"

export interface LineWindow {
  readonly text: string
  /** How many lines `text` holds, the last one perhaps in part. */
  readonly lines: number
  readonly more: boolean
  /** The window's last line is cut because the window was full. */
  readonly cut: boolean
}

const chunkBytes = 65_536
const newline = 10

/**
 * Reads the lines from `offset` on of what the file held when it was opened, with memory for a chunk and the result. The
 * text may have any encoding.
 */
export const readLines = (
  { read, stats }: OpenFile,
  options: { readonly offset: number; readonly limit: number; readonly maxBytes: number }
): Effect.Effect<LineWindow, SandboxRefused> =>
  Effect.gen(function*() {
    const chunk = new Uint8Array(Math.min(chunkBytes, stats.size))
    let inUtf8: ReturnType<typeof toUtf8> | null = null
    const kept: Array<Uint8Array> = []
    let bytes = 0
    let skipped = 0
    let lines = 0
    let open = false
    for (let position = 0; position < stats.size;) {
      const bytesRead = yield* read(chunk.subarray(0, stats.size - position), position)
      if (bytesRead === 0) break
      position += bytesRead
      inUtf8 ??= toUtf8(chunk.subarray(0, bytesRead))
      const piece = inUtf8(chunk.subarray(0, bytesRead))
      let at = 0
      for (; skipped < options.offset && at < piece.length; skipped++) {
        const end = piece.indexOf(newline, at)
        at = end === -1 ? piece.length : end + 1
        if (end === -1) break
      }
      if (at === piece.length) continue
      const start = at
      while (lines < options.limit && at < piece.length) {
        const end = piece.indexOf(newline, at)
        at = end === -1 ? piece.length : end + 1
        open = end === -1
        if (!open) lines++
      }
      const room = options.maxBytes - bytes
      if (at - start > room) {
        kept.push(piece.slice(start, start + room))
        return windowOf(kept, countLines(kept), true, true)
      }
      kept.push(piece.slice(start, at))
      bytes += at - start
      if (lines === options.limit) return windowOf(kept, lines, at < piece.length || position < stats.size, false)
    }
    return windowOf(kept, lines + (open ? 1 : 0), false, false)
  })

/** Passes the bytes on, those of UTF-16 as UTF-8, in which a byte of a line break is part of nothing else. */
const toUtf8 = (head: Uint8Array): (bytes: Uint8Array) => Uint8Array => {
  const encoding = wideEncodingOf(head)
  if (encoding === null) return (bytes) => bytes
  const decoder = new TextDecoder(encoding)
  const encoder = new TextEncoder()
  return (bytes) => encoder.encode(decoder.decode(bytes, { stream: true }))
}

const windowOf = (kept: ReadonlyArray<Uint8Array>, lines: number, more: boolean, cut: boolean): LineWindow => {
  const whole = Buffer.concat(kept)
  return { text: decodeText(cut ? withoutPart(whole) : whole), lines, more, cut }
}

/** Without the start of a UTF-8 character that a cut left incomplete. */
const withoutPart = (bytes: Buffer): Buffer => {
  const end = bytes.subarray(-3)
  const start = bytes.length - end.length + end.findLastIndex((byte) => byte >= 0xc0)
  const whole = bytes.subarray(0, start)
  return start >= 0 && !isUtf8(bytes) && isUtf8(whole) && bytes.subarray(start + 1).every(isContinuation)
    ? whole
    : bytes
}

const isContinuation = (byte: number): boolean => byte >= 0x80 && byte < 0xc0

const countLines = (kept: ReadonlyArray<Uint8Array>): number => {
  let lines = 1
  for (const part of kept) {
    for (let at = part.indexOf(newline); at !== -1; at = part.indexOf(newline, at + 1)) lines++
  }
  return lines
}
