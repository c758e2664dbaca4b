import { Effect } from "effect"
import type { Embeddings } from "./Embeddings.ts"

const dimensions = 256
const trigramWeight = 0.35

const fillers = new Set(
  ("a an and are as at be by can do for from have how i in into is it its me my of on or our please that the their "
    + "them then this to us use using was we what when where which who will with you your").split(" ")
)

/** FNV-1a, whose bits choose the dimension and the sign: unrelated texts come out near zero. */
const hash = (text: string): number => {
  let value = 2166136261
  for (let index = 0; index < text.length; index++) {
    value = Math.imul(value ^ text.charCodeAt(index), 16777619)
  }
  value ^= value >>> 15
  value = Math.imul(value, 0x2c1b3c6d)
  return (value ^ value >>> 12) >>> 0
}

/** A unit vector of a text's words and their three-letter pieces: texts that share words are near each other. */
export const vectorOf = (text: string): Float32Array => {
  const vector = new Float32Array(dimensions)
  const add = (feature: string, weight: number) => {
    const bits = hash(feature)
    const at = bits % dimensions
    vector[at] = (vector[at] ?? 0) + ((bits & 0x10000) === 0 ? weight : -weight)
  }
  for (const word of text.normalize("NFKC").toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []) {
    if (fillers.has(word)) continue
    add(word, 1)
    const padded = `<${word}>`
    for (let index = 0; index + 3 <= padded.length; index++) add(padded.slice(index, index + 3), trigramWeight)
  }
  let sum = 0
  for (const value of vector) sum += value * value
  if (sum === 0) {
    vector[0] = 1
    return vector
  }
  const length = Math.sqrt(sum)
  return vector.map((value) => value / length)
}

export const offlineEmbeddings: Embeddings["Type"] = {
  model: "offline/ngrams-256",
  embed: (texts) => Effect.sync(() => texts.map(vectorOf))
}
