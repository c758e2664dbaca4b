/** Readers of what an address has after its `?`, which anybody can have typed. */
export const textParam = (value: unknown): string | undefined => {
  const text = typeof value === "number" || typeof value === "boolean" ? String(value) : value
  return typeof text === "string" && text !== "" ? text : undefined
}

/** A day or a time in UTC, as the filters of the API take it. */
export const timeParam = (value: unknown): string | undefined =>
  typeof value === "string" && /^\d{4}-\d\d-\d\d(?:T[\d:.]+Z)?$/.test(value) && !Number.isNaN(Date.parse(value))
    ? value
    : undefined

export const flagParam = (value: unknown): boolean | undefined => value === true || value === "true" ? true : undefined

export const switchParam = (value: unknown): boolean | undefined =>
  flagParam(value) ?? (value === false || value === "false" ? false : undefined)

export const numberParam = (value: unknown): number | undefined => {
  const number = Number(value)
  return value !== "" && Number.isSafeInteger(number) && number >= 0 ? number : undefined
}

export const oneOf = <const A extends string>(names: ReadonlyArray<A>) => (value: unknown): A | undefined =>
  names.find((name) => name === value)

/** Without the parameters that are not given. */
export const defined = <A extends object>(params: A): { [K in keyof A]?: Exclude<A[K], undefined> } =>
  Object.assign(
    {},
    ...Object.entries(params).filter(([, value]) => value !== undefined).map(([key, value]) => ({ [key]: value }))
  )
