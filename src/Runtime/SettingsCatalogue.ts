import { agent, mail, memory, model, skills, toolServers } from "./AgentSettings.ts"
import { core, hosted, storage, telemetry, worker } from "./ServiceSettings.ts"
import type { Setting } from "./Setting.ts"

/** Every setting of the service. `.env.example` is generated from this list, in this order. */
export const sections: ReadonlyArray<{ readonly title: string; readonly settings: ReadonlyArray<Setting<unknown>> }> = [
  { title: "Core", settings: Object.values(core) },
  { title: "Database and files", settings: Object.values(storage) },
  { title: "Language model", settings: Object.values(model) },
  { title: "Agent", settings: Object.values(agent) },
  { title: "Skills", settings: Object.values(skills) },
  { title: "Mail", settings: Object.values(mail) },
  { title: "Tool servers", settings: Object.values(toolServers) },
  { title: "Memory", settings: Object.values(memory) },
  { title: "Workers", settings: Object.values(worker) },
  { title: "Metrics and spans", settings: Object.values(telemetry) },
  { title: "Hosted mode", settings: Object.values(hosted) }
]

export const settingNames: ReadonlySet<string> = new Set(
  sections.flatMap(({ settings }) => settings.map(({ name }) => name))
)
