import { Effect } from "effect"
import { makePlace, skillText } from "../Skill/place.ts"
import { task } from "./loop.ts"
import { tools } from "./preparing.ts"

export const { type, userId } = task

export const stepsAnswer = "1. List the issues of the repository\n2) Send a mail about them\n- Read the file\n"

export const intents = { intentPreprocessing: true }

export const bound = tools.map(({ description, name, parameters }) => ({ name, description, parameters }))

export const givenSkills = Effect.map(makePlace(), (place) => {
  place.put(
    "builtin/bread/SKILL.md",
    skillText("bread", "Bake sourdough bread.", "tags: [sourdough]\nallowed-tools: mail\n")
  )
  place.put(
    "builtin/lacking/SKILL.md",
    skillText("lacking", "Also bread.", "tags: [sourdough]\nrequirements: {bins: [no-such]}\n")
  )
  place.put("builtin/trains/SKILL.md", skillText("trains", "Plan journeys by train."))
  return place
})
