import { Effect, Layer } from "effect"
import { Embeddings } from "../../src/Model/Embeddings.ts"
import type { ModelError } from "../../src/Model/Model.ts"
import { vectorOf } from "../../src/Model/OfflineEmbeddings.ts"

/** The embeddings of a test, which it may change while it runs. */
export interface TestEmbeddings {
  /** What was embedded so far. */
  readonly asked: Array<string>
  model: string
  embed: (text: string) => Effect.Effect<Float32Array, ModelError>
  readonly layer: Layer.Layer<Embeddings>
}

/** A vector in two dimensions, so that tests can name the cosine that two texts shall have. */
const angled = (degrees: number) =>
  Float32Array.of(Math.cos(degrees * Math.PI / 180), Math.sin(degrees * Math.PI / 180))

/** Texts that end in an angle, as in `north @90`, lie there; all others are embedded as the offline model does. */
export const testVector = (text: string): Float32Array => {
  const angle = /@(-?[\d.]+)/.exec(text)?.[1]
  return angle === undefined ? vectorOf(text) : angled(Number(angle))
}

export const makeEmbeddings = (): TestEmbeddings => {
  const asked: Array<string> = []
  const made: TestEmbeddings = {
    asked,
    model: "test/one",
    embed: (text) => Effect.succeed(testVector(text)),
    layer: Layer.sync(Embeddings, () =>
      Embeddings.of({
        get model() {
          return made.model
        },
        embed: (texts) =>
          Effect.suspend(() => {
            asked.push(...texts)
            return Effect.forEach(texts, made.embed)
          })
      }))
  }
  return made
}
