import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import { TroupeApi } from "@troupe/api/TroupeApi"
import { SkillModelUnavailable } from "@troupe/domain/Skill"
import { Effect, identity, Option } from "effect"
import { requireAdmin } from "../People/User/Access.ts"
import { pageResponse } from "../Runtime/Database/Page.ts"
import { detailOf, type Skill, summaryOf } from "./Skill.ts"
import { makeSkillGeneration } from "./SkillGeneration.ts"
import { SkillMatching } from "./SkillMatching.ts"
import { isMet, SkillRequirements } from "./SkillRequirements.ts"
import { Skills } from "./Skills.ts"

export const SkillsHttp = HttpApiBuilder.group(TroupeApi, "skills", (handlers) =>
  Effect.gen(function*() {
    const skills = yield* Skills
    const matching = yield* SkillMatching
    const generate = yield* makeSkillGeneration
    const { missing } = yield* SkillRequirements
    const { threshold } = matching

    const isReady = (skill: Skill) => Effect.map(missing(skill), isMet)
    const detail = (skill: Skill) => Effect.map(isReady(skill), (met) => detailOf(skill, met))
    const summary = (skill: Skill) => Effect.map(isReady(skill), (met) => summaryOf(skill, met))

    return handlers
      .handle("list", ({ request: { url }, urlParams: query }) =>
        pageResponse({ url, query }, {
          read: ({ cursor, limit }) =>
            skills.list.pipe(
              Effect.map((all) => all.filter(({ name }) => name > Option.getOrElse(cursor, () => "")).slice(0, limit)),
              Effect.flatMap(Effect.forEach(summary, { concurrency: 4 }))
            ),
          positionOf: ({ name }) => name,
          encode: identity
        }))
      .handle("requirements", () => Effect.map(skills.requirements, (statuses) => ({ skills: statuses })))
      .handle("find", ({ path }) => Effect.flatMap(skills.find(path.skill_name), detail))
      .handle("match", ({ payload: { max_skills, query, threshold } }) =>
        Effect.map(
          matching.match(query, { threshold, maxSkills: max_skills }),
          (matches) => ({ query, threshold, matches })
        ))
      .handle("reload", () => skills.reload)
      .handle("similarity", ({ path: { query } }) =>
        matching.similarity(query).pipe(
          Effect.map((scores) => ({ query, threshold, scores })),
          Effect.mapError(({ message }) => new SkillModelUnavailable({ reason: message }))
        ))
      .handle("create", ({ payload }) => Effect.flatMap(skills.create(payload), detail))
      .handle("update", ({ path, payload }) => Effect.flatMap(skills.update(path.skill_name, payload), detail))
      .handle("remove", ({ path: { skill_name } }) =>
        Effect.map(skills.remove(skill_name), (name) => ({ name, deleted: true as const })))
      .handle("generate", ({ payload: { description, save } }) =>
        (save ? requireAdmin("save a skill") : Effect.void).pipe(
          Effect.zipRight(generate(description, save)),
          Effect.flatMap(({ saved, skill }) =>
            Effect.map(detail(skill), (skill) => ({ skill, saved }))
          )
        ))
  }))
