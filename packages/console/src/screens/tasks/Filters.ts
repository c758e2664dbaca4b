import { statusNames } from "../../parts/StatusBadge.tsx"
import { absoluteTime, dayText } from "../../parts/Time.tsx"
import type { TaskFilter } from "../../service/TaskQueries.ts"

/** What is set beside the state and the words, in the order of the filter menu. */
export const filterKeys = [
  "creator",
  "assignee",
  "project_id",
  "agent",
  "source",
  "webhook_type",
  "created_from",
  "created_before",
  "task_type",
  "include_archived"
] as const satisfies ReadonlyArray<keyof TaskFilter>

const names: Readonly<Record<string, string>> = {
  agent: "Agent",
  assignee: "Assignee",
  cancelled: "Cancelled",
  created_before: "Created before",
  created_from: "Created since",
  creator: "Creator",
  include_archived: "Including archived",
  project_id: "Project",
  q: "Words",
  sleeping: "Sleeping",
  source: "Source",
  status: "State",
  task_type: "Kind",
  webhook_type: "Webhook"
}

export const sourceNames = {
  api: "Console or API",
  chat: "Team chat",
  email: "Mail",
  schedule: "Schedule",
  webhook: "Webhook"
} as const

/** Whether a day begins at this time, in the zone of the browser. */
const isMidnight = (at: string): boolean => {
  const time = new Date(at)
  return time.getHours() + time.getMinutes() + time.getSeconds() === 0
}

const valueText = (key: string, value: string): string =>
  key === "created_from" || key === "created_before"
    ? isMidnight(value) ? dayText(value) : absoluteTime(value)
    : key === "source"
    ? Object.entries(sourceNames).find(([source]) => source === value)?.[1] ?? value
    : key === "status"
    ? Object.entries(statusNames).find(([status]) => status === value)?.[1] ?? value
    : value

/** A filter in words: `Creator: ann`. */
export const filterText = (key: string, value: string | boolean | undefined): string =>
  typeof value === "string"
    ? `${names[key] ?? key}: ${valueText(key, value)}`
    : value === false
    ? `Not ${(names[key] ?? key).toLowerCase()}`
    : names[key] ?? key

/** The day of a time, in the zone of the browser. */
export const dayOf = (at: string): Pick<TaskFilter, "created_before" | "created_from"> => {
  const start = new Date(at)
  start.setHours(0, 0, 0, 0)
  const end = new Date(start)
  end.setDate(end.getDate() + 1)
  return { created_from: start.toISOString(), created_before: end.toISOString() }
}

/** The start of the day that was so many days ago. */
export const sinceDays = (days: number): string => {
  const start = new Date()
  start.setHours(0, 0, 0, 0)
  start.setDate(start.getDate() - days)
  return start.toISOString()
}
