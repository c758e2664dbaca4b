import type * as FileSystem from "@effect/platform/FileSystem"
import type * as Path from "@effect/platform/Path"
import { Effect } from "effect"
import { pipeline } from "node:stream/promises"
import { from as copyFrom } from "pg-copy-streams"
import type { Entry } from "tar-stream"
import * as Migrations from "../Runtime/Database/Migrations.ts"
import { type BackupFailed, failed } from "./BackupFailed.ts"
import type { Manifest, Summary, Table } from "./Manifest.ts"
import { applicationName, databaseFailure, type Session } from "./Session.ts"

/** The state of the database that a restore would change. */
export interface RestoreTarget {
  readonly isEmpty: boolean
  /** An earlier restore has not moved all files yet. */
  readonly isUnfinished: boolean
}

const others = `select count(*)::integer as number from pg_stat_activity
where datname = current_database() and pid <> pg_backend_pid() and application_name like 'troupe%'
  and application_name not in ('${applicationName}', 'troupe-doctor')`

const tableNames = `select relname::text as name from pg_class
where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p')`

/** Begins the transaction of a restore, unless the service runs or the database has tables of another program. */
export const beginLoad = ({ query }: Session): Effect.Effect<RestoreTarget, BackupFailed> =>
  Effect.gen(function*() {
    yield* query("begin")
    const [free] = yield* query<{ locked: boolean }>("select pg_try_advisory_xact_lock($1) as locked", [
      Migrations.lock
    ])
    const [sessions] = yield* query<{ number: number }>(others)
    if (free?.locked !== true || sessions?.number !== 0) {
      return yield* failed("The service is running, or another restore is. Stop all of its processes first.")
    }
    const names = (yield* query<{ name: string }>(tableNames)).map(({ name }) => name)
    const isEmpty = names.length === 0
    if (!isEmpty && !names.includes("troupe_migrations")) {
      return yield* failed(
        `The database has tables of another program (${names.slice(0, 3).join(", ")}). Restore into one of its own.`
      )
    }
    const marks = isEmpty
      ? []
      : yield* query("select from troupe_migrations where migration_id = $1", [Migrations.unfinishedRestore])
    return { isEmpty, isUnfinished: marks.length > 0 }
  })

/** Removes the tables and functions of the service; extensions stay. */
export const clear = ({ query }: Session): Effect.Effect<void, BackupFailed> =>
  Effect.asVoid(query(`do $$
declare
  tables text[] := array(
    select c.oid::regclass::text from pg_class c where c.relnamespace = current_schema()::regnamespace
      and c.relkind in ('r', 'p') and not exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'e')
  );
  functions text[] := array(
    select p.oid::regprocedure::text from pg_proc p where p.pronamespace = current_schema()::regnamespace
      and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')
  );
  thing text;
begin
  foreach thing in array tables loop execute format('drop table if exists %s cascade', thing); end loop;
  foreach thing in array functions loop execute format('drop function if exists %s cascade', thing); end loop;
end $$`))

const nameOf = (table: string): string => `"${table.replaceAll("\"", "\"\"")}"`

/** Creates the tables as they were at the backup. */
export const createTables = (
  { query }: Session,
  { migrations, tables, version }: Manifest
): Effect.Effect<void, BackupFailed, FileSystem.FileSystem | Path.Path> =>
  Effect.gen(function*() {
    const scripts = yield* Effect.mapError(Migrations.scripts, ({ message }) => failed(message))
    const known = new Map(scripts.map((script) => [script.id, script]))
    const names = new Map(scripts.map(({ id, name }) => [id, name]))
    if (Migrations.isUnreleased(names, migrations)) {
      return yield* failed(`An unreleased version of Troupe (${version}) made this backup. It can't be restored.`)
    }
    const unknown = migrations.filter(({ id, name }) => known.get(id)?.name !== name)
    if (unknown.length > 0) {
      return yield* failed(
        `A newer version of Troupe (${version}) made this backup. Restore it with that version, or a newer one.`
      )
    }
    yield* query(Migrations.createTable)
    for (const { id, name } of migrations) {
      const script = known.get(id)
      if (script !== undefined) yield* query(script.statements)
      yield* query("insert into troupe_migrations (migration_id, name) values ($1, $2)", [id, name])
    }
    if (migrations.some(({ id }) => id === Migrations.firstWithVersion)) {
      yield* query("update troupe_migrations set version = $1", [version])
    }
    // Rows that a migration puts into an empty database are in the backup as well.
    for (const { name } of tables) yield* query(`delete from ${nameOf(name)}`)
  })

/** Loads a part of a table, and returns its number of rows. */
export const loadPart = (
  { client }: Session,
  { columns, name }: Table,
  entry: Entry
): Effect.Effect<number, BackupFailed> =>
  Effect.tryPromise({
    try: () => {
      const rows = client.query(copyFrom(`copy ${nameOf(name)} (${columns.map(nameOf).join(", ")}) from stdin`))
      return pipeline(entry, rows).then(() => rows.rowCount)
    },
    catch: databaseFailure
  })

/** Checks what was loaded and commits it. The service does not start before `finishLoad`. */
export const commitLoad = (
  { query }: Session,
  { sequences, tables }: Manifest,
  { expected, loaded }: { readonly expected: Summary["rows"]; readonly loaded: ReadonlyMap<string, number> }
): Effect.Effect<void, BackupFailed> =>
  Effect.gen(function*() {
    for (const { name } of tables) {
      if (expected[name] !== (loaded.get(name) ?? 0)) {
        return yield* failed(`The archive is damaged: it lacks rows of the table ${name}. Nothing was changed.`)
      }
    }
    for (const { is_called, name, value } of sequences) {
      yield* query("select setval($1::regclass, $2::bigint, $3)", [name, value, is_called])
    }
    // Whoever signed out or was signed out since the backup stays so.
    yield* query("do $$ begin if to_regclass('sessions') is not null then delete from sessions; end if; end $$")
    yield* query("insert into troupe_migrations (migration_id, name) values ($1, 'unfinished_restore')", [
      Migrations.unfinishedRestore
    ])
    yield* query("commit")
  })

/** Lets the service start, once the files are in their places. */
export const finishLoad = ({ query }: Session): Effect.Effect<void, BackupFailed> =>
  Effect.zipRight(
    query("delete from troupe_migrations where migration_id = $1", [Migrations.unfinishedRestore]),
    Effect.asVoid(query("analyze"))
  )
