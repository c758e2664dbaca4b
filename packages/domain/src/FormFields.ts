import { Either, Predicate } from "effect"
import { type Fields, type FormField, isFieldValue, onlyField, optionsOf, type QuestionForm } from "./QuestionForm.ts"

export interface FieldFault {
  readonly field: string
  readonly message: string
}

/** The fields with the defaults of those left out, or what does not fit the form. */
export const fitting = (
  form: QuestionForm,
  given: Readonly<Record<string, unknown>>
): Either.Either<Fields, ReadonlyArray<FieldFault>> => {
  const filled: Record<string, Fields[string]> = {}
  const faults: Array<FieldFault> = []
  for (const [name, field] of Object.entries(form.properties)) {
    const value = Object.hasOwn(given, name) ? given[name] : field.default
    if (value === undefined || value === null) {
      if (form.required.includes(name)) faults.push({ field: name, message: "is required" })
      continue
    }
    const fault = faultOf(field, value)
    if (fault !== null) faults.push({ field: name, message: fault })
    else if (isFieldValue(value)) filled[name] = value
  }
  for (const name of Object.keys(given)) {
    if (!Object.hasOwn(form.properties, name)) faults.push({ field: name, message: "is no field of the form" })
  }
  return faults.length === 0 ? Either.right(filled) : Either.left(faults)
}

const faultOf = (field: FormField, value: unknown): string | null => {
  switch (field.type) {
    case "string":
      return Predicate.isString(value) ? faultOfText(field, value) : "must be a text"
    case "boolean":
      return Predicate.isBoolean(value) ? null : "must be true or false"
    case "array":
      return Array.isArray(value) ? faultOfList(field, value) : "must be a list"
    default:
      return faultOfNumber(field, value)
  }
}

const faultOfText = (field: FormField, text: string): string | null => {
  const options = optionsOf(field)
  if (options !== null) return options.some(({ value }) => value === text) ? null : oneOf(options)
  const { format, maxLength = Infinity, minLength = 0 } = field
  const length = Array.from(text).length
  if (length < minLength) return `must have at least ${minLength} characters`
  if (length > Math.min(maxLength, maxText)) return `must have at most ${Math.min(maxLength, maxText)} characters`
  const known = format === undefined ? undefined : formats[format]
  return known === undefined || known.fits(text) ? null : known.message
}

const maxText = 20_000

const oneOf = (options: NonNullable<ReturnType<typeof optionsOf>>): string =>
  `must be one of ${options.map(({ value }) => JSON.stringify(value)).join(", ").slice(0, 500)}`

const faultOfList = (field: FormField, list: ReadonlyArray<unknown>): string | null => {
  const options = optionsOf(field) ?? []
  const { maxItems = Infinity, minItems = 0 } = field
  if (!list.every((item) => options.some(({ value }) => value === item))) return `each ${oneOf(options)}`
  if (new Set(list).size < list.length) return "must not have a value twice"
  if (list.length < minItems) return `must have at least ${minItems} values`
  return list.length > maxItems ? `must have at most ${maxItems} values` : null
}

const faultOfNumber = ({ maximum = Infinity, minimum = -Infinity, type }: FormField, value: unknown): string | null => {
  if (!Predicate.isNumber(value) || !Number.isFinite(value)) return "must be a number"
  if (type === "integer" && !Number.isInteger(value)) return "must be a whole number"
  if (value < minimum) return `must be at least ${minimum}`
  return value > maximum ? `must be at most ${maximum}` : null
}

const dayPattern = /^(\d{4})-(\d\d)-(\d\d)$/
const timePattern = /^([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d{1,9})?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/i

const isDay = (text: string): boolean => {
  const [, year = "", month = "", day = ""] = dayPattern.exec(text) ?? []
  const inMonth = [31, isLeap(Number(year)) ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][Number(month) - 1] ?? 0
  return year !== "" && Number(day) >= 1 && Number(day) <= inMonth
}

const isLeap = (year: number): boolean => year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)

const formats: Readonly<Record<string, { readonly fits: (text: string) => boolean; readonly message: string }>> = {
  email: {
    fits: (text) => text.length <= 320 && /^[^\s@]+@[^\s@.]+(\.[^\s@.]+)*$/.test(text),
    message: "must be a mail address, such as name@example.com"
  },
  uri: { fits: (text) => URL.canParse(text), message: "must be an address, such as https://example.com" },
  date: { fits: isDay, message: "must be a date, such as 2026-11-28" },
  "date-time": {
    fits: (text) => isDay(text.slice(0, 10)) && /[Tt ]/.test(text.charAt(10)) && timePattern.test(text.slice(11)),
    message: "must be a date and time with a zone, such as 2026-11-28T09:30:00Z"
  }
}

/** An answer in words as the only field of the form; null where a form has several. */
export const fieldsIn = (form: QuestionForm, text: string): Fields | null => {
  const only = onlyField(form)
  if (only === null) return null
  const [name, field] = only
  return { [name]: valueIn(field, text.trim()) }
}

const valueIn = (field: FormField, text: string): Fields[string] => {
  const options = optionsOf(field)
  const chosen = (words: string): string => {
    const said = words.trim().toLowerCase()
    return options?.find(({ label, value }) => [label, value].some((one) => one.trim().toLowerCase() === said))?.value
      ?? words
  }
  switch (field.type) {
    case "boolean":
      return /^(?:yes|y|true|on)$/i.test(text) ? true : /^(?:no|n|false|off)$/i.test(text) ? false : text
    case "number":
    case "integer":
      return text === "" ? text : Number(text)
    case "array":
      return text.split(",").map((word) => chosen(word.trim()))
    default:
      return options === null ? text : chosen(text)
  }
}

/** What can be chosen with one word, where the form is one choice or one yes or no. */
export const formChoices = (form: QuestionForm): ReadonlyArray<string> => {
  const only = onlyField(form)
  if (only === null) return []
  const [, field] = only
  if (field.type === "boolean") return ["Yes", "No"]
  const options = field.type === "string" ? optionsOf(field) ?? [] : []
  const labels = options.map(({ label }) => label)
  return labels.length <= maxButtons && !labels.some((label) => /^\s*(?:decline|cancel)\s*$/i.test(label)) ? labels : []
}

const maxButtons = 10
