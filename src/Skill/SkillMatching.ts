import {
  bestOf,
  type Candidate,
  cosine,
  hasTag,
  type MatchLimits,
  ranked,
  scoreOf,
  type SkillMatch,
  type SkillScore
} from "@troupe/domain/SkillMatch"
import { Context, Effect, Layer } from "effect"
import { Embeddings } from "../Model/Embeddings.ts"
import type { ModelError } from "../Model/Model.ts"
import { Settings } from "../Runtime/Settings.ts"
import type { Skill } from "./Skill.ts"
import { Skills } from "./Skills.ts"
import * as SkillVectors from "./SkillVectors.ts"

/** Which skills a request is about (service.md, "Skill matching and tool selection"). */
export class SkillMatching extends Context.Tag("troupe/Skill/SkillMatching")<SkillMatching, {
  /** Best first. Limits left out are those of the settings. While there are no embeddings, tags alone decide. */
  readonly match: (query: string, limits?: Partial<MatchLimits>) => Effect.Effect<ReadonlyArray<SkillMatch>>
  /** How near every skill is to the query, best first. */
  readonly similarity: (query: string, threshold?: number) => Effect.Effect<ReadonlyArray<SkillScore>, ModelError>
}>() {
  static readonly layer: Layer.Layer<SkillMatching, never, Skills | Embeddings | Settings> = Layer.effect(
    this,
    Effect.flatMap(Settings, ({ skills }) => make({ threshold: skills.threshold, maxSkills: skills.max }))
  )

  static readonly layerOf = (limits: MatchLimits): Layer.Layer<SkillMatching, never, Skills | Embeddings> =>
    Layer.effect(this, make(limits))
}

const make = (defaults: MatchLimits): Effect.Effect<SkillMatching["Type"], never, Skills | Embeddings> =>
  Effect.gen(function*() {
    const skills = yield* Skills
    const vectors = yield* SkillVectors.make(yield* Embeddings)

    const candidates = (query: string, all: ReadonlyArray<Skill>) =>
      Effect.gen(function*() {
        if (all.length === 0 || query.trim() === "") return all.map((skill) => candidate(query, skill, 0))
        const [known, asked] = yield* Effect.all([vectors.ofAll(all.map(textOf)), vectors.ofQuery(query)], {
          concurrency: "unbounded"
        })
        return all.map((skill, index) => candidate(query, skill, cosine(asked, known[index] ?? new Float32Array())))
      })

    return SkillMatching.of({
      match: Effect.fn("SkillMatching.match")(function*(query: string, limits?: Partial<MatchLimits>) {
        const all = yield* skills.list
        const found = yield* candidates(query, all).pipe(
          Effect.catchAll((error) =>
            Effect.as(
              Effect.logWarning(`Skills are matched by tags alone: ${error.message}`),
              all.map((skill) => candidate(query, skill, 0))
            )
          )
        )
        return bestOf(found, { ...defaults, ...limits })
      }),
      similarity: Effect.fn("SkillMatching.similarity")(function*(query: string, threshold?: number) {
        const found = yield* candidates(query, yield* skills.list)
        return ranked(
          found.map(({ name, semantic, tagged }) =>
            scoreOf(name, { semantic, tagged, threshold: threshold ?? defaults.threshold })
          )
        )
      })
    })
  })

const textOf = ({ description, tags }: Skill) => [description, ...tags].join("\n")

const candidate = (query: string, { description, name, tags }: Skill, semantic: number): Candidate => ({
  name,
  description,
  semantic,
  tagged: hasTag(query, tags)
})
