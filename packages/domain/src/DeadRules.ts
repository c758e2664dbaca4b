import { Predicate } from "effect"
import { fitsGlob } from "./ArgumentTest.ts"
import type { DeadRule, Rule } from "./Policy.ts"
import { plural } from "./Text.ts"

/** A tool that agents have, by the name that models see, with the JSON schema of its arguments. */
export interface KnownTool {
  readonly name: string
  readonly parameters: unknown
}

/** The rules that are about no known tool, or about arguments that the tools don't have. */
export const deadRules = (
  rules: ReadonlyArray<Pick<Rule, "tool" | "when">>,
  tools: ReadonlyArray<KnownTool>
): ReadonlyArray<DeadRule> =>
  rules.flatMap(({ tool, when }, index) => {
    const matched = tools.filter(({ name }) => fitsGlob(name, tool))
    if (matched.length === 0) return [{ index, reason: `no known tool is named ${tool}` }]
    const pointers = Object.keys(when?.args ?? {})
    const lacking = matched.map(({ parameters }) => pointers.find((pointer) => !hasArgument(parameters, pointer)))
    const [first] = lacking
    if (first === undefined || lacking.includes(undefined)) return []
    const [only, another] = matched
    return [{
      index,
      reason: only !== undefined && another === undefined
        ? `${only.name} has no argument ${first}`
        : `none of the ${plural(matched.length, "tool")} named ${tool} has ${
          pointers.length === 1 ? `an argument ${first}` : "all of these arguments"
        }`
    }]
  })

/** Whether a call may have a value at the pointer. What a schema leaves open counts as there. */
const hasArgument = (schema: unknown, pointer: string): boolean =>
  hasPath(schema, pointer.split("/").slice(1).map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~")))

const hasPath = (schema: unknown, [key, ...rest]: ReadonlyArray<string>): boolean => {
  if (key === undefined || !Predicate.isReadonlyRecord(schema) || "$ref" in schema) return schema !== false
  const { additionalProperties, allOf, anyOf, items, oneOf, patternProperties, prefixItems, properties, type } = schema
  const parts = [allOf, anyOf, oneOf].flatMap((branches) => Array.isArray(branches) ? branches : [])
  if (parts.some((branch) => hasPath(branch, [key, ...rest]))) return true
  if (Predicate.isReadonlyRecord(properties) && Object.hasOwn(properties, key)) return hasPath(properties[key], rest)
  const kinds = Array.isArray(type) ? type : type === undefined ? [] : [type]
  if (kinds.includes("array") || items !== undefined || prefixItems !== undefined) {
    const own: unknown = Array.isArray(prefixItems) ? prefixItems[Number(key)] : undefined
    if (/^\d+$/.test(key) && hasPath(own ?? items ?? true, rest)) return true
  }
  if (kinds.length > 0 && !kinds.includes("object")) return false
  if (patternProperties !== undefined || additionalProperties === true) return true
  if (Predicate.isReadonlyRecord(additionalProperties)) return hasPath(additionalProperties, rest)
  // Most servers don't say that they take no other arguments than those that they list.
  return properties === undefined && additionalProperties !== false && parts.length === 0 && items === undefined
}
