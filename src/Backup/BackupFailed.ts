import { Effect, Schema } from "effect"
import { errorText } from "../Runtime/ErrorText.ts"

/** A backup or restore ended without a result; the message says why and what to do. */
export class BackupFailed extends Schema.TaggedError<BackupFailed>()("BackupFailed", { detail: Schema.String }) {
  override get message() {
    return this.detail
  }
}

export const failed = (detail: string): BackupFailed => new BackupFailed({ detail })

/** What Node's streams, zlib and tar-stream report of content that is cut off or changed. */
const damage = /^(?:Z_|ERR_STREAM_PREMATURE_CLOSE|ERR_PREMATURE_CLOSE)/

const damagedTar = /Unexpected end of data|Invalid tar header|Unsupported type|Premature close/i

export const damaged = (file: string, why: string): BackupFailed =>
  failed(`${file} is damaged, or no archive of troupe backup: ${why}. Nothing was changed. Use another backup.`)

/** A failure while `doing` something with the archive `file`. */
export const backupFailure = (doing: string, file: string) => (cause: unknown): BackupFailed => {
  if (cause instanceof BackupFailed) return cause
  const message = errorText(cause, "message") || String(cause)
  return damage.test(errorText(cause, "code")) || damagedTar.test(message)
    ? damaged(file, message)
    : failed(`${doing} failed: ${message}`)
}

/** Work of Node or the PostgreSQL client. */
export const attempt = <A>(doing: string, work: () => Promise<A>): Effect.Effect<A, BackupFailed> =>
  Effect.tryPromise({ try: work, catch: backupFailure(doing, "The archive") })
