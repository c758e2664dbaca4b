import type { ToolDefinition } from "./Model.ts"

/** `properties` is demanded by some providers even where it is empty, and `$schema` refused by others. */
export const parametersOf = ({ parameters }: ToolDefinition): Readonly<Record<string, unknown>> => {
  const { $schema: _, ...schema } = parameters
  return { type: "object", properties: {}, ...schema }
}
