import { cosineOfUnits, ranked } from "@troupe/domain/SkillMatch"
import { Array as Arrays, Effect } from "effect"
import type { ModelError, ToolDefinition } from "../Model/Model.ts"
import type { SkillVectors } from "../Skill/SkillVectors.ts"
import { maxServerTools, surplus } from "./ToolSelection.ts"

export interface ToolMatching {
  readonly ofSteps: (
    steps: ReadonlyArray<string>,
    tools: ReadonlyArray<ToolDefinition>
  ) => Effect.Effect<ReadonlyArray<string>, ModelError>
  readonly ofRequest: (
    input: string,
    tools: ReadonlyArray<ToolDefinition>
  ) => Effect.Effect<ReadonlyArray<string>, ModelError>
}

const toolsPerStep = 3

export const makeToolMatching = (vectors: SkillVectors): ToolMatching => {
  /** Cached by the identity of the tool set. */
  const ofSets = new WeakMap<ReadonlyArray<ToolDefinition>, ReadonlyArray<Float32Array>>()

  const ofServerTools = Effect.fnUntraced(function*(tools: ReadonlyArray<ToolDefinition>) {
    const known = ofSets.get(tools)
    if (known !== undefined) return known
    // In batches, each of which is cached: with a slow provider, every task completes more of the set.
    const batches = yield* Effect.forEach(Arrays.chunksOf(surplus(tools).map(textOf), 100), vectors.ofAll)
    const made = batches.flat()
    ofSets.set(tools, made)
    return made
  })

  return {
    ofSteps: Effect.fnUntraced(function*(steps, tools) {
      const [known, asked] = yield* Effect.all([vectors.ofAll(tools.map(textOf)), vectors.ofQueries(steps)], {
        concurrency: "unbounded"
      })
      return [...new Set(asked.flatMap((step) => nearest(step, tools, known, toolsPerStep)))]
    }),
    ofRequest: Effect.fnUntraced(function*(input, tools) {
      const [known, [asked = none]] = yield* Effect.all([ofServerTools(tools), vectors.ofQueries([input])], {
        concurrency: "unbounded"
      })
      return nearest(asked, surplus(tools), known, maxServerTools)
    })
  }
}

const none = new Float32Array()

const nearest = (
  query: Float32Array,
  tools: ReadonlyArray<ToolDefinition>,
  vectors: ReadonlyArray<Float32Array>,
  count: number
): ReadonlyArray<string> =>
  ranked(tools.map(({ name }, index) => ({ name, score: cosineOfUnits(query, vectors[index] ?? none) })))
    .slice(0, count).map(({ name }) => name)

const textOf = ({ description, name }: ToolDefinition): string => `${name.replaceAll("_", " ")}\n${description}`
