import type { Skill } from "../Skill/Skill.ts"

/** Skills come from the operator, so their instructions are not marked as data. */
export const skillsContext = (skills: ReadonlyArray<Skill>): string | null =>
  skills.length === 0
    ? null
    : [
      "Skills that fit this task. Follow their instructions where they apply; where they don't, work as usual.",
      ...skills.map(({ instructions, name, scripts }) =>
        `<skill name="${name}">\n${instructions}${scriptsNote(scripts)}\n</skill>`
      )
    ].join("\n\n")

const scriptsNote = (scripts: ReadonlyArray<string>): string =>
  scripts.length === 0 ? "" : `\n\nScripts for run_skill_script: ${scripts.join(", ")}.`
