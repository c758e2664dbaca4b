import type { AgentText } from "@troupe/domain/Agent"
import { fitsGlob } from "@troupe/domain/ArgumentTest"
import { suggestion } from "../../Runtime/NearNames.ts"

type Lists = Pick<AgentText, "disallowed_tools" | "memory" | "tools">

/** The tools by which an agent reads and writes memories. */
const memoryTools = new Set(["memory_save", "memory_search"])

/** Whether the agent has the tool of this name: it is on its list, if there is one, and not excluded. */
export const toolRuleOf = ({ disallowed_tools, memory, tools }: Lists): (name: string) => boolean => {
  const allowed = tools?.map(patternOf)
  const excluded = disallowed_tools.map(patternOf)
  return (name) =>
    (allowed?.some((glob) => fitsGlob(name, glob)) ?? true)
    && !excluded.some((glob) => fitsGlob(name, glob))
    && !(memory === "none" && memoryTools.has(name))
}

/** Says which names of the lists are no tools here; `known` are the names of all tools that there are now. */
export const toolWarnings = (lists: Lists, known: ReadonlyArray<string>): ReadonlyArray<string> => {
  const warnings = [
    ...warningsOf("tools", lists.tools ?? [], known),
    ...warningsOf("disallowedTools", lists.disallowed_tools, known)
  ]
  return lists.tools !== null && lists.tools.length > 0 && !known.some(toolRuleOf(lists))
    ? [...warnings, "tools: none of these is a tool here, so the agent has no tools"]
    : warnings
}

const warningsOf = (field: string, given: ReadonlyArray<string>, known: ReadonlyArray<string>): ReadonlyArray<string> =>
  given.flatMap((name) => {
    const pattern = patternOf(name)
    if (known.some((tool) => fitsGlob(tool, pattern))) return []
    return pattern.includes("*")
      ? [`${field}: ${name} matches no tool that there is now`]
      : [`${field}: there is no tool ${name} here. ${suggestion(pattern, known, "")}`.trimEnd()]
  })

/**
 * A name of a list as a glob over names of tools. Other systems write `Bash(git:*)` for a tool with a rule of its own, and a tool
 * of a server as `mcp__server__tool`, `mcp__server` or `server/tool`.
 */
const patternOf = (given: string): string => {
  const name = (given.split("(", 1)[0] ?? "").trim()
  if (!name.startsWith("mcp__")) return name.replace("/", "__")
  const ofServer = name.slice("mcp__".length)
  return ofServer.includes("__") ? ofServer : `${ofServer}__*`
}
