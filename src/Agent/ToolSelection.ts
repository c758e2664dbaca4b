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

/**
 * The tools that are bound to the model (service.md, "Skill matching and tool selection", 6): those that matched skills
 * require, those that suit the work steps, and the built-in ones in any case; each once, in the toolbox's order, so that
 * the same choice is the same set. Where no tools were matched (ENABLE_INTENT_PREPROCESSING is off, or it found
 * nothing) every tool stays bound: nobody connects a tool server to have it left out.
 */
export const selectTools = ({ available, matched, required }: ToolChoice): ReadonlyArray<string> => {
  if (matched === null) return available
  const chosen = new Set([...resolveTools(required, available).tools, ...matched])
  return available.filter((name) => isBuiltIn(name) || chosen.has(name))
}
