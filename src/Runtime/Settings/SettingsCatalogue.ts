import { agent, agents, memory, model, skills, toolServers } from "./AgentSettings.ts"
import { chat, inbox, mail, schedules, webhooks } from "./IntakeSettings.ts"
import { core, hosted, storage, telemetry, workers } from "./ServiceSettings.ts"
import { isSetting, type Setting } from "./Setting.ts"

const settingsIn = (group: object): ReadonlyArray<Setting<unknown>> =>
  Object.values(group).flatMap((item: object) => isSetting(item) ? [item] : settingsIn(item))

export const sections = Object.entries({
  "Core": core,
  "Database and files": storage,
  "Language model": model,
  "Agent": agent,
  "Agent files": agents,
  "Skills": skills,
  "Team chat": chat,
  "Mail": mail,
  "Incoming mail": inbox,
  "Schedules": schedules,
  "Webhooks": webhooks,
  "Tool servers": toolServers,
  "Memory": memory,
  "Workers": workers,
  "Metrics and spans": telemetry,
  "Hosted mode": hosted
}).map(([title, group]) => ({ title, settings: settingsIn(group).map(({ declaration }) => declaration) }))

const all = sections.flatMap(({ settings }) => settings)

export const settingNames: ReadonlySet<string> = new Set(all.map(({ name }) => name))

/** Also of a setting whose name the operator completes. */
const isNamed = (name: string) => (declared: { readonly name: string }) =>
  declared.name === name || declared.name.endsWith(">") && name.startsWith(declared.name.replace(/<\w+>$/, ""))

export const isSettingName = (name: string): boolean => all.some(isNamed(name))

export const isSecret = (name: string): boolean => all.filter(({ secret }) => secret).some(isNamed(name))

const preamble =
  `# Every setting of Troupe with its default. Copy this file to .env and remove the # before what you change.
# The environment takes precedence over .env, and a blank value counts as unset. Quote a value that contains # or that
# starts or ends with a space, and write \\$ for a dollar sign.
`

export const settingsExample = (): string =>
  [
    preamble,
    ...sections.flatMap(({ settings, title }) => [
      `# --- ${title} ---\n`,
      ...settings.map(({ default: value, description, expected, name }) =>
        `# ${description}\n# Must be ${expected}.\n# ${name}=${value ?? ""}\n`
      )
    ])
  ].join("\n")
