import type { FieldError } from "@troupe/api/Problem"

/** PostgreSQL's text can contain neither NUL nor half of a surrogate pair; each becomes a replacement character. */
export const storable = (text: string): string => text.replace(/[\0\p{Surrogate}]/gu, "\uFFFD")

export const storableOrNull = (text: string | null): string | null => text === null ? null : storable(text)

/** The JSON of a value whose texts, not its keys, may come from outside. */
export const toStorableJson = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) => (typeof inner === "string" ? storable(inner) : inner))

const fault = (text: string): string | null =>
  text.includes("\0")
    ? "must not contain NUL characters"
    : /\p{Surrogate}/u.test(text)
    ? "must not contain half of a surrogate pair: that is not UTF-8"
    : null

/** The path of a text that UTF-8 or PostgreSQL can't store. The depth is already limited. */
export const unstorableText = (value: unknown, path = ""): ReadonlyArray<FieldError> => {
  if (typeof value === "string") {
    const message = fault(value)
    return message === null ? [] : [{ path, message }]
  }
  if (typeof value !== "object" || value === null) return []
  const under = (key: string) => path === "" ? key : `${path}.${key}`
  return Object.entries(value).flatMap(([key, inner]) => {
    const message = fault(key)
    return message === null ? unstorableText(inner, under(key)) : [{ path, message: `a field's name ${message}` }]
  })
}
