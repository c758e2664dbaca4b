import type { Skill } from "../Skill/Skill.ts"

/**
 * The layer of the system prompt that holds the instructions of the skills that fit; null without any. Skills are the
 * operator's own words, so they are instructions here, unlike all that comes from outside.
 */
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
