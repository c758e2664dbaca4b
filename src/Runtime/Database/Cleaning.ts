import type { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import type { Effect } from "effect"

export interface HeldBack {
  readonly problem: string
  readonly fix: string
}

/**
 * What keeps PostgreSQL from removing old versions of rows, or write-ahead log, for so long that tables grow and statements slow
 * down. Of sessions of other roles the time is hidden, so their age in transactions counts.
 */
export const heldBack = (
  sql: SqlClient,
  { minutes, walBytes }: { readonly minutes: number; readonly walBytes: number } = { minutes: 30, walBytes: 1024 ** 3 }
): Effect.Effect<ReadonlyArray<HeldBack>, SqlError> =>
  sql<HeldBack>`
select 'An open transaction (process ' || pid || ' of ' || usename || coalesce(', ' || nullif(application_name, ''), '')
    || coalesce(${since(sql, "xact_start")}, '') || ') keeps the database from removing old rows.' as problem,
  'If nothing needs it: select pg_terminate_backend(' || pid || ')' as fix
from pg_stat_activity
where (datname = current_database() and backend_type = 'client backend' or backend_type = 'walsender')
  and pid <> pg_backend_pid() and query not ilike 'vacuum%' and coalesce(backend_xmin, backend_xid) is not null
  and (xact_start < now() - make_interval(mins => ${minutes}) or xact_start is null and age(backend_xmin) > 1000000)
union all
select 'The prepared transaction ' || gid || ${since(sql, "prepared")} || ' keeps the database from removing old rows.',
  'Commit it, or: rollback prepared ' || quote_literal(gid)
from pg_prepared_xacts where database = current_database() and prepared < now() - make_interval(mins => ${minutes})
union all
select 'The replication slot ' || slot_name || case when active then '' else ', which nothing reads,' end || ' keeps '
    || pg_size_pretty(pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn)) || ' of write-ahead log'
    || case when greatest(age(xmin), age(catalog_xmin)) > 1000000 then ' and old rows.' else '.' end,
  'Start its reader again, or: select pg_drop_replication_slot(' || quote_literal(slot_name) || ')'
from pg_replication_slots
where greatest(age(xmin), age(catalog_xmin)) > 1000000
  or pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn) > case when active then 10 else 1 end * ${walBytes}::float8`

const since = (sql: SqlClient, time: string) =>
  sql.literal(`', since ' || to_char(${time} at time zone 'UTC', 'YYYY-MM-DD HH24:MI "UTC"')`)
