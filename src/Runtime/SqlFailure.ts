import type { SqlError } from "@effect/sql/SqlError"
import { Predicate } from "effect"

/** SQLSTATE classes in which the server is unavailable, shutting down or short of resources (PostgreSQL, app. A). */
const unavailableClasses = ["08", "53", "57", "58"]

const sqlState = (error: SqlError): string | null => {
  const { cause } = error
  return Predicate.hasProperty(cause, "code") && typeof cause.code === "string" && /^[0-9A-Z]{5}$/.test(cause.code)
    ? cause.code
    : null
}

/** The server answered and refused the statement; the same statement would be refused again. */
export const isRefusal = (error: SqlError): boolean => {
  const state = sqlState(error)
  return state !== null && !unavailableClasses.includes(state.slice(0, 2)) && !state.startsWith("40")
    && !state.startsWith("55")
}

/** The server is unavailable, restarting, overloaded or did not respond in time; a later attempt may succeed. */
export const isUnavailable = (error: SqlError): boolean => !isRefusal(error)
