import { resolveTools } from "@troupe/domain/SkillMatch"

export interface ToolChoice {
  /** Names of all tools that the agent may use, in the toolbox's order. */
  readonly available: ReadonlyArray<string>
  /** What the matched skills ask for: whole names or parts of them. */
  readonly required: ReadonlyArray<string>
  /** Tools that suit the work steps; null when nothing was matched. */
  readonly matched: ReadonlyArray<string> | null
}

/** Tools of tool servers are bound as `<server>__<tool>` (contract.md 8); all others are built in. */
export const isBuiltIn = (name: string): boolean => !name.includes("__")

/** contract.md 14: where work steps choose none, at most so many tools of tool servers are bound. */
export const maxServerTools = 60

/** The tools of tool servers among these if there are more than may be bound without a choice, else none. */
export const surplus = <A extends { readonly name: string }>(tools: ReadonlyArray<A>): ReadonlyArray<A> => {
  if (tools.length <= maxServerTools) return []
  const ofServers = tools.filter(({ name }) => !isBuiltIn(name))
  return ofServers.length <= maxServerTools ? [] : ofServers
}

/** The first ones by name, so that the choice is the same at every step. */
export const firstByName = (names: ReadonlyArray<string>): ReadonlyArray<string> =>
  names.toSorted().slice(0, maxServerTools)

/**
 * The tools that are bound to the model (service.md, "Skill matching and tool selection", 6): those that matched skills
 * require, those that suit the work steps, and the built-in ones in any case; each once, in the toolbox's order, so that
 * the same choice is the same set. Where none were matched every tool is bound, as long as there are not too many: nobody
 * connects a tool server to have it left out.
 */
export const selectTools = ({ available, matched, required }: ToolChoice): ReadonlyArray<string> => {
  const tooMany = matched === null ? surplus(available.map((name) => ({ name }))) : []
  if (matched === null && tooMany.length === 0) return available
  const suitable = matched ?? firstByName(tooMany.map(({ name }) => name))
  const chosen = new Set([...resolveTools(required, available).tools, ...suitable])
  return available.filter((name) => isBuiltIn(name) || chosen.has(name))
}
