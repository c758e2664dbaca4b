import * as Tool from "@effect/ai/Tool"
import { SkillName } from "@troupe/domain/Skill"
import { Effect, Schema } from "effect"
import { isMet, SkillRequirements } from "../Skill/SkillRequirements.ts"
import { Skills } from "../Skill/Skills.ts"
import { count, implement, type McpTool, readOnly } from "./McpTool.ts"

const parameters = {
  limit: count(1, 200, { default: 50, description: "Skills per page, 1 to 200. Default: 50" }),
  cursor: Schema.optional(SkillName.annotations({ description: "next_cursor of the previous page" }))
}

const ListSkills = Tool.make("list_skills", {
  description: "The skills that the agents have: kinds of work with instructions of their own, by name. "
    + "A task that fits one uses it; nothing has to be said in the request.",
  parameters
}).annotate(Tool.Title, "List skills").annotateContext(readOnly)

export const skillTools: Effect.Effect<ReadonlyArray<McpTool>, never, Skills | SkillRequirements> = Effect.gen(
  function*() {
    const skills = yield* Skills
    const { missing } = yield* SkillRequirements
    return [
      implement(ListSkills, ({ cursor = "", limit }) =>
        Effect.gen(function*() {
          const rest = (yield* skills.list).filter(({ name }) => name > cursor)
          const page = rest.slice(0, limit)
          const listed = yield* Effect.forEach(page, (skill) =>
            Effect.map(missing(skill), (lacking) => ({
              name: skill.name,
              description: skill.description,
              tags: skill.tags,
              requirements_met: isMet(lacking)
            })), { concurrency: 4 })
          return { content: { skills: listed, next_cursor: rest.length > limit ? page.at(-1)?.name ?? null : null } }
        }))
    ]
  }
)
