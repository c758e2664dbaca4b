/** What a text says as JSON; undefined where it is none. */
export const parsedJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The fields of a text that is a JSON object; of any other, none. */
export const fieldsIn = (text: string): ReadonlyMap<string, unknown> => {
  const value = parsedJson(text)
  return new Map(typeof value === "object" && value !== null ? Object.entries(value) : [])
}
