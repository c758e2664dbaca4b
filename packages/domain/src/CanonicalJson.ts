const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** One text for equal JSON values. */
export const canonicalJson = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) =>
    isObject(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([one], [other]) => (one < other ? -1 : 1)))
      : part) ?? "null"

/** Whether two JSON values are equal; the order of fields does not count. */
export const isSameJson = (one: unknown, other: unknown): boolean => canonicalJson(one) === canonicalJson(other)
