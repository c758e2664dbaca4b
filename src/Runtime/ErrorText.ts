import { Predicate } from "effect"

/** A text that Node, a driver or a library has added to an error, such as its `message`; empty: there is none. */
export const errorText = (cause: unknown, field: string): string =>
  Predicate.hasProperty(cause, field) && typeof cause[field] === "string" ? cause[field] : ""

/** Such as `ECONNREFUSED`, or a status of HTTP, which is a number. */
export const errorCode = (cause: unknown): string =>
  Predicate.hasProperty(cause, "code") && typeof cause.code === "number" ? String(cause.code) : errorText(cause, "code")
