import type { SketchQuery, SketchShape } from "./Sketch.ts"

/** Compares sketches, some ten times as fast as JavaScript can. */
export interface Kernel {
  /**
   * The dot product of the query with each of the `count` sketches of one shape that `rows` begins with, as far as their
   * digits tell; it stands until the next call.
   */
  readonly scores: (query: SketchQuery, shape: SketchShape, rows: Uint8Array, count: number) => Float32Array
}

export const makeKernel = (): Kernel => {
  const { memory, score } = new WebAssembly.Instance(new WebAssembly.Module(kernelCode)).exports
  return {
    scores: (query, { blocks, head, size }, rows, count) => {
      if (count === 0) return new Float32Array()
      const out = query.digits.byteLength
      const first = Math.ceil((out + 4 * count) / 16) * 16
      const missing = first + size * count - memory.buffer.byteLength
      if (missing > 0) memory.grow(Math.ceil(missing / pageSize))
      new Int16Array(memory.buffer).set(query.digits)
      new Uint8Array(memory.buffer).set(rows.subarray(0, size * count), first)
      score(0, first, count, blocks, head, out)
      const scores = new Float32Array(memory.buffer, out, count)
      for (let at = 0; at < count; at++) scores[at] = (scores[at] ?? 0) * query.scale
      return scores
    }
  }
}

/** Bytes of a page of WebAssembly's memory. */
const pageSize = 65_536

// What Node has and the library of ES2023 does not name, as far as this module uses it.
declare const WebAssembly: {
  readonly Module: new(code: Uint8Array) => object
  readonly Instance: new(module: object) => {
    readonly exports: {
      readonly memory: { readonly buffer: ArrayBuffer; readonly grow: (pages: number) => number }
      readonly score: (
        query: number,
        row: number,
        count: number,
        blocks: number,
        head: number,
        out: number
      ) => void
    }
  }
}

/** Kernel.wat, assembled. */
export const kernelCode: Uint8Array = Buffer.from(
  "AGFzbQEAAAABCgFgBn9/f39/fwADAgEABQMBAAEHEgIGbWVtb3J5AgAFc2NvcmUAAArJAgHGAgIEfwN7A0AgACEGIAFBBGohByABIARqIQggAy"
    + "EJ/QwAAAAAAAAAAAAAAAAAAAAAIQoDQCAI/QEDACAG/QAEAP26ASELIAj9AQMIIAb9AAQQ/boBIQwgCyAI/QEDECAG/QAEIP26Af2uASELIAwg"
    + "CP0BAxggBv0ABDD9ugH9rgEhDCALIAj9AQMgIAb9AARA/boB/a4BIQsgDCAI/QEDKCAG/QAEUP26Af2uASEMIAsgCP0BAzAgBv0ABGD9ugH9rg"
    + "EhCyAMIAj9AQM4IAb9AARw/boB/a4BIQwgCiAH/QkCACALIAz9rgH9+gH95gH95AEhCiAHQQRqIQcgCEHAAGohCCAGQYABaiEGIAlBAWsiCQ0A"
    + "CyAFIAr9HwAgCv0fAZIgCv0fAiAK/R8DkpI4AgAgBUEEaiEFIAghASACQQFrIgINAAsL",
  "base64"
)
