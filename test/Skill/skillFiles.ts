import { Either } from "effect"
import { parse } from "../../src/Skill/SkillFile.ts"

export const header = (...lines: ReadonlyArray<string>) => `---\n${lines.join("\n")}\n---\nDo it.`

export const minimal = ["name: weekly-report", "description: Writes the report."]

export const parsed = (text: string, folder?: string) =>
  Either.getOrThrowWith(parse(text, folder), (why) => new Error(why))

export const read = (text: string) => parsed(text).text
