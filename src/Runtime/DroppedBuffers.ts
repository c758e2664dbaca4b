const collectEvery = 8 * 1_024 * 1_024

let dropped = 0

/**
 * Says that a stream is done with a buffer of so many bytes. V8 lets 32 to 64 MB of dropped buffers accumulate before it
 * collects them, which a single large file would fill; with node's `--expose-gc` (in `npm start`), a collection of the
 * young generation, which takes a few milliseconds, is run every 8 MiB instead.
 */
export const bufferDropped = (bytes: number): void => {
  dropped += bytes
  if (dropped < collectEvery) return
  dropped = 0
  globalThis.gc?.({ type: "minor" })
}
