import { Schema } from "effect"

/** What the next start of a version would do, for `troupe upgrade --check`. */
export const UpgradeReport = Schema.Struct({
  version: Schema.String,
  /** The version that migrated the database last; null: none, or one before 0.2.0. */
  database_version: Schema.NullOr(Schema.String),
  /** The first start creates the database, or its tables. */
  is_new: Schema.Boolean,
  migrations: Schema.Array(Schema.Struct({ id: Schema.Int, name: Schema.String, purpose: Schema.String })),
  /** Where the start saves the database first; null: it does not. */
  backup: Schema.NullOr(Schema.String),
  /** What an operator should look at, though the service starts. */
  warnings: Schema.Array(Schema.String)
})
export type UpgradeReport = typeof UpgradeReport.Type

/** Why the service would not start. */
const UpgradeRefusal = Schema.Struct({ refused: Schema.String })

export const UpgradeResult = Schema.parseJson(Schema.Union(UpgradeReport, UpgradeRefusal))
