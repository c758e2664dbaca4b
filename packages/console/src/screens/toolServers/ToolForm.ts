import type { FormField, QuestionForm } from "@troupe/client"
import { fieldsOf, type Values } from "../../parts/FormValues.ts"

type Json = Readonly<Record<string, unknown>>

/** The fields of a tool, and the names of those that are typed as JSON. */
export interface ToolForm {
  readonly form: QuestionForm
  readonly asJson: ReadonlySet<string>
}

const isObject = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value)

/** The name of the one field of a tool whose schema names no parameters. */
export const wholeName = "Arguments"

/** The form in the schema of a tool's parameters. What no control is made for is typed as JSON. */
export const toolFormOf = (schema: Json): ToolForm => {
  const properties = isObject(schema["properties"]) ? Object.entries(schema["properties"]) : []
  const required = Array.isArray(schema["required"])
    ? schema["required"].filter((name) => typeof name === "string")
    : []
  if (properties.length === 0 && schema["additionalProperties"] === false) return formWith([], [])
  if (properties.length === 0) return formWith([[wholeName, jsonField({ description: "An object as JSON" })]], [])
  return formWith(
    properties.map(([name, property]) => [name, fieldOf(schema, property, required.includes(name))]),
    required
  )
}

interface Made {
  readonly field: FormField
  readonly isJson: boolean
}

const formWith = (fields: ReadonlyArray<readonly [string, Made]>, required: ReadonlyArray<string>): ToolForm => ({
  form: {
    type: "object",
    properties: Object.fromEntries(fields.map(([name, { field }]) => [name, field])),
    required: [...required]
  },
  asJson: new Set(fields.filter(([, { isJson }]) => isJson).map(([name]) => name))
})

const fieldOf = (root: Json, property: unknown, isRequired: boolean): Made => {
  const schema = simple(root, property)
  const { type } = schema
  const words = wordsOf(schema)
  const values = Array.isArray(schema["enum"]) ? schema["enum"] : "const" in schema ? [schema["const"]] : undefined
  if (values !== undefined) {
    const isText = values.every((value) => typeof value === "string")
    const shown = values.map((value) => isText ? String(value) : JSON.stringify(value))
    const given = isText ? schema["default"] : JSON.stringify(schema["default"])
    return { field: { ...words, ...defaultOf(given), type: "string", enum: shown }, isJson: !isText }
  }
  // An optional box without a default has three states: yes, no and left out.
  if (type === "boolean" && !isRequired && typeof schema["default"] !== "boolean") {
    return { field: { ...words, type: "string", enum: ["true", "false"], enumNames: ["Yes", "No"] }, isJson: true }
  }
  if (type === "string" || type === "number" || type === "integer" || type === "boolean") {
    return { field: { ...words, ...limitsOf(schema), ...defaultOf(schema["default"]), type }, isJson: false }
  }
  return jsonField(schema)
}

const jsonField = (schema: Json): Made => {
  const { description, ...words } = wordsOf(schema)
  return {
    field: {
      ...words,
      ...defaultOf(schema["default"] === undefined ? undefined : JSON.stringify(schema["default"])),
      type: "string",
      description: [description, `JSON, such as ${exampleOf(schema)}`].filter((one) => one !== undefined).join(" · ")
    },
    isJson: true
  }
}

const exampleOf = ({ items, type }: Json): string =>
  type !== "array"
    ? "{\"key\": \"value\"}"
    : isObject(items) && items["type"] === "string"
    ? "[\"a\", \"b\"]"
    : "[1, 2]"

/** The schema that a property means: references of the same document followed, and without the alternative of null. */
const simple = (root: Json, property: unknown, depth = 0): Json => {
  if (!isObject(property) || depth > 8) return {}
  const { $ref, ...others } = property
  if (typeof $ref === "string") return simple(root, { ...targetOf(root, $ref), ...others }, depth + 1)
  for (const kind of ["anyOf", "oneOf", "allOf"]) {
    const given = others[kind]
    const kinds = Array.isArray(given) ? given.filter((one) => !isObject(one) || one["type"] !== "null") : []
    const { [kind]: _, ...rest } = others
    if (kinds.length === 1) return simple(root, { ...(isObject(kinds[0]) ? kinds[0] : {}), ...rest }, depth + 1)
  }
  const types = Array.isArray(others["type"]) ? others["type"].filter((one) => one !== "null") : []
  return types.length === 1 ? { ...others, type: types[0] } : others
}

const targetOf = (root: Json, reference: string): Json => {
  const found = reference.replace(/^#\/?/, "").split("/").reduce<unknown>(
    (value, key) => isObject(value) ? value[key.replaceAll("~1", "/").replaceAll("~0", "~")] : undefined,
    root
  )
  return reference.startsWith("#/") && isObject(found) ? found : {}
}

const text = (value: unknown) => typeof value === "string" && value.trim() !== "" ? value : undefined
const defaultOf = (value: unknown) => value === undefined || value === null ? {} : { default: value }

const wordsOf = (schema: Json): { title?: string; description?: string } => {
  const description = text(schema["description"])
  const title = text(schema["title"])
  return { ...(title === undefined ? {} : { title }), ...(description === undefined ? {} : { description }) }
}

const limitsOf = (schema: Json): Partial<FormField> => {
  const { format, maxLength, maximum, minLength, minimum, pattern } = schema
  return {
    ...(typeof format === "string" ? { format } : {}),
    ...(typeof pattern === "string" ? { pattern } : {}),
    ...(typeof minLength === "number" ? { minLength } : {}),
    ...(typeof maxLength === "number" ? { maxLength } : {}),
    ...(typeof minimum === "number" ? { minimum } : {}),
    ...(typeof maximum === "number" ? { maximum } : {})
  }
}

/** The tool's arguments from the values of the form, or the error of each field whose JSON can't be parsed. */
export const argumentsOf = ({ asJson, form }: ToolForm, values: Values): {
  readonly args: Record<string, unknown>
  readonly mistakes: ReadonlyMap<string, string>
} => {
  const args: Record<string, unknown> = {}
  const mistakes = new Map<string, string>()
  for (const [name, value] of Object.entries(fieldsOf(form, values))) {
    if (!asJson.has(name)) {
      args[name] = value
      continue
    }
    try {
      args[name] = JSON.parse(String(value))
    } catch (cause) {
      mistakes.set(name, `This is not JSON: ${cause instanceof Error ? cause.message : String(cause)}`)
    }
  }
  if (!asJson.has(wholeName) || Object.keys(form.properties).length !== 1) return { args, mistakes }
  const whole = args[wholeName] ?? {}
  if (isObject(whole)) return { args: { ...whole }, mistakes }
  return {
    args: {},
    mistakes: mistakes.size > 0 ? mistakes : new Map([[wholeName, "An object is needed, such as {}"]])
  }
}
