import { Schema } from "effect"

/** Raised when an older version could not read the archives any more. */
export const format = 1

/** The folders of a service beside its database, as they are called in an archive. */
export const folderNames = ["files", "projects", "skills", "agents"] as const
const FolderName = Schema.Literal(...folderNames)
export type FolderName = typeof FolderName.Type
export type Folders = Readonly<Record<FolderName, string>>

/** A table of the database, and its columns that are stored. */
export const Table = Schema.Struct({ name: Schema.String, columns: Schema.Array(Schema.String) })
export type Table = typeof Table.Type

/** The first entry of an archive. Tables are in the order in which they can be loaded. */
export const Manifest = Schema.Struct({
  format: Schema.Literal(format),
  version: Schema.String,
  created_at: Schema.String,
  migrations: Schema.Array(Schema.Struct({ id: Schema.Int, name: Schema.String })),
  tables: Schema.Array(Table),
  sequences: Schema.Array(Schema.Struct({ name: Schema.String, value: Schema.String, is_called: Schema.Boolean })),
  /** The folders that are in the archive; a restore leaves the others as they are. */
  folders: Schema.optionalWith(Schema.Array(FolderName), { default: () => folderNames })
})
export type Manifest = typeof Manifest.Type

export const ManifestJson = Schema.parseJson(Manifest)

/** Readable in the manifest of any version. */
export const FormatJson = Schema.parseJson(Schema.Struct({ format: Schema.Number, version: Schema.String }))

/** The last entry: what the archive contains, counted while it was written. */
export const Summary = Schema.Struct({
  rows: Schema.Record({ key: Schema.String, value: Schema.Number }),
  files: Schema.Number
})
export type Summary = typeof Summary.Type

export const SummaryJson = Schema.parseJson(Summary)

export const entries = {
  manifest: "manifest.json",
  /** `database/<table>/<number>`: rows in the text format of COPY, whole rows in each part. */
  database: "database",
  summary: "summary.json"
} as const
