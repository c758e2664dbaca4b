import { Predicate } from "effect"

/** A text that Node, a driver or a library has added to an error, such as its `code`; empty: there is none. */
export const errorText = (cause: unknown, field: string): string =>
  Predicate.hasProperty(cause, field) && typeof cause[field] === "string" ? cause[field] : ""

/** Such as `ECONNREFUSED`. */
export const errorCode = (cause: unknown): string => errorText(cause, "code")
