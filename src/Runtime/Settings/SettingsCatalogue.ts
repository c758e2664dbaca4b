import type { SettingSection } from "@troupe/domain/Setting"
import { agent, agents, memory, model, policy, skills, toolServers } from "./AgentSettings.ts"
import { chat, gateways, inbox, mail, schedules, webhooks } from "./IntakeSettings.ts"
import { core, hosted, storage, telemetry, workers } from "./ServiceSettings.ts"
import { type Declaration, isSetting, type Setting } from "./Setting.ts"

const settingsIn = (group: object): ReadonlyArray<Setting<unknown>> =>
  Object.values(group).flatMap((item: object) => isSetting(item) ? [item] : settingsIn(item))

const section = (id: SettingSection, title: string, group: object) => ({
  id,
  title,
  settings: settingsIn(group).map(({ declaration }) => declaration)
})

export const sections = [
  section("core", "Core", core),
  section("storage", "Database and files", storage),
  section("model", "Language model", model),
  section("agent", "Agent", agent),
  section("agent-files", "Agent files", agents),
  section("skills", "Skills", skills),
  section("chat", "Team chat", chat),
  section("smtp", "Mail", { ...mail, ...gateways }),
  section("imap", "Incoming mail", inbox),
  section("schedules", "Schedules", schedules),
  section("webhooks", "Webhooks", webhooks),
  section("tool-servers", "Tool servers", toolServers),
  section("policy", "Policy", policy),
  section("memory", "Memory", memory),
  section("workers", "Workers", workers),
  section("telemetry", "Metrics and spans", telemetry),
  section("hosted", "Hosted mode", hosted)
]

const all = sections.flatMap(({ settings }) => settings)

/** The declaration of a setting, also of one whose name the operator completes. */
export const declarationOf = (name: string): Declaration | undefined => all.find(isNamed(name))

export const settingNames: ReadonlySet<string> = new Set(all.map(({ name }) => name))

/** Also of a setting whose name the operator completes. */
const isNamed = (name: string) => (declared: { readonly name: string }) =>
  declared.name === name || declared.name.endsWith(">") && name.startsWith(declared.name.replace(/<\w+>$/, ""))

/** The declaration, or where the operator completes its name, one for each of the names that is given. */
export const declaredAs = (declaration: Declaration, names: ReadonlyArray<string>): ReadonlyArray<Declaration> => {
  const prefix = declaration.name.replace(/<\w+>$/, "")
  const given = prefix === declaration.name ? [] : names.filter((name) => name.startsWith(prefix))
  return given.length === 0 ? [declaration] : given.map((name) => ({ ...declaration, name }))
}

export const isSettingName = (name: string): boolean => all.some(isNamed(name))

export const isSecret = (name: string): boolean => all.filter(({ secret }) => secret).some(isNamed(name))

/** Words of names that are written in capitals. */
const capitals = new Set(["api", "gb", "id", "imap", "mb", "mcp", "oidc", "otel", "smtp", "url"])

/** Titles that the words of the name do not make. */
const titles: Readonly<Record<string, string>> = {
  AGENT_HARD_ITERATIONS: "Hard limit of model calls",
  AGENT_MAX_ITERATIONS: "Most model calls that a request may ask for",
  AGENT_RECURSION_LIMIT: "Limit of model and tool steps",
  AGENT_SOFT_ITERATIONS: "Soft limit of model calls",
  CHAT_API_URL: "Address of the platform",
  CHAT_BOT_TOKEN: "Bot token",
  CHAT_SIGNING_SECRET: "Signing secret",
  CHAT_TASKS_PER_HOUR: "Tasks of one person in an hour",
  CHAT_TASKS_PER_MINUTE: "Tasks of one person in a minute",
  COMPACTION_MIN_TOKENS: "Tokens below which nothing is summarised",
  COMPACTION_THRESHOLD: "Messages above which older ones are summarised",
  IMAP_CHECK: "Seconds between checks of the mailbox",
  IMAP_SECURE: "IMAP encryption",
  INBOX_MAX_PER_HOUR: "Mails in an hour",
  INBOX_MAX_PER_SENDER: "Mails of one sender in an hour",
  INBOX_MAX_UNKNOWN: "Mails of unknown senders in an hour",
  INBOX_TRUSTED_AUTHSERV: "Server that authenticates senders",
  MAX_COST_PER_DAY: "Cost limit of a day",
  MAX_PARALLEL_TOOL_CALLS: "Tool calls in one turn",
  MAX_RECENT_MESSAGES: "Newest messages that stay as they are",
  MAX_SCHEDULES_PER_USER: "Schedules of one person",
  MAX_UPLOAD_MB: "Largest upload in MB",
  MAX_WEBHOOK_BODY_MB: "Largest webhook in MB",
  MEMORY_MAX_PER_USER: "Memories of one person",
  NOTIFICATION_RETENTION_DAYS: "Days that notifications are kept",
  RATE_LIMIT_PER_MINUTE: "Requests of one caller in a minute",
  SEND_MAIL_TO: "Domains that need no approval",
  SMTP_FROM: "Sender",
  SMTP_SECURE: "SMTP encryption",
  SPECIALIZATION: "Role of the agent",
  STORAGE_QUOTA_GB: "Storage quota in GB",
  SUMMARY_MODEL: "Model that writes summaries",
  TASK_RETENTION_DAYS: "Days that finished tasks are kept",
  TEAM_CHAT_WEBHOOKS_PER_MINUTE: "Requests of the chat platform in a minute",
  WEBHOOK_RETENTION_DAYS: "Days that webhooks are kept",
  WEBHOOK_TASKS_PER_MINUTE: "Tasks of webhooks in a minute",
  WEBHOOK_TRUST_UNSIGNED: "Trust unsigned webhooks"
}

/** The name of a setting as people read it: "SMTP host". */
export const titleOf = (name: string): string => {
  const title = titles[name]
  if (title !== undefined) return title
  const words = name.replace(/<\w+>$/, "").split("_").filter((word) => word !== "").map((word) => word.toLowerCase())
  const text = words.map((word) => capitals.has(word) ? word.toUpperCase() : word).join(" ")
  return text.charAt(0).toUpperCase() + text.slice(1)
}

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
