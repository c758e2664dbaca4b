import { Effect } from "effect"
import { type LineWindow, readLines } from "./LineWindow.ts"
import type { OpenFile } from "./OpenDirectory.ts"
import { SandboxRefused } from "./SandboxRefused.ts"

/** Maximum and default of what is read of a file at once. */
export const maxReadBytes = 10 * 1_024 * 1_024

/** Lines of a text file, all by default, up to `maxBytes`, and the size of the file. */
export const linesOf = (
  file: OpenFile,
  window: { readonly offset?: number; readonly limit?: number; readonly maxBytes?: number } = {}
): Effect.Effect<LineWindow & { readonly size: number }, SandboxRefused> =>
  Effect.map(
    readLines(file, {
      offset: window.offset ?? 0,
      limit: window.limit ?? Infinity,
      maxBytes: Math.min(window.maxBytes ?? maxReadBytes, maxReadBytes)
    }),
    (lines) => ({ ...lines, size: file.stats.size })
  )

/** The whole of a file, which is refused if it is larger than `maxBytes`. */
export const bytesOf = (
  { read, stats }: OpenFile,
  path: string,
  { maxBytes = maxReadBytes }: { readonly maxBytes?: number } = {}
): Effect.Effect<Uint8Array, SandboxRefused> =>
  Effect.gen(function*() {
    if (stats.size > maxBytes) {
      return yield* new SandboxRefused({
        path,
        kind: "size",
        reason: `it has ${stats.size} bytes; at most ${maxBytes} are read at once`
      })
    }
    const bytes = new Uint8Array(stats.size)
    let length = 0
    while (length < bytes.length) {
      const bytesRead = yield* read(bytes.subarray(length), length)
      if (bytesRead === 0) break
      length += bytesRead
    }
    return bytes.subarray(0, length)
  })
