import { resolveTools } from "@troupe/domain/SkillMatch"

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

/** Binds the built-in tools, those that skills require and the matched ones; without a match all, up to the maximum. */
export const selectTools = ({ available, matched, required }: ToolChoice): ReadonlyArray<string> => {
  const tooMany = matched === null ? surplus(available.map((name) => ({ name }))) : []
  if (matched === null && tooMany.length === 0) return available
  const suitable = matched ?? firstByName(tooMany.map(({ name }) => name))
  const chosen = new Set([...resolveTools(required, available).tools, ...suitable])
  return available.filter((name) => isBuiltIn(name) || chosen.has(name))
}
