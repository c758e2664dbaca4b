import { Schema } from "effect"

/** What a backup or restore did, for `troupe`. */
export const BackupReport = Schema.Struct({
  /** Size of the archive. */
  bytes: Schema.Int,
  /** Rows of the database. */
  rows: Schema.Int,
  files: Schema.Int,
  /** Links, special files and files that could not be read, which no archive contains. */
  left_out: Schema.Array(Schema.String)
})
export type BackupReport = typeof BackupReport.Type

/** Why nothing was done. */
const BackupRefusal = Schema.Struct({ refused: Schema.String })

export const BackupResult = Schema.parseJson(Schema.Union(BackupReport, BackupRefusal))
