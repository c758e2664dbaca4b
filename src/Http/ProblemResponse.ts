import * as HttpApiError from "@effect/platform/HttpApiError"
import type * as HttpApp from "@effect/platform/HttpApp"
import * as HttpServerError from "@effect/platform/HttpServerError"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { SqlError } from "@effect/sql/SqlError"
import { type FieldError, ProblemError, problemMediaType, RequestId } from "@troupe/api/Problem"
import { Array, Cause, Duration, Effect, Option } from "effect"
import { connectionWait, isNoneFree } from "../Runtime/Database/Connections.ts"
import { isUnavailable } from "../Runtime/Database/Sql.ts"

export const problemResponse = (
  error: ProblemError,
  requestId: string,
  headers: Readonly<Record<string, string>> = {}
): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.unsafeJson(error.body(requestId), {
    status: error.status,
    contentType: problemMediaType,
    headers
  })

/** A mistake in the body, or in what `path` names. */
export const invalid = (message: string, path = ""): ProblemError => ProblemError.invalid([{ path, message }])

export const nothingHere = ProblemError.of("not-found", "There is nothing at this path.")

/** The alternative "absent" of an optional field does not help a sender of a wrong value. */
const isAbsence = (message: string) => /^Expected (?:undefined|null), actual /.test(message)

/** Every body is an object; a schema that gets something else shows its name. */
const plain = (message: string, path: ReadonlyArray<PropertyKey>) =>
  path.length === 0 && message.startsWith("Expected ") ? "a JSON object" : message

export const invalidInput = (issues: HttpApiError.HttpApiDecodeError["issues"]): ProblemError => {
  const errors = issues.map(({ message, path }) => ({
    path: path.map(String).join("."),
    message: plain(message, path)
  }))
  const relevant = errors.filter(({ message, path }) =>
    !isAbsence(message)
    || !errors.some((other) => `${other.path}.`.startsWith(`${path}.`) && !isAbsence(other.message))
  )
  const distinct = Array.dedupeWith(relevant, (a, b) => a.path === b.path && a.message === b.message)
  return ProblemError.invalid(Object.values(Array.groupBy(distinct, ({ path }) => path)).flatMap(merged))
}

const merged = (errors: Array.NonEmptyReadonlyArray<FieldError>): ReadonlyArray<FieldError> => {
  const expectations = errors.map(({ message }) => /^Expected (.+), actual .+$/s.exec(message))
  const wanted = expectations.flatMap((found) => found?.[1] ?? [])
  return errors.length === 1 || wanted.length < errors.length
    ? errors
    : [{ path: errors[0].path, message: `one of ${wanted.join(", ")}` }]
}

/** Input that does not fit an endpoint's schema, answered before the endpoint's error encoding. */
export const respondToInvalid = <E, R>(app: HttpApp.Default<E, R>): HttpApp.Default<E, R> =>
  Effect.catchAllCause(app, (cause) => {
    const error = Cause.squash(cause)
    return error instanceof HttpApiError.HttpApiDecodeError
      ? Effect.map(RequestId, (id) => problemResponse(invalidInput(error.issues), id))
      : Effect.failCause(cause)
  })

const outage = "The database does not respond; nothing that was acknowledged is lost."
const overload = `The service is busy: no database connection became free within ${Duration.format(connectionWait)}.`

/** A statement without an answer may have been committed, so the text does not say that a write failed. */
const unavailableBecause = (reason: string) => {
  const read = ProblemError.of("unavailable", reason)
  const write = ProblemError.of(
    "unavailable",
    `${reason} It is not known whether this request took effect: check before you repeat it. `
      + "POST /chat can be repeated at once with the same Idempotency-Key, and makes one task."
  )
  return (method: string) => method === "GET" || method === "HEAD" ? read : write
}

export const unavailableFor = unavailableBecause(outage)
const overloadedFor = unavailableBecause(overload)

export const unavailableResponse = (method: string): Effect.Effect<HttpServerResponse.HttpServerResponse> =>
  Effect.flatMap(RequestId, (id) =>
    Effect.as(
      Effect.logWarning("Database did not respond; the request was answered with 503"),
      problemResponse(unavailableFor(method), id)
    ))

const broken = ProblemError.of(
  "internal",
  "The service failed to process the request. Its log has the cause under this request's id."
)

const unavailability = (defect: unknown): Option.Option<SqlError> =>
  defect instanceof SqlError && isUnavailable(defect) ? Option.some(defect) : Option.none()

/** Only a declared problem shows its text; every other failure is logged. */
export const problemOf = (cause: Cause.Cause<unknown>, method: string): Effect.Effect<ProblemError> => {
  const error = Cause.squash(cause)
  if (error instanceof ProblemError) return Effect.succeed(error)
  const found = Option.orElse(unavailability(error), () => Array.findFirst(Cause.defects(cause), unavailability))
  if (Option.isSome(found)) {
    return isNoneFree(found.value.cause)
      ? Effect.as(
        Effect.logWarning("No database connection became free in time; the request was answered with 503"),
        overloadedFor(method)
      )
      : Effect.as(
        Effect.logWarning("Database unavailable; the request was answered with 503", cause),
        unavailableFor(method)
      )
  }
  return Effect.as(Effect.logError("Request failed with a defect and was answered with 500", cause), broken)
}

/** The answer to a failure that no endpoint declares. `unrouted` answers for unknown paths and methods. */
export const responseToCause = (
  cause: Cause.Cause<unknown>,
  method: string,
  unrouted: Effect.Effect<HttpServerResponse.HttpServerResponse>
): Effect.Effect<HttpServerResponse.HttpServerResponse> =>
  Cause.squash(cause) instanceof HttpServerError.RouteNotFound
    ? unrouted
    : Effect.zipWith(problemOf(cause, method), RequestId, problemResponse)
