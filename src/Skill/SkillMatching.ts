import {
  bestOf,
  type Candidate,
  type MatchLimits,
  ranked,
  scoreOf,
  type SkillMatch,
  type SkillScore,
  tagsIn
} from "@troupe/domain/SkillMatch"
import { headOf } from "@troupe/domain/Text"
import { cosineOfUnits } from "@troupe/domain/Vector"
import { Context, Effect, Layer } from "effect"
import { Embeddings } from "../Model/Embeddings.ts"
import type { ModelError } from "../Model/Model.ts"
import type { Skill } from "./Skill.ts"
import { Skills } from "./Skills.ts"
import * as SkillVectors from "./SkillVectors.ts"

export class SkillMatching extends Context.Tag("troupe/Skill/SkillMatching")<SkillMatching, {
  /** The similarity at which a skill matches, unless a call sets another. */
  readonly threshold: number
  /** Best first; limits default to those of the layer. Without embeddings, tags alone decide. */
  readonly match: (query: string, limits?: Partial<MatchLimits>) => Effect.Effect<ReadonlyArray<SkillMatch>>
  readonly similarity: (query: string) => Effect.Effect<ReadonlyArray<SkillScore>, ModelError>
}>() {
  static readonly layer = (limits: MatchLimits): Layer.Layer<SkillMatching, never, Skills | Embeddings> =>
    Layer.effect(this, make(limits))
}

const make = (defaults: MatchLimits) =>
  Effect.gen(function*() {
    const skills = yield* Skills
    const vectors = SkillVectors.make(yield* Embeddings)

    let latest: { readonly all: ReadonlyArray<Skill>; readonly vectors: ReadonlyArray<Float32Array> } | null = null

    const vectorsOf = (all: ReadonlyArray<Skill>) =>
      latest?.all === all
        ? Effect.succeed(latest.vectors)
        : Effect.map(vectors.ofAll(all.map(textOf)), (found) => {
          latest = { all, vectors: found }
          return found
        })

    const candidates = (query: string, all: ReadonlyArray<Skill>) =>
      Effect.gen(function*() {
        if (all.length === 0 || query.trim() === "") return candidatesOf(query, all)
        const known = yield* vectorsOf(all)
        const [asked = noVector] = yield* vectors.ofQueries([query])
        return candidatesOf(query, all, (index) => cosineOfUnits(asked, known[index] ?? noVector))
      })

    return SkillMatching.of({
      threshold: defaults.threshold,
      match: Effect.fn("SkillMatching.match")(function*(query: string, limits?: Partial<MatchLimits>) {
        const all = yield* skills.list
        const found = yield* Effect.orElseSucceed(candidates(query, all), () => candidatesOf(query, all))
        return bestOf(found, { ...defaults, ...limits })
      }),
      similarity: Effect.fn("SkillMatching.similarity")(function*(query: string) {
        const found = yield* candidates(query, yield* skills.list)
        const { threshold } = defaults
        return ranked(found.map(({ name, semantic, tagged }) => scoreOf(name, { semantic, tagged, threshold })))
      })
    })
  })

/** A file may have more than the format allows, and than an embedding model takes. */
const maxLength = 8_000

const textOf = ({ description, tags }: Skill) => headOf([description, ...tags].join("\n"), maxLength)

const noVector = new Float32Array()

const candidatesOf = (
  query: string,
  all: ReadonlyArray<Skill>,
  semanticAt: (index: number) => number = () => 0
): ReadonlyArray<Candidate> => {
  const isTagged = tagsIn(query)
  return all.map(({ description, name, tags }, index) => ({
    name,
    description,
    semantic: semanticAt(index),
    tagged: isTagged(tags)
  }))
}
