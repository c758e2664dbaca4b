import { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect, Layer, Predicate, Schema } from "effect"
import { requestRole } from "./Isolation.ts"
import { isRefusal, untilAvailable } from "./Sql.ts"

export class RequestRoleRefused extends Schema.TaggedError<RequestRoleRefused>()("RequestRoleRefused", {
  role: Schema.String,
  user: Schema.String,
  detail: Schema.String
}) {
  override get message() {
    return `DEPLOYMENT_MODE=hosted separates users by the database role ${this.role}, which the user of DATABASE_URL `
      + `can't set up: ${this.detail}. Let an administrator of the server run: CREATE ROLE ${this.role} NOLOGIN; `
      + `GRANT ${this.role} TO "${this.user}";`
  }
}

/** The same for all processes: `select hashtext('troupe request role')`. */
const lock = 732_041_902

/** A user with CREATEROLE is in PostgreSQL 16 and newer no member of the role that it creates. */
const createRole = (role: string) =>
  `do $$
begin
  if not exists (select from pg_roles where rolname = '${role}') then
    begin
      create role ${role} nologin;
    exception when duplicate_object or unique_violation then null;
    end;
  end if;
  if not pg_has_role(current_user, '${role}',
    case when current_setting('server_version_num')::integer >= 160000 then 'SET' else 'MEMBER' end)
  then
    grant ${role} to current_user;
  end if;
end $$`

/** In a table with row-level security the policies alone decide; no other table is open to requests. */
const grantTables = (role: string) =>
  `do $$
declare
  name text;
begin
  if not has_schema_privilege('${role}', current_schema(), 'usage') then
    execute format('grant usage on schema %I to ${role}', current_schema());
  end if;
  for name in
    select c.oid::regclass from pg_class c
    where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and c.relrowsecurity
  loop
    execute format('grant select, insert, update, delete on %s to ${role}', name);
  end loop;
end $$`

/** Creates the role for the tables with row-level security. The user needs CREATEROLE, or membership in the role. */
export const ensureRequestRole = (
  role: string = requestRole
): Effect.Effect<void, RequestRoleRefused | SqlError, SqlClient> =>
  Effect.flatMap(SqlClient, (sql) =>
    sql.withTransaction(Effect.gen(function*() {
      yield* sql`select pg_advisory_xact_lock(${lock})`
      const [current] = yield* sql<{ name: string }>`select current_user as name`
      const refused = (detail: string) => new RequestRoleRefused({ role, user: current?.name ?? "", detail })
      const setUp = Effect.gen(function*() {
        yield* sql.unsafe(createRole(role))
        yield* sql.unsafe(grantTables(role))
        yield* sql`select set_config('role', ${role}, true)`
        return yield* sql<{ active: boolean }>`select row_security_active('tasks') as active`
      })
      const [checked] = yield* Effect.catchIf(setUp, isRefusal, (error) => refused(detailOf(error)))
      if (checked?.active !== true) {
        return yield* refused(`${role} is a superuser, has BYPASSRLS or is a member of the tables' owner`)
      }
    })))

export const layer: Layer.Layer<never, RequestRoleRefused | SqlError, SqlClient> = Layer.effectDiscard(
  untilAvailable()(ensureRequestRole())
)

const detailOf = ({ cause }: SqlError): string =>
  Predicate.hasProperty(cause, "message") && typeof cause.message === "string" ? cause.message : "it was refused"
