import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import { Context, Effect, flow, Schema, SchemaAST, String } from "effect"

/** The id of the current request: the `instance` of every problem, and on every log line. */
export class RequestId extends Context.Reference<RequestId>()("troupe/api/Problem/RequestId", {
  defaultValue: () => ""
}) {}

export const problemMediaType = "application/problem+json"

/** Problems that any request may have. Domain errors have types of their own. */
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
  "range-not-satisfiable": { status: 416, title: "The file has no such range" },
  "rate-limited": { status: 429, title: "Too many requests" },
  "too-many-streams": { status: 429, title: "Too many event streams" },
  "too-many-uploads": { status: 429, title: "Too many uploads" },
  "headers-too-large": { status: 431, title: "Request headers too large" },
  internal: { status: 500, title: "Internal error" },
  unavailable: { status: 503, title: "Temporarily unavailable" }
} as const
export type ProblemKind = keyof typeof kinds

/** A mistake in the input. */
export const FieldError = Schema.Struct({
  path: Schema.String.annotations({
    description: "Dotted path into the body, or the name of a parameter or header; empty: the whole body"
  }),
  message: Schema.String.annotations({ description: "What is expected" })
}).annotations({ identifier: "FieldError" })
export type FieldError = typeof FieldError.Type

const members = {
  type: Schema.String.annotations({ description: "/problems/<slug>: the kind of problem" }),
  title: Schema.String.annotations({ description: "The kind of problem in a few words" }),
  status: Schema.Int.annotations({ description: "The HTTP status" }),
  detail: Schema.String.annotations({ description: "What is wrong with this request, and what to do about it" }),
  instance: Schema.String.annotations({ description: "The request's id, as in X-Request-Id" })
}

const errors = Schema.optional(
  Schema.Array(FieldError).annotations({ description: "For invalid input: what is wrong where" })
)

/** The body of every response with status 400 or above (RFC 9457). */
export const Problem = Schema.Struct({
  ...members,
  errors,
  facts: Schema.optional(Schema.Unknown.annotations({ description: "For some types: the facts behind the detail" }))
}).annotations({ identifier: "Problem" })
export type Problem = typeof Problem.Type

/** A problem without a domain error. Handlers fail or die with it, and clients receive it. */
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

  /** Invalid input; `detail` repeats the first mistake. */
  static invalid(errors: ReadonlyArray<FieldError>): ProblemError {
    const [first] = errors
    const detail = first === undefined ? "The request is not valid." : `${first.path || "request"}: ${first.message}`
    return ProblemError.of("invalid-request", detail, errors)
  }

  override get message() {
    return this.detail
  }

  /** The response body for the request `instance`. */
  body(instance: string): Problem {
    const { detail, errors, status, title, type } = this
    return { type, title, status, detail, instance, ...(errors === undefined ? {} : { errors }) }
  }
}

/** The slug of a kind of problem: the error's tag in kebab case, where the contract does not name another. */
const slugOf = flow(String.pascalToSnake, String.snakeToKebab)

/** An error's fields as readers of the interface see them: `type` already names the error, `_tag` is ours. */
const withoutTag = <A, I>(error: Schema.Schema<A, I> & { readonly _tag: string }) =>
  Schema.make<Omit<I, "_tag">>(SchemaAST.omit(SchemaAST.encodedBoundAST(error.ast), ["_tag"])).pipe(
    Schema.attachPropertySignature("_tag", error._tag),
    (fields) => Schema.compose(fields, error, { strict: false })
  )

/**
 * Declares a domain error on an endpoint: the response is a problem with the error's fields under `facts`, and the derived
 * client fails with the error itself. Handlers map nothing.
 */
export const problem = <A extends { readonly message: string }, I>(
  error: Schema.Schema<A, I> & { readonly _tag: string },
  status: number,
  title: string,
  { errorsOf, slug = slugOf(error._tag) }: {
    readonly slug?: string
    readonly errorsOf?: (error: A) => ReadonlyArray<FieldError>
  } = {}
) => {
  const type = `/problems/${slug}` as const
  const identifier = `${slug.split("-").map(String.capitalize).join("")}Problem`
  return Schema.transformOrFail(
    Schema.Struct({
      ...members,
      type: Schema.Literal(type),
      errors,
      facts: withoutTag(error)
    }),
    Schema.typeSchema(error),
    {
      strict: true,
      decode: ({ facts }) => Effect.succeed(facts),
      encode: (_, __, ___, facts) =>
        Effect.map(RequestId, (instance) => ({
          type,
          title,
          status,
          detail: facts.message,
          instance,
          ...(errorsOf === undefined ? {} : { errors: errorsOf(facts) }),
          facts
        }))
    }
  ).annotations(HttpApiSchema.annotations({ status, description: title })).pipe(
    HttpApiSchema.withEncoding({ kind: "Json", contentType: problemMediaType }),
    // Last, because each of the others removes it.
    Schema.annotations({ identifier })
  )
}
