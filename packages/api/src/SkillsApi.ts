import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import {
  SkillChange,
  SkillDetail,
  SkillDraft,
  SkillName,
  SkillReload,
  SkillStatus,
  SkillSummary
} from "@troupe/domain/Skill"
import { SkillMatch, SkillScore } from "@troupe/domain/SkillMatch"
import { Schema } from "effect"
import { AdminOnly, Authentication } from "./Authentication.ts"
import { checkedWhole, described, pathParameter, text, titled, withStatus } from "./Fields.ts"
import { page } from "./Listing.ts"
import * as Problems from "./Problems.ts"

const skillName = pathParameter("skill_name", "Skill name")
const query = pathParameter("query", "A request, URL-encoded")

const Threshold = Schema.Number.pipe(Schema.between(0, 1)).annotations({
  description: "Minimum score of a match, 0 to 1",
  message: () => "a number from 0 to 1"
})

/** The defaults of the match endpoint. */
export const matchDefaults = { threshold: 0.6, maxSkills: 3 }

export const SkillMatchRequest = Schema.Struct({
  query: text(100_000, "What somebody would ask the agent"),
  threshold: Schema.optionalWith(Threshold, { default: () => matchDefaults.threshold, nullable: true }),
  max_skills: Schema.optionalWith(
    Schema.Int.pipe(Schema.between(0, 100)).annotations({
      description: "Maximum number of skills",
      message: () => "a whole number from 0 to 100"
    }),
    { default: () => matchDefaults.maxSkills, nullable: true }
  )
}).annotations({ identifier: "SkillMatchRequest" })

export const SkillMatches = Schema.Struct({
  query: Schema.String.annotations({ description: "The request" }),
  threshold: Schema.Number.annotations({ description: "The threshold that was applied" }),
  matches: Schema.Array(SkillMatch).annotations({ description: "Best first" })
}).annotations({ identifier: "SkillMatches" })

export const SkillSimilarity = Schema.Struct({
  query: Schema.String.annotations({ description: "The request" }),
  threshold: Schema.Number.annotations({ description: "The threshold that agents use" }),
  scores: Schema.Array(SkillScore).annotations({ description: "All skills, best first" })
}).annotations({ identifier: "SkillSimilarity" })

export const SkillStatuses = Schema.Struct({
  skills: Schema.Array(SkillStatus).annotations({ description: "All skills, by name" })
}).annotations({ identifier: "SkillStatuses" })

export const SkillRemoved = Schema.Struct({
  name: SkillName,
  deleted: Schema.Literal(true).annotations({ description: "The skill was deleted" })
}).annotations({ identifier: "SkillRemoved" })

export const SkillGenerateRequest = Schema.Struct({
  description: text(10_000, "What the skill is for, in plain words"),
  save: Schema.optionalWith(Schema.Boolean.annotations({ description: "Also save it; default: false" }), {
    default: () => false,
    nullable: true
  })
}).annotations({ identifier: "SkillGenerateRequest" })

export const SkillGenerated = Schema.Struct({
  skill: SkillDetail,
  saved: Schema.Boolean.annotations({ description: "Whether it was saved; false: it is only a proposal" })
}).annotations({ identifier: "SkillGenerated" })

const SkillCreated = withStatus(201, SkillDetail)

/** Skills: instructions for the agent, matched with requests. */
export class SkillsApi extends HttpApiGroup.make("skills")
  .add(
    HttpApiEndpoint.get("list", "/api/skills/")
      .setUrlParams(checkedWhole(Schema.Struct(page(SkillName))))
      .addSuccess(Schema.Array(SkillSummary))
      .annotateContext(described("Skills, by name"))
  )
  .add(
    HttpApiEndpoint.get("requirements", "/api/skills/requirements")
      .addSuccess(SkillStatuses)
      .annotateContext(described("What each skill lacks on this machine"))
  )
  .add(
    HttpApiEndpoint.get("find")`/api/skills/${skillName}`
      .addSuccess(SkillDetail)
      .addError(Problems.skillNotFound)
      .annotateContext(described("One skill with its instructions"))
  )
  .add(
    HttpApiEndpoint.post("match", "/api/skills/match")
      .setPayload(checkedWhole(SkillMatchRequest))
      .addSuccess(SkillMatches)
      .annotateContext(described("The skills that fit a request; by tags alone while there are no embeddings"))
  )
  .add(
    HttpApiEndpoint.post("reload", "/api/skills/reload")
      .addSuccess(SkillReload)
      .middleware(AdminOnly)
      .annotateContext(described("Scans the folders now, and returns what changed"))
  )
  .add(
    HttpApiEndpoint.get("similarity")`/api/skills/debug/similarity/${query}`
      .addSuccess(SkillSimilarity)
      .addError(Problems.skillModelUnavailable)
      .annotateContext(described("The score of every skill for a request"))
  )
  .add(
    HttpApiEndpoint.post("create", "/api/skills/")
      .setPayload(checkedWhole(SkillDraft))
      .addSuccess(SkillCreated)
      .addError(Problems.skillNameTaken)
      .addError(Problems.skillInvalid)
      .addError(Problems.skillsUnwritable)
      .middleware(AdminOnly)
      .annotateContext(described("Creates a skill in SKILLS_PATH"))
  )
  .add(
    HttpApiEndpoint.put("update")`/api/skills/${skillName}`
      .setPayload(checkedWhole(SkillChange))
      .addSuccess(SkillDetail)
      .addError(Problems.skillNotFound)
      .addError(Problems.skillNameTaken)
      .addError(Problems.skillInvalid)
      .addError(Problems.skillsUnwritable)
      .middleware(AdminOnly)
      .annotateContext(
        described("Changes the given fields; a built-in skill is replaced by a changed copy in SKILLS_PATH")
      )
  )
  .add(
    HttpApiEndpoint.del("remove")`/api/skills/${skillName}`
      .addSuccess(SkillRemoved)
      .addError(Problems.skillNotFound)
      .addError(Problems.skillReadOnly)
      .addError(Problems.skillsUnwritable)
      .middleware(AdminOnly)
      .annotateContext(described("Deletes a skill in SKILLS_PATH; a built-in skill that it replaced is used again"))
  )
  .add(
    HttpApiEndpoint.post("generate", "/api/skills/generate")
      .setPayload(checkedWhole(SkillGenerateRequest))
      .addSuccess(SkillGenerated)
      .addError(Problems.skillNotGenerated)
      .addError(Problems.skillModelUnavailable)
      .addError(Problems.skillNameTaken)
      .addError(Problems.skillsUnwritable)
      .annotateContext(described("Writes a skill with the language model"))
  )
  .middlewareEndpoints(Authentication)
  .annotateContext(titled("Skills", "Instructions for the agent, matched with requests."))
{}
