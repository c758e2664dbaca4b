import type { TaskStep } from "@troupe/client"

type Via = NonNullable<NonNullable<TaskStep["by"]>["via"]>

/** By which way a person acted. */
export const viaTexts: Readonly<Record<Via, string>> = {
  api: "through the API",
  chat: "in the chat",
  command_line: "on the command line",
  console: "in the console",
  email: "by mail",
  mcp: "through MCP"
}
