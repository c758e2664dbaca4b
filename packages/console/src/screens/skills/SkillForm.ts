import type { SkillDetail } from "@troupe/client"

/** A skill as a person edits it; lists are separated by commas. */
export interface SkillForm {
  readonly name: string
  readonly description: string
  readonly tags: string
  readonly allowed_tools: string
  readonly instructions: string
  /** Whether it exists, so that it is changed. */
  readonly isSaved: boolean
}

export const emptySkill: SkillForm = {
  name: "",
  description: "",
  tags: "",
  allowed_tools: "",
  instructions: "",
  isSaved: false
}

export const formOf = (skill: SkillDetail, isSaved: boolean): SkillForm => ({
  name: skill.name,
  description: skill.description,
  tags: skill.tags.join(", "),
  allowed_tools: skill.allowed_tools.join(", "),
  instructions: skill.instructions,
  isSaved
})

const listOf = (text: string) => text.split(",").map((item) => item.trim()).filter((item) => item !== "")

export const changeOf = ({ allowed_tools, description, instructions, tags }: SkillForm) => ({
  description: description.trim(),
  instructions,
  tags: listOf(tags),
  allowed_tools: listOf(allowed_tools)
})
