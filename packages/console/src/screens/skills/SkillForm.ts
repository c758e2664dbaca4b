import type { SkillDetail } from "@troupe/client"
import { typedText } from "../../parts/TypedText.ts"

export const requirementKinds = ["bins", "env", "python", "node", "platform"] as const

/** What a skill can require, in words. */
export const requirementNames: Readonly<Record<(typeof requirementKinds)[number], string>> = {
  bins: "Programs",
  env: "Environment variables",
  python: "Python packages",
  node: "Node packages",
  platform: "Platforms"
}

/** A skill as a person edits it; lists are separated by commas. */
export interface SkillForm {
  readonly texts: SkillTexts
  /** Whether it exists, so that it is changed. */
  readonly isSaved: boolean
}

export type SkillTexts = Readonly<
  Record<
    | "allowed_tools"
    | "author"
    | "description"
    | "instructions"
    | "name"
    | "tags"
    | "version"
    | (typeof requirementKinds)[number],
    string
  >
>

export const emptySkill: SkillForm = {
  texts: {
    name: "",
    description: "",
    tags: "",
    allowed_tools: "",
    instructions: "",
    author: "",
    version: "",
    bins: "",
    env: "",
    python: "",
    node: "",
    platform: ""
  },
  isSaved: false
}

export const formOf = (skill: SkillDetail, isSaved: boolean): SkillForm => ({
  texts: {
    name: skill.name,
    description: skill.description,
    tags: skill.tags.join(", "),
    allowed_tools: skill.allowed_tools.join(", "),
    instructions: skill.instructions,
    author: skill.author ?? "",
    version: skill.version ?? "",
    bins: skill.requirements.bins.join(", "),
    env: skill.requirements.env.join(", "),
    python: skill.requirements.python.join(", "),
    node: skill.requirements.node.join(", "),
    platform: skill.requirements.platform.join(", ")
  },
  isSaved
})

const listOf = (text: string) => text.split(",").map((item) => item.trim()).filter((item) => item !== "")

export const changeOf = (texts: SkillTexts) => ({
  description: texts.description.trim(),
  instructions: texts.instructions,
  tags: listOf(texts.tags),
  allowed_tools: listOf(texts.allowed_tools),
  author: typedText(texts.author),
  version: typedText(texts.version),
  requirements: {
    bins: listOf(texts.bins),
    env: listOf(texts.env),
    python: listOf(texts.python),
    node: listOf(texts.node),
    platform: listOf(texts.platform)
  }
})
