import { Effect, Stream } from "effect"
import { to as copyTo } from "pg-copy-streams"
import * as Migrations from "../Runtime/Database/Migrations.ts"
import type { ArchiveWriter } from "./Archive.ts"
import { type BackupFailed, failed } from "./BackupFailed.ts"
import { entries, type Manifest, type Table } from "./Manifest.ts"
import { databaseFailure, type Session } from "./Session.ts"

/** Smallest size of a part but the last. */
const partBytes = 4 * 1024 * 1024

interface DumpedTable extends Table {
  readonly expressions: ReadonlyArray<string>
}

/**
 * What is stored of each table, referenced ones first. Left out: unlogged tables, which are empty after a crash too; the
 * cluster's, which are true only for running processes; generated columns. A number of a transaction means nothing in
 * another database: it is null, as after the restore of a dump.
 */
const findTables = `with recursive found as (
  select oid, relname::text as name from pg_class
  where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and relpersistence = 'p'
    and relname <> 'troupe_migrations' and relname not like 'cluster\\_%'
), levels as (
  select oid, 0 as level from found
  union
  select k.conrelid, l.level + 1 from levels l join pg_constraint k on k.confrelid = l.oid and k.contype = 'f'
  where k.conrelid <> k.confrelid and l.level < 100
)
select f.name, array_agg(a.attname::text order by a.attnum) as columns,
  array_agg(case when a.atttypid = 'xid8'::regtype then 'null' else quote_ident(a.attname) end order by a.attnum)
    as expressions
from found f join pg_attribute a on a.attrelid = f.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
group by f.oid, f.name order by (select max(level) from levels l where l.oid = f.oid), f.name`

const findSequences = `select quote_ident(sequencename) as name, coalesce(last_value, start_value)::text as value,
  last_value is not null as is_called
from pg_sequences where schemaname = current_schema() and sequencename not like 'cluster\\_%' order by 1`

export interface Dump extends Pick<Manifest, "migrations" | "sequences" | "tables"> {
  /** Adds the rows of all tables to the archive, and returns their numbers by table. */
  readonly writeTo: (archive: ArchiveWriter) => Effect.Effect<Readonly<Record<string, number>>, BackupFailed>
}

/** Begins a transaction in which the whole database is as at one moment, while the service goes on. */
export const beginDump = (session: Session): Effect.Effect<Dump, BackupFailed> =>
  Effect.gen(function*() {
    const { query } = session
    yield* query("begin isolation level repeatable read read only")
    const [state] = yield* query<{ exists: boolean }>("select to_regclass('troupe_migrations') is not null as exists")
    if (state?.exists !== true) return yield* failed("The database is empty; there is nothing to back up.")
    const migrations = yield* query<{ id: number; name: string }>(
      "select migration_id as id, name from troupe_migrations order by 1"
    )
    if (migrations.some(({ id }) => id === Migrations.unfinishedRestore)) {
      return yield* failed(`${Migrations.restoreUnfinished} Run troupe restore again before a backup.`)
    }
    const found = yield* query<DumpedTable>(findTables)
    return {
      migrations,
      sequences: yield* query<Manifest["sequences"][number]>(findSequences),
      tables: found.map(({ columns, name }) => ({ name, columns })),
      writeTo: (archive) =>
        Effect.map(
          Effect.forEach(found, (table) => Effect.map(copied(session, table, archive), (rows) => [table.name, rows])),
          (numbers) => Object.fromEntries(numbers)
        )
    }
  })

const copied = ({ client }: Session, { expressions, name }: DumpedTable, archive: ArchiveWriter) =>
  Effect.gen(function*() {
    const rows = yield* Effect.acquireRelease(
      Effect.sync(() => client.query(copyTo(`copy (select ${expressions.join(", ")} from "${name}") to stdout`))),
      (rows) => Effect.sync(() => rows.destroy())
    )
    const parts = makeParts()
    let number = 0
    const add = (part: Buffer) =>
      Effect.suspend(() => archive.add({ name: `${entries.database}/${name}/${++number}`, mode: 0o600 }, part))
    yield* Stream.fromAsyncIterable(rows, databaseFailure).pipe(
      Stream.runForEach((piece: Buffer) => {
        const part = parts.push(piece)
        return part === null ? Effect.void : add(part)
      })
    )
    const rest = parts.rest()
    if (rest.length > 0) yield* add(rest)
    return rows.rowCount
  }).pipe(Effect.scoped)

const lineFeed = 0x0a

/** Joins pieces and cuts them at the ends of rows: the format has no other line feed. */
const makeParts = () => {
  let pieces: Array<Buffer> = []
  let bytes = 0
  return {
    push: (piece: Buffer): Buffer | null => {
      const end = piece.lastIndexOf(lineFeed) + 1
      pieces.push(piece)
      bytes += piece.length
      if (bytes < partBytes || end === 0) return null
      const all = Buffer.concat(pieces)
      const part = all.subarray(0, all.length - (piece.length - end))
      pieces = [piece.subarray(end)]
      bytes = piece.length - end
      return part
    },
    rest: (): Buffer => Buffer.concat(pieces)
  }
}
