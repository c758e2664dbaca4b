import type { SkillDetail, SkillSource, SkillSummary, SkillText } from "@troupe/domain/Skill"
import { DateTime } from "effect"
import { join } from "node:path"

export interface Skill extends SkillText {
  readonly source: SkillSource
  readonly folder: string
  /** Files beneath its scripts/, by their path in it, with `/`. */
  readonly scripts: ReadonlyArray<string>
  /** Epoch milliseconds. */
  readonly createdAt: number
  readonly updatedAt: number
}

export const skillFileName = "SKILL.md"
export const scriptsFolder = "scripts"

/** A skill as lists show it; `met` says whether this machine has what it requires. */
export const summaryOf = (skill: Skill, met: boolean): SkillSummary => ({
  name: skill.name,
  description: skill.description,
  tags: skill.tags,
  author: skill.author,
  version: skill.version,
  allowed_tools: skill.allowed_tools,
  requirements_met: met,
  source: skill.source
})

export const detailOf = (skill: Skill, met: boolean): SkillDetail => ({
  ...summaryOf(skill, met),
  instructions: skill.instructions,
  scripts: skill.scripts,
  requirements: skill.requirements,
  path: join(skill.folder, skillFileName),
  created_at: timestamp(skill.createdAt),
  updated_at: timestamp(skill.updatedAt)
})

const timestamp = (millis: number) => DateTime.formatIso(DateTime.unsafeMake(Math.trunc(millis)))
