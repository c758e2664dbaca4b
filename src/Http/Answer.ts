import { HttpApiError, type HttpApp, HttpServerError, HttpServerResponse } from "@effect/platform"
import { SqlError } from "@effect/sql/SqlError"
import { type FieldError, ProblemError, problemMediaType, RequestId } from "@troupe/api/Problem"
import { Array, Cause, Chunk, Effect } from "effect"
import { isUnavailable } from "../Runtime/SqlFailure.ts"

/** A problem as the answer to the request `requestId`. */
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

/** An optional field may also be absent: of no help to whoever sent something else. */
const isAbsence = (message: string) => /^Expected (?:undefined|null), actual /.test(message)

const invalid = ({ issues }: HttpApiError.HttpApiDecodeError) => {
  const errors = issues.map(({ message, path }) => ({ path: path.map(String).join("."), message }))
  const telling = errors.filter(({ message, path }) =>
    !isAbsence(message)
    || !errors.some((other) => `${other.path}.`.startsWith(`${path}.`) && !isAbsence(other.message))
  )
  const apart = Array.dedupeWith(telling, (a, b) => a.path === b.path && a.message === b.message)
  return ProblemError.invalid(Object.values(Array.groupBy(apart, ({ path }) => path)).flatMap(inOne))
}

/** What one place may hold is said in one error: a union has one for each of its members. */
const inOne = (errors: Array.NonEmptyReadonlyArray<FieldError>): ReadonlyArray<FieldError> => {
  const expectations = errors.map(({ message }) => /^Expected (.+), (actual .+)$/s.exec(message))
  const wanted = expectations.flatMap((found) => found?.[1] ?? [])
  const actual = expectations[0]?.[2]
  return errors.length === 1 || actual === undefined || wanted.length < errors.length
    ? errors
    : [{ path: errors[0].path, message: `Expected one of ${wanted.join(", ")}, ${actual}` }]
}

/** Input that no endpoint's schema takes is answered before the derived error encoding sees it. */
export const answerInvalid = <E, R>(app: HttpApp.Default<E, R>): HttpApp.Default<E, R> =>
  Effect.catchAllCause(app, (cause) => {
    const error = Cause.squash(cause)
    return error instanceof HttpApiError.HttpApiDecodeError
      ? Effect.map(RequestId, (id) => problemResponse(invalid(error), id))
      : Effect.failCause(cause)
  })

const promise = "The database is not answering; nothing that was acknowledged is lost."
const away = ProblemError.of("unavailable", promise)
const awayFromWrite = ProblemError.of(
  "unavailable",
  `${promise} Whether this request took effect is not known: look before you repeat it. `
    + "POST /chat can be repeated at once with the same Idempotency-Key, and makes one task."
)

/** A statement that got no answer may have been committed, so a request that writes is not said to have failed. */
const awayFrom = (method: string) => method === "GET" || method === "HEAD" ? away : awayFromWrite

/** The answer to a request that waits for a database which does not answer. */
export const answerAway = (method: string): Effect.Effect<HttpServerResponse.HttpServerResponse> =>
  Effect.flatMap(RequestId, (id) =>
    Effect.as(
      Effect.logWarning("Database did not respond; the request was answered with 503"),
      problemResponse(awayFrom(method), id)
    ))

const broken = ProblemError.of("internal", "Something went wrong here. The log tells more under this request's id.")

const isAway = (defect: unknown) => defect instanceof SqlError && isUnavailable(defect)

/**
 * The answer to what a request died of and no endpoint declared. Only problems speak; everything else is logged, and
 * nothing of it leaves. `unrouted` answers for paths and methods that are not there.
 */
export const answerCause = (
  cause: Cause.Cause<unknown>,
  method: string,
  unrouted: Effect.Effect<HttpServerResponse.HttpServerResponse>
): Effect.Effect<HttpServerResponse.HttpServerResponse> =>
  Effect.flatMap(RequestId, (id) => {
    const error = Cause.squash(cause)
    if (error instanceof ProblemError) return Effect.succeed(problemResponse(error, id))
    if (error instanceof HttpServerError.RouteNotFound) return unrouted
    if (isAway(error) || Chunk.some(Cause.defects(cause), isAway)) {
      return Effect.logWarning("The database is away", cause).pipe(
        Effect.as(problemResponse(awayFrom(method), id))
      )
    }
    return Effect.logError("A request ended in a defect", cause).pipe(Effect.as(problemResponse(broken, id)))
  })
