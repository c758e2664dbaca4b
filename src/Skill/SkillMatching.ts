import {
  bestOf,
  type Candidate,
  cosineOfUnits,
  type MatchLimits,
  ranked,
  scoreOf,
  type SkillMatch,
  type SkillScore,
  tagsIn
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
        if (all.length === 0 || query.trim() === "") return untested(query, all)
        const [known, [asked = none]] = yield* Effect.all([vectorsOf(all), vectors.ofQueries([query])], {
          concurrency: "unbounded"
        })
        const isTagged = tagsIn(query)
        return all.map((skill, index) => candidate(skill, isTagged, cosineOfUnits(asked, known[index] ?? none)))
      })

    return SkillMatching.of({
      match: Effect.fn("SkillMatching.match")(function*(query: string, limits?: Partial<MatchLimits>) {
        const all = yield* skills.list
        const found = yield* Effect.orElseSucceed(candidates(query, all), () => untested(query, all))
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

const none = new Float32Array()

const candidate = (
  { description, name, tags }: Skill,
  isTagged: (tags: ReadonlyArray<string>) => boolean,
  semantic: number
): Candidate => ({ name, description, semantic, tagged: isTagged(tags) })

/** What the tags alone say. */
const untested = (query: string, all: ReadonlyArray<Skill>): ReadonlyArray<Candidate> => {
  const isTagged = tagsIn(query)
  return all.map((skill) => candidate(skill, isTagged, 0))
}
