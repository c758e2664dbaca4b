import { Schema } from "effect"
import { SkillName } from "./Skill.ts"

/** How far above the threshold a tag in the query raises a skill's score. */
const boost = 0.1

export const SkillMatch = Schema.Struct({
  name: SkillName,
  description: Schema.String.annotations({ description: "What the skill does" }),
  score: Schema.Number.annotations({ description: "How well it fits, up to 1" }),
  matched_by: Schema.Array(Schema.Literal("tag", "semantic")).annotations({ description: "What it matched by" })
}).annotations({ identifier: "SkillMatch" })
export type SkillMatch = typeof SkillMatch.Type

export const SkillScore = Schema.Struct({
  name: SkillName,
  semantic: Schema.Number.annotations({ description: "Cosine similarity of the query with description and tags" }),
  keyword_boost: Schema.Number.annotations({ description: "What a tag in the query added" }),
  score: Schema.Number.annotations({ description: "The sum, which is compared with the threshold" })
}).annotations({ identifier: "SkillScore" })
export type SkillScore = typeof SkillScore.Type

export interface MatchLimits {
  readonly threshold: number
  readonly maxSkills: number
}

export const tagsIn = (query: string): (tags: ReadonlyArray<string>) => boolean => {
  const lower = query.toLowerCase()
  return (tags) => tags.some((tag) => tag.trim() !== "" && lower.includes(tag.trim().toLowerCase()))
}

export const scoreOf = (
  name: SkillName,
  facts: { readonly semantic: number; readonly tagged: boolean; readonly threshold: number }
): SkillScore => {
  const { semantic, tagged, threshold } = facts
  const score = tagged ? Math.max(semantic, threshold + boost) : semantic
  return { name, semantic, keyword_boost: score - semantic, score }
}

const byScore = (one: { readonly score: number; readonly name: string }, other: typeof one): number =>
  other.score - one.score || (one.name < other.name ? -1 : one.name > other.name ? 1 : 0)

/** Best first; equal scores by name, so that the order is deterministic. */
export const ranked = <A extends { readonly score: number; readonly name: string }>(
  scores: ReadonlyArray<A>
): ReadonlyArray<A> => scores.toSorted(byScore)

export interface Candidate {
  readonly name: SkillName
  readonly description: string
  readonly semantic: number
  readonly tagged: boolean
}

export const bestOf = (candidates: ReadonlyArray<Candidate>, limits: MatchLimits): ReadonlyArray<SkillMatch> => {
  const { maxSkills, threshold } = limits
  const matches = candidates.map(({ description, name, semantic, tagged }): SkillMatch => ({
    name,
    description,
    score: scoreOf(name, { semantic, tagged, threshold }).score,
    matched_by: [...(tagged ? ["tag" as const] : []), ...(semantic >= threshold ? ["semantic" as const] : [])]
  }))
  return ranked(matches.filter(({ score }) => score >= threshold)).slice(0, Math.max(0, maxSkills))
}

export interface ResolvedTools {
  readonly tools: ReadonlyArray<string>
  readonly unknown: ReadonlyArray<string>
}

/** A name matches the tool of that name, or else all tools that contain it. `Bash(git:*)` counts as `Bash`. */
export const resolveTools = (
  wanted: ReadonlyArray<string>,
  available: ReadonlyArray<string>
): ResolvedTools => {
  const tools = new Set<string>()
  const unknown: Array<string> = []
  for (const given of wanted) {
    const name = (given.split("(", 1)[0] ?? "").trim()
    const found = available.includes(name)
      ? [name]
      : available.filter((tool) => name !== "" && tool.toLowerCase().includes(name.toLowerCase()))
    for (const tool of found) tools.add(tool)
    if (found.length === 0) unknown.push(given)
  }
  return { tools: [...tools], unknown }
}
