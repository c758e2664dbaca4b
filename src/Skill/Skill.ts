import type { SkillDetail, SkillSource, SkillSummary, SkillText, SkillTool } from "@troupe/domain/Skill"
import { DateTime, Struct } from "effect"
import { join } from "node:path"

export interface Skill extends SkillText {
  readonly source: SkillSource
  readonly folder: string
  /** The name of its file in the folder: some write `skill.md`. */
  readonly file: string
  /** Other names under which its instructions may call it. */
  readonly aliases: ReadonlyArray<string>
  /** What its file has otherwise than the format says, and how it was read. */
  readonly warnings: ReadonlyArray<string>
  /** Files beneath its scripts/, by their path in it, with `/`. */
  readonly scripts: ReadonlyArray<string>
  /** Those of its scripts that are tools in every task. */
  readonly tools: ReadonlyArray<SkillTool>
  /** Other files of the folder, such as `references/rates.md`, for the agent to read; not more than a prompt can list. */
  readonly files: ReadonlyArray<string>
  /** Epoch milliseconds. */
  readonly createdAt: number
  readonly updatedAt: number
}

export const skillFileName = "SKILL.md"
export const scriptsFolder = "scripts"

/** A skill as lists show it; `met` says whether this machine has what it requires. */
export const summaryOf = (skill: Skill, met: boolean): SkillSummary => ({
  ...Struct.pick(skill, "name", "description", "tags", "author", "version", "allowed_tools", "tools", "warnings"),
  requirements_met: met,
  source: skill.source
})

export const detailOf = (skill: Skill, met: boolean): SkillDetail => ({
  ...summaryOf(skill, met),
  ...Struct.pick(skill, "instructions", "scripts", "requirements"),
  path: join(skill.folder, skill.file),
  created_at: timestamp(skill.createdAt),
  updated_at: timestamp(skill.updatedAt)
})

const timestamp = (millis: number) => DateTime.formatIso(DateTime.unsafeMake(Math.trunc(millis)))
