import { Effect } from "effect"
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

/** Reads the lines from `offset` on of what the file held when it was opened, with memory for a chunk and the result. */
export const readLines = (
  { read, stats }: OpenFile,
  options: { readonly offset: number; readonly limit: number; readonly maxBytes: number }
): Effect.Effect<LineWindow, SandboxRefused> =>
  Effect.gen(function*() {
    const chunk = new Uint8Array(Math.min(chunkBytes, stats.size))
    const kept: Array<Uint8Array> = []
    let bytes = 0
    let skipped = 0
    let lines = 0
    let open = false
    for (let position = 0; position < stats.size;) {
      const bytesRead = yield* read(chunk.subarray(0, stats.size - position), position)
      if (bytesRead === 0) break
      position += bytesRead
      let at = 0
      for (; skipped < options.offset && at < bytesRead; skipped++) {
        const end = chunk.subarray(0, bytesRead).indexOf(newline, at)
        at = end === -1 ? bytesRead : end + 1
        if (end === -1) break
      }
      if (at === bytesRead) continue
      const start = at
      while (lines < options.limit && at < bytesRead) {
        const end = chunk.subarray(0, bytesRead).indexOf(newline, at)
        at = end === -1 ? bytesRead : end + 1
        open = end === -1
        if (!open) lines++
      }
      const room = options.maxBytes - bytes
      if (at - start > room) {
        kept.push(chunk.slice(start, start + room))
        return windowOf(kept, countLines(kept), true, true)
      }
      kept.push(chunk.slice(start, at))
      bytes += at - start
      if (lines === options.limit) return windowOf(kept, lines, at < bytesRead || position < stats.size, false)
    }
    return windowOf(kept, lines + (open ? 1 : 0), false, false)
  })

const windowOf = (kept: ReadonlyArray<Uint8Array>, lines: number, more: boolean, cut: boolean): LineWindow => {
  const whole = Buffer.concat(kept)
  // `stream` holds back a character that the cut left incomplete; elsewhere it would show as a replacement sign.
  return { text: new TextDecoder().decode(whole, { stream: cut }), lines, more, cut }
}

const countLines = (kept: ReadonlyArray<Uint8Array>): number => {
  let lines = 1
  for (const part of kept) {
    for (let at = part.indexOf(newline); at !== -1; at = part.indexOf(newline, at + 1)) lines++
  }
  return lines
}
