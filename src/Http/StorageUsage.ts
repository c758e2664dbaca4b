import { SqlClient } from "@effect/sql/SqlClient"
import { StorageReport } from "@troupe/api/SystemReports"
import { Context, Effect, Layer } from "effect"
import { diskUsage } from "../File/DiskUsage.ts"
import { asService } from "../Runtime/Database/Isolation.ts"
import { rowsOf, theRow } from "../Runtime/Database/Query.ts"
import { timestamp } from "../Runtime/Database/TimestampColumn.ts"
import { sharedCheck } from "./SharedCheck.ts"

/** What the service stores. */
export class StorageUsage extends Context.Tag("troupe/Http/StorageUsage")<StorageUsage, {
  readonly report: Effect.Effect<StorageReport>
}>() {
  static readonly layer = (
    options: { readonly path: string; readonly retentionDays: number }
  ): Layer.Layer<StorageUsage, never, SqlClient> =>
    Layer.effect(
      this,
      Effect.gen(function*() {
        const sql = yield* SqlClient
        const files = yield* sharedCheck(diskUsage(options.path), "5 minutes")
        return StorageUsage.of({
          report: asService(
            Effect.all({
              database: theRow(totals(sql.unsafe(total))),
              tables: tables(sql.unsafe(sizes)),
              files
            }, { concurrency: 2 })
          ).pipe(
            Effect.map(({ database, files, tables }) => ({
              ...database,
              tables,
              files_bytes: files.bytes,
              retention_days: options.retentionDays
            })),
            Effect.withSpan("StorageUsage.report")
          )
        })
      })
    )
}

const totals = rowsOf(StorageReport.pick("database_bytes", "oldest_task"))
const tables = rowsOf(StorageReport.fields.tables.value)

const total = `select pg_database_size(current_database())::float8 as database_bytes,
  (select ${timestamp("created_at", "at")} from tasks order by id limit 1) as oldest_task`

const sizes = `select c.relname::text as name, pg_total_relation_size(c.oid)::float8 as bytes,
  greatest(c.reltuples, pg_stat_get_live_tuples(c.oid), 0)::float8 as rows
from pg_class c where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r'
order by bytes desc, name`
