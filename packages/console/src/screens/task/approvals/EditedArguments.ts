import { textOf } from "./ApprovalText.ts"

/** What is typed for the arguments of a call, by their names. */
export type Typed = ReadonlyMap<string, string>

export interface Edited {
  /** Null: nothing differs from what was asked. */
  readonly arguments: Readonly<Record<string, unknown>> | null
  /** By the name of the argument. */
  readonly errors: ReadonlyMap<string, string>
}

/** An argument that was a text stays one; any other is JSON, and left out where its field is empty. */
export const editedOf = (given: Readonly<Record<string, unknown>>, typed: Typed): Edited => {
  const errors = new Map<string, string>()
  let isChanged = false
  const edited = Object.entries(given).flatMap(([name, before]): ReadonlyArray<readonly [string, unknown]> => {
    const text = typed.get(name)
    if (text === undefined || text === textOf(before)) return [[name, before]]
    isChanged = true
    if (typeof before === "string") return [[name, text]]
    if (text.trim() === "") return []
    try {
      return [[name, JSON.parse(text)]]
    } catch {
      errors.set(name, "This is no JSON.")
      return [[name, before]]
    }
  })
  return { arguments: isChanged ? Object.fromEntries(edited) : null, errors }
}
