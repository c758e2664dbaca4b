import { HttpApiSchema } from "@effect/platform"
import { Context, Effect, Schema } from "effect"

/** The id of the request being answered: the `instance` of every problem, and on every log line. */
export class RequestId extends Context.Reference<RequestId>()("troupe/api/Problem/RequestId", {
  defaultValue: () => ""
}) {}

export const problemMediaType = "application/problem+json"

/** What can be wrong with a request whatever it asks for. Errors of a room have a type of their own. */
const kinds = {
  "invalid-request": { status: 400, title: "The request is not valid" },
  unauthenticated: { status: 401, title: "Sign in first" },
  forbidden: { status: 403, title: "Not allowed" },
  "seat-limit": { status: 403, title: "No seats left" },
  "not-found": { status: 404, title: "Not found" },
  "method-not-allowed": { status: 405, title: "Method not allowed" },
  "request-timeout": { status: 408, title: "The request came too slowly" },
  conflict: { status: 409, title: "The state does not allow it" },
  "too-large": { status: 413, title: "Too large" },
  "quota-exceeded": { status: 413, title: "Storage quota exceeded" },
  "unsupported-media-type": { status: 415, title: "Unsupported content type" },
  "rate-limited": { status: 429, title: "Too many requests" },
  "too-many-streams": { status: 429, title: "Too many event streams" },
  "headers-too-large": { status: 431, title: "Request headers too large" },
  internal: { status: 500, title: "Internal error" },
  unavailable: { status: 503, title: "Temporarily unavailable" }
} as const
export type ProblemKind = keyof typeof kinds

/** One thing that is wrong with the input: a dotted path into the body, or the name of a parameter or header. */
export const FieldError = Schema.Struct({
  path: Schema.String.annotations({
    description: "Dotted path into the body, or the parameter's name; empty: all of it"
  }),
  message: Schema.String.annotations({ description: "What it must look like" })
}).annotations({ identifier: "FieldError" })
export type FieldError = typeof FieldError.Type

const members = {
  type: Schema.String.annotations({ description: "/problems/<slug>: names the kind of problem" }),
  title: Schema.String.annotations({ description: "The kind of problem in a few words" }),
  status: Schema.Int.annotations({ description: "The HTTP status again" }),
  detail: Schema.String.annotations({ description: "What is wrong with this request, and what to do about it" }),
  instance: Schema.String.annotations({ description: "The request's id, as in X-Request-Id" })
}

const errors = Schema.optional(
  Schema.Array(FieldError).annotations({ description: "For invalid input: what is wrong where" })
)

/** The body of every answer from 400 up (RFC 9457). */
export const Problem = Schema.Struct({
  ...members,
  errors: Schema.optional(
    Schema.Array(FieldError).annotations({ description: "For invalid input: what is wrong where" })
  ),
  facts: Schema.optional(Schema.Unknown.annotations({ description: "For some types: the facts behind the detail" }))
}).annotations({ identifier: "Problem" })
export type Problem = typeof Problem.Type

/** A problem without a type of its own in the domain: doors fail or die with it, clients get it back. */
export class ProblemError extends Schema.TaggedError<ProblemError>()("ProblemError", Problem.fields) {
  static of(kind: ProblemKind, detail: string, errors?: ReadonlyArray<FieldError>): ProblemError {
    return new ProblemError({
      type: `/problems/${kind}`,
      ...kinds[kind],
      detail,
      instance: "",
      ...(errors === undefined ? {} : { errors })
    })
  }

  /** Input that doesn't fit; `detail` repeats the first misfit for readers who look no further. */
  static invalid(errors: ReadonlyArray<FieldError>): ProblemError {
    const [first] = errors
    const detail = first === undefined ? "The request is not valid." : `${first.path || "request"}: ${first.message}`
    return ProblemError.of("invalid-request", detail, errors)
  }

  override get message() {
    return this.detail
  }

  /** The body on the wire, as the answer to the request `instance`. */
  body(instance: string): Problem {
    const { detail, errors, status, title, type } = this
    return { type, title, status, detail, instance, ...(errors === undefined ? {} : { errors }) }
  }
}

/**
 * Declares a domain error on an endpoint: it leaves as a problem, with its fields under `facts`, and the derived
 * client gets the error itself back. Handlers map nothing.
 */
export const problem = <A extends { readonly message: string }, I>(
  error: Schema.Schema<A, I>,
  options: {
    readonly slug: string
    readonly status: number
    readonly title: string
    readonly errors?: (error: A) => ReadonlyArray<FieldError>
  }
) => {
  const type = `/problems/${options.slug}` as const
  return Schema.transformOrFail(
    Schema.Struct({
      ...members,
      type: Schema.Literal(type),
      errors,
      facts: error
    }),
    Schema.typeSchema(error),
    {
      strict: true,
      decode: ({ facts }) => Effect.succeed(facts),
      encode: (_, __, ___, facts) =>
        Effect.map(RequestId, (instance) => ({
          type,
          title: options.title,
          status: options.status,
          detail: facts.message,
          instance,
          ...(options.errors === undefined ? {} : { errors: options.errors(facts) }),
          facts
        }))
    }
  ).annotations(HttpApiSchema.annotations({ status: options.status, description: options.title })).pipe(
    HttpApiSchema.withEncoding({ kind: "Json", contentType: problemMediaType })
  )
}
