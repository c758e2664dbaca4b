import {
  SkillInvalid,
  SkillModelUnavailable,
  SkillNameTaken,
  SkillNotFound,
  SkillNotGenerated,
  SkillReadOnly,
  SkillsUnwritable
} from "@troupe/domain/Skill"
import { problem } from "./Problem.ts"

/** The domain errors of skills, each with its problem. */
export const skillNotFound = problem(SkillNotFound, { slug: "skill-not-found", status: 404, title: "No such skill" })

export const skillNameTaken = problem(SkillNameTaken, {
  slug: "skill-name-taken",
  status: 409,
  title: "The skill's name is taken"
})

export const skillReadOnly = problem(SkillReadOnly, {
  slug: "skill-read-only",
  status: 409,
  title: "The skill is built in"
})

export const skillInvalid = problem(SkillInvalid, {
  slug: "skill-invalid",
  status: 400,
  title: "The skill can't be saved",
  errors: ({ reason }) => [{ path: "", message: reason }]
})

export const skillsUnwritable = problem(SkillsUnwritable, {
  slug: "skills-unwritable",
  status: 503,
  title: "The skills can't be written now"
})

export const skillModelUnavailable = problem(SkillModelUnavailable, {
  slug: "model-unavailable",
  status: 503,
  title: "The language model does not answer"
})

export const skillNotGenerated = problem(SkillNotGenerated, {
  slug: "skill-not-generated",
  status: 502,
  title: "The language model wrote no valid skill"
})
