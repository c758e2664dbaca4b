import type { Setting, SettingsTestRequest } from "@troupe/client"

/** Settings that are changed, tested and saved together. */
export interface SettingGroup {
  readonly title: string
  readonly settings: ReadonlyArray<Setting>
  /** What a test of them tries. */
  readonly test?: SettingsTestRequest["section"]
}

export type GroupedView = "chat" | "mail" | "webhooks" | "limits" | "notifications" | "storage" | "other"

/** What a person is told, and how long it is kept. */
const notifications: ReadonlyArray<string> = ["DAILY_DIGEST", "NOTIFICATION_RETENTION_DAYS"]

/** Settings that limit something, of any section. */
const limits: Readonly<Record<string, ReadonlyArray<string>>> = {
  "Model calls of a task": [
    "AGENT_SOFT_ITERATIONS",
    "AGENT_HARD_ITERATIONS",
    "AGENT_RECURSION_LIMIT",
    "AGENT_MAX_ITERATIONS",
    "AGENT_STEP_TIMEOUT",
    "SUBAGENT_STEP_TIMEOUT"
  ],
  Budget: ["MAX_COST_PER_DAY"],
  Quotas: ["STORAGE_QUOTA_GB", "MAX_UPLOAD_MB", "MEMORY_MAX_PER_USER", "MAX_SCHEDULES_PER_USER"],
  "Incoming requests": [
    "INBOX_MAX_PER_SENDER",
    "INBOX_MAX_UNKNOWN",
    "INBOX_MAX_PER_HOUR",
    "CHAT_TASKS_PER_MINUTE",
    "CHAT_TASKS_PER_HOUR",
    "WEBHOOK_TASKS_PER_MINUTE",
    "TEAM_CHAT_WEBHOOKS_PER_MINUTE",
    "RATE_LIMIT_PER_MINUTE"
  ]
}

const limiting = new Set(Object.values(limits).flat())

const others: Readonly<Record<string, ReadonlyArray<Setting["section"]>>> = {
  Agent: ["agent", "agent-files"],
  Skills: ["skills"],
  Memory: ["memory"],
  "Tool servers": ["tool-servers"],
  Schedules: ["schedules"],
  Service: ["core", "workers"],
  "Metrics and spans": ["telemetry"],
  "Hosted mode": ["hosted"]
}

/** What a webhook type has is changed with the type. */
const isOfWebhookType = (name: string) => /^WEBHOOK_(?:SECRET|TRUSTED|AGENT|SCHEME)_/.test(name)

/** The settings of a view, in groups. The registry of models has a screen of its own. */
export const groupsIn = (view: GroupedView, all: ReadonlyArray<Setting>): ReadonlyArray<SettingGroup> => {
  const inSections = (...sections: ReadonlyArray<Setting["section"]>) =>
    all.filter(({ name, section }) => sections.includes(section) && !limiting.has(name) && !isOfWebhookType(name))
  switch (view) {
    case "chat":
      return [{ title: "Team chat", settings: inSections("chat"), test: "chat" }]
    case "mail":
      return [
        { title: "Sending mail", settings: inSections("smtp"), test: "smtp" },
        { title: "Receiving mail", settings: inSections("imap"), test: "imap" }
      ]
    case "webhooks":
      return [{ title: "All webhooks", settings: inSections("webhooks") }]
    case "limits":
      return Object.entries(limits).map(([title, names]) => ({
        title,
        settings: names.flatMap((name) => all.filter((one) => one.name === name))
      }))
    case "notifications":
      return [{ title: "Notifications", settings: all.filter(({ name }) => notifications.includes(name)) }]
    case "storage":
      return [{
        title: "Database and files",
        settings: all.filter(({ name, section }) => section === "storage" && !notifications.includes(name)),
        test: "storage"
      }]
    case "other":
      return Object.entries(others).map(([title, sections]) => ({ title, settings: inSections(...sections) }))
  }
}
