const collectEvery = 8 * 1_024 * 1_024

let dropped = 0

/** V8 lets 64 MB of dropped buffers accumulate; with `--expose-gc`, the young generation is collected every 8 MiB. */
export const bufferDropped = (bytes: number): void => {
  dropped += bytes
  if (dropped < collectEvery) return
  dropped = 0
  globalThis.gc?.({ type: "minor" })
}
