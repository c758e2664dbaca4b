import type { SkillFault, SkillName, SkillReload } from "@troupe/domain/Skill"
import type { Skill } from "./Skill.ts"
import type { FoundSkill, Scan } from "./SkillFolder.ts"

/** What the last scan of the folders found. */
export interface Known {
  readonly skills: ReadonlyMap<string, FoundSkill>
  /** By name; the same array until the next scan. */
  readonly list: ReadonlyArray<Skill>
  readonly aliases: ReadonlyMap<string, FoundSkill>
  readonly files: ReadonlyMap<string, FoundSkill>
  readonly faults: ReadonlyArray<SkillFault>
}

export const noSkills: Known = { skills: new Map(), list: [], aliases: new Map(), files: new Map(), faults: [] }

/** A skill of the users replaces a built-in one of the same name. */
export const knownOf = (builtIn: Scan, custom: Scan): Known => {
  const all = [...builtIn.found, ...custom.found]
  const skills = new Map(all.map((found) => [found.skill.name, found]))
  return {
    skills,
    list: [...skills.values()].map(({ skill }) => skill).toSorted((one, other) => one.name < other.name ? -1 : 1),
    aliases: new Map(
      [...skills.values()].flatMap((found) => found.skill.aliases.map((alias) => [alias, found] as const))
    ),
    files: new Map(all.map((found) => [found.skill.folder, found])),
    faults: [...builtIn.faults, ...custom.faults]
  }
}

export const differences = (before: Known, after: Known): SkillReload => {
  const names = after.list.map(({ name }) => name)
  const isChanged = (name: SkillName) => {
    const [one, other] = [before.skills.get(name), after.skills.get(name)]
    return one !== undefined && other !== undefined && versionOf(one) !== versionOf(other)
  }
  return {
    count: names.length,
    added: names.filter((name) => !before.skills.has(name)),
    updated: names.filter(isChanged),
    removed: before.list.map(({ name }) => name).filter((name) => !after.skills.has(name)),
    errors: after.faults
  }
}

const versionOf = ({ skill, stamp }: FoundSkill) => [stamp, skill.folder, ...skill.scripts, ...skill.files].join("\n")
