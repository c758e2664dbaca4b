import type { Setting } from "./Setting.ts"
import { sections } from "./SettingsCatalogue.ts"

const preamble =
  `# Every setting of Troupe with its default. Copy this file to .env and remove the # before what you change.
# The environment wins over .env, and a blank value counts as unset. Quote a value that holds # or a space at an end,
# and write \\$ for a dollar sign.
`

const entry = ({ default: value, description, expected, name }: Setting<unknown>) =>
  `# ${description}\n# Must be ${expected}.\n# ${name}=${value ?? ""}\n`

/** The text of `.env.example`. */
export const settingsExample = (): string =>
  [
    preamble,
    ...sections.flatMap(({ settings, title }) => [
      `# --- ${title} ---\n`,
      ...settings.map(entry)
    ])
  ].join("\n")
