import type { ToolDefinition, ToolSet } from "./Model.ts"

/** The JSON of tool sets in one dialect, made once a set and kept as long as the set lives. */
export const makeToolJson = (one: (tool: ToolDefinition) => unknown): (set: ToolSet) => string => {
  const made = new WeakMap<ToolSet, string>()
  return (set) => {
    const known = made.get(set)
    if (known !== undefined) return known
    const json = JSON.stringify(set.tools.map(one))
    made.set(set, json)
    return json
  }
}

/** `properties` is demanded by some providers even where it is empty, and `$schema` refused by others. */
export const parametersOf = ({ parameters }: ToolDefinition): Readonly<Record<string, unknown>> => {
  const { $schema: _, ...schema } = parameters
  return { type: "object", properties: {}, ...schema }
}
