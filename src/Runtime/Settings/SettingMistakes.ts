import type { FieldError } from "@troupe/api/Problem"
import { suggestion } from "../NearNames.ts"
import { declarationOf, settingNames } from "./SettingsCatalogue.ts"

/** Why settings can't be stored, by name: there is no such setting, the environment or `.env` sets it, or it needs a start. */
export const mistakesIn = (
  names: ReadonlyArray<string>,
  given: ReadonlyMap<string, "environment" | "file">
): ReadonlyArray<FieldError> =>
  names.flatMap((name) => {
    const message = whyNot(name, given.get(name))
    return message === null ? [] : [{ path: name, message }]
  })

const whyNot = (name: string, source: "environment" | "file" | undefined): string | null => {
  const declared = declarationOf(name)
  if (declared === undefined || name.endsWith(">")) {
    return `there is no such setting. ${suggestion(name, [...settingNames], "GET /api/settings lists them.")}`
  }
  if (source !== undefined) {
    return `locked: ${source === "file" ? "the file .env" : "the environment"} of the service sets it`
  }
  return declared.needs === "start"
    ? "it is read when the service starts: set it in the environment or in .env, and restart"
    : null
}
