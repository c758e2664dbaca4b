import { headOf } from "./ToolResult.ts"

/** The title that a task was given, or the first line of its request, cut to a line's length. */
export const titleOf = (task: { readonly title: string | null; readonly description: string }): string => {
  if (task.title !== null) return task.title
  const line = task.description.trim().split("\n", 1)[0]?.trim() ?? ""
  return line.length > 80 ? `${headOf(line, 79)}…` : line === "" ? "Untitled" : line
}
