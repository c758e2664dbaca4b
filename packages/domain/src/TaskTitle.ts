import { shortened } from "./ToolResult.ts"

export const titleOf = (task: { readonly title: string | null; readonly description: string }): string =>
  task.title ?? shortened(task.description.trim().split("\n", 1)[0]?.trim() || "Untitled", 80)
