import type { Run } from "@troupe/domain/Run"
import { ranked, resolveTools } from "@troupe/domain/SkillMatch"
import { cosineOfUnits } from "@troupe/domain/Vector"
import { Array as Arrays, Effect } from "effect"
import type { ToolDefinition, ToolSet } from "../Model/Model.ts"
import type { Skill } from "../Skill/Skill.ts"
import type { SkillVectors } from "../Skill/SkillVectors.ts"
import type { Toolbox } from "../Tool/Toolbox.ts"

export interface ToolChoice {
  readonly available: ReadonlyArray<string>
  readonly required: ReadonlyArray<string>
  /** Tools that match the work steps or the request; null when there was no matching. */
  readonly matched: ReadonlyArray<string> | null
}

export const isBuiltIn = (name: string): boolean => !name.includes("__")

/** Maximum number of tool server tools that are bound without work steps. */
export const maxServerTools = 60

/** The tool server tools among these, if there are more than the maximum. */
export const surplus = <A extends { readonly name: string }>(tools: ReadonlyArray<A>): ReadonlyArray<A> => {
  if (tools.length <= maxServerTools) return []
  const ofServers = tools.filter(({ name }) => !isBuiltIn(name))
  return ofServers.length <= maxServerTools ? [] : ofServers
}

export const firstByName = (names: ReadonlyArray<string>): ReadonlyArray<string> =>
  names.toSorted().slice(0, maxServerTools)

/** Binds the built-in tools, tools that skills require and matched tools; without matching all, up to the maximum. */
export const selectTools = ({ available, matched, required }: ToolChoice): ReadonlyArray<string> => {
  const tooMany = matched === null ? surplus(available.map((name) => ({ name }))) : []
  if (matched === null && tooMany.length === 0) return available
  const suitable = matched ?? firstByName(tooMany.map(({ name }) => name))
  const chosen = new Set([...resolveTools(required, available).tools, ...suitable])
  return available.filter((name) => isBuiltIn(name) || chosen.has(name))
}

export const toolsOf = (toolbox: Toolbox, skills: ReadonlyArray<Skill>, { prepared }: Run): ToolSet => {
  const matched = prepared?.tools ?? null
  const all = toolbox.toolSet()
  return matched === null && surplus(all.tools).length === 0 ? all : toolbox.toolSet(selectTools({
    available: all.tools.map(({ name }) => name),
    required: skills.flatMap(({ allowed_tools }) => allowed_tools),
    matched
  }))
}

const toolsPerStep = 3

export const makeToolMatching = (vectors: SkillVectors) => {
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
    ofSteps: Effect.fnUntraced(function*(steps: ReadonlyArray<string>, tools: ReadonlyArray<ToolDefinition>) {
      const [known, asked] = yield* Effect.all([vectors.ofAll(tools.map(textOf)), vectors.ofQueries(steps)], {
        concurrency: "unbounded"
      })
      return [...new Set(asked.flatMap((step) => nearest(step, tools, known, toolsPerStep)))]
    }),
    ofRequest: Effect.fnUntraced(function*(input: string, tools: ReadonlyArray<ToolDefinition>) {
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
