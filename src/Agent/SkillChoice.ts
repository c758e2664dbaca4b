import type { SkillMatch } from "@troupe/domain/SkillMatch"
import { Effect } from "effect"
import type { Skill } from "../Skill/Skill.ts"
import { SkillMatching } from "../Skill/SkillMatching.ts"
import { isMet, SkillRequirements } from "../Skill/SkillRequirements.ts"
import { Skills } from "../Skill/Skills.ts"

export interface SkillChoice {
  readonly found: ReadonlyArray<SkillMatch>
  readonly lacking: ReadonlyArray<{ readonly name: Skill["name"]; readonly missing: ReadonlyArray<string> }>
}

const isAmong = ({ aliases, name }: Skill, names: ReadonlyArray<string>): boolean =>
  [name, ...aliases].some((one) => names.includes(one))

/** Chooses skills for a request: the best matches whose requirements are met. A skill that lacks something does not count. */
export const makeSkillChoice = (
  maxSkills: number
): Effect.Effect<
  (input: string, allowed?: ReadonlyArray<string> | null) => Effect.Effect<SkillChoice>,
  never,
  SkillMatching | SkillRequirements | Skills
> =>
  Effect.map(
    Effect.all([SkillMatching, SkillRequirements, Skills]),
    ([matching, { missing }, skills]) =>
      Effect.fnUntraced(function*(input: string, allowed: ReadonlyArray<string> | null = null) {
        const found: Array<SkillMatch> = []
        const lacking: Array<SkillChoice["lacking"][number]> = []
        if (maxSkills === 0) return { found, lacking }
        for (const match of yield* matching.match(input, { maxSkills: Number.POSITIVE_INFINITY })) {
          if (found.length === maxSkills) break
          const skill = yield* Effect.option(skills.find(match.name))
          if (skill._tag === "None" || (allowed !== null && !isAmong(skill.value, allowed))) continue
          const needs = yield* missing(skill.value)
          if (isMet(needs)) found.push(match)
          else if (lacking.length < maxSkills) lacking.push({ name: match.name, missing: Object.values(needs).flat() })
        }
        return { found, lacking }
      })
  )
