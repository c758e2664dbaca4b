import type { FormField, QuestionForm } from "@troupe/client"

/** What is in the controls: texts as they were typed, the choices of a list, and whether a box is checked. */
export type Values = Readonly<Record<string, string | boolean | ReadonlyArray<string>>>

export interface Choice {
  readonly value: string
  readonly label: string
}

/** The values of a field that has a list of them, else undefined. */
export const choicesIn = ({ enum: values, enumNames, items, oneOf }: FormField): ReadonlyArray<Choice> | undefined => {
  const labelled = oneOf ?? items?.anyOf ?? items?.oneOf
  if (labelled !== undefined) return labelled.map((one) => ({ value: one.const, label: one.title ?? one.const }))
  return (values ?? items?.enum)?.map((value, index) => ({ value, label: enumNames?.[index] ?? value }))
}

const initial = (field: FormField): Values[string] => {
  const given = field.default
  if (field.type === "boolean") return given === true
  if (field.type === "array") return Array.isArray(given) ? given.map(String) : []
  return given === undefined || given === null ? "" : String(given)
}

export const initialValues = ({ properties }: QuestionForm): Values =>
  Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, initial(field)]))

/** The fields as the service takes them; what is empty is left out. */
export const fieldsOf = ({ properties, required }: QuestionForm, values: Values): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(properties).flatMap(([name, { type }]): ReadonlyArray<readonly [string, unknown]> => {
      const value = values[name]
      if (value === undefined || value === "") return []
      if (Array.isArray(value) && value.length === 0 && !required.includes(name)) return []
      return [[name, (type === "number" || type === "integer") && !Number.isNaN(Number(value)) ? Number(value) : value]]
    })
  )

/** What the control of a text takes. */
export const inputTypeOf = ({ format, type }: FormField): string => {
  if (type === "number" || type === "integer") return "number"
  return { email: "email", uri: "url", date: "date" }[format ?? ""] ?? "text"
}

/** What a person has to know of a value, in words. */
export const hintOf = (
  { description, format, maxItems, maximum, maxLength, minimum, minItems, minLength, pattern }: FormField
) => {
  const range = (low: number | undefined, high: number | undefined, unit: string) =>
    low !== undefined && high !== undefined ?
      `${low} to ${high}${unit}`
      : low !== undefined ?
      `at least ${low}${unit}`
      : high !== undefined ?
      `at most ${high}${unit}`
      : undefined
  const hints = [
    description,
    range(minimum, maximum, ""),
    range(minLength, maxLength, " characters"),
    range(minItems, maxItems, " choices"),
    format === "date-time" ? "Date and time with a zone, such as 2026-11-28T09:30:00Z" : undefined,
    pattern === undefined ? undefined : `Must match ${pattern}`
  ].filter((hint) => hint !== undefined && hint !== "")
  return hints.length === 0 ? undefined : hints.join(" · ")
}
