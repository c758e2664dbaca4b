import { SqlClient } from "@effect/sql/SqlClient"
import type { UserId } from "@troupe/domain/Ids"
import type { ToolServerConnection } from "@troupe/domain/ToolServer"
import { Context, Effect, Either, Layer, Option, Redacted, Schema } from "effect"
import { asService } from "../Runtime/Database/Isolation.ts"
import { makeAnnounced, type Signals } from "../Runtime/Database/Signals.ts"
import { timestamp } from "../Runtime/Database/TimestampColumn.ts"
import { Sealing } from "../Runtime/Sealing.ts"
import type { IssuedTokens, OAuthClient } from "../Wire/Grantor.ts"
import {
  type Authorization,
  type AuthorizationKey,
  factsText,
  keysFrom,
  type NewAuthorization,
  ownClient,
  placeOf,
  type Row,
  rowFrom,
  sealedText,
  Secrets,
  secretsText,
  shownFrom,
  wantedFrom
} from "./AuthorizationRow.ts"

/** What people have authorized the service to do at tool servers. The tokens are stored sealed. */
export class Authorizations extends Context.Tag("troupe/ToolServer/Authorizations")<Authorizations, {
  readonly canSeal: boolean
  readonly find: (key: AuthorizationKey) => Effect.Effect<Option.Option<Authorization>>
  /** Of a server at which each person signs in, one that can be used. */
  readonly anyOf: (server: string) => Effect.Effect<Option.Option<Authorization>>
  /** Replaces the authorization of the same server and person. */
  readonly save: (authorization: NewAuthorization, tokens: IssuedTokens) => Effect.Effect<void>
  /** Runs with the row locked, and keeps what it succeeds with: other processes wait for the result. */
  readonly locked: <A>(
    key: AuthorizationKey,
    use: (present: Option.Option<Authorization>) => Effect.Effect<A>
  ) => Effect.Effect<A>
  /** Does nothing if it was changed meanwhile. */
  readonly renew: (authorization: Authorization, tokens: IssuedTokens) => Effect.Effect<void>
  /** A refresh failed: for good, or it is tried again after `seconds`. */
  readonly failed: (key: AuthorizationKey, reason: string, retryAfter: number | null) => Effect.Effect<void>
  /** The server wants these scopes, too; true: that was not known. */
  readonly want: (key: AuthorizationKey, scopes: string) => Effect.Effect<boolean>
  readonly wantedOf: (key: AuthorizationKey) => Effect.Effect<string | null>
  /** Succeeds with what is forgotten. */
  readonly forget: (key: AuthorizationKey) => Effect.Effect<Option.Option<Authorization>>
  /** The valid ones whose tokens are to be refreshed. */
  readonly due: Effect.Effect<ReadonlyArray<AuthorizationKey>>
  /** What people may see: everybody's, and those of one person. */
  readonly connections: (
    user: UserId
  ) => Effect.Effect<ReadonlyArray<{ readonly key: AuthorizationKey; readonly connection: ToolServerConnection }>>
}>() {
  static readonly layer: Layer.Layer<Authorizations, never, SqlClient | Sealing | Signals> = Layer.effect(
    this,
    Effect.gen(function*() {
      const sql = yield* SqlClient
      const sealing = yield* Sealing
      const run = <A, E>(statement: Effect.Effect<A, E>) => asService(Effect.orDie(Effect.asVoid(statement)))
      const announced = yield* makeAnnounced("troupe_tool_servers")
      const where = ({ server, user }: AuthorizationKey) => sql`server = ${server} and user_id = ${user ?? ""}`
      const columns = sql.literal(
        `server, nullif(user_id, '') as "user", url, facts, secrets, scopes, is_valid as "isValid", connected_by as "connectedBy",
  wanted_scopes is not null as "wantsMore",
  coalesce(refresh_at <= now(), false) as "isDue", coalesce(expires_at <= now(), false) as "isExpired",
  (extract(epoch from refresh_at - now()) * 1000)::float8 as millis, issuer, xmin::text as version`
      )
      const opened = (rows: Effect.Effect<Option.Option<typeof Row.Type>>) =>
        Effect.map(rows, Option.flatMap(openedRow))
      const openedRow = ({ facts, issuer, secrets, ...row }: typeof Row.Type): Option.Option<Authorization> =>
        Option.map(
          Option.flatMap(
            Either.getRight(sealing.open(secrets, placeOf(row, issuer))),
            (text) => Schema.decodeOption(Secrets)(Redacted.value(text))
          ),
          ({ accessToken, client, refreshToken }) => ({
            ...row,
            grantor: facts,
            client,
            accessToken: Redacted.make(accessToken),
            refreshToken: refreshToken === null ? null : Redacted.make(refreshToken)
          })
        )
      const find = (key: AuthorizationKey, lock = false) =>
        opened(rowFrom(
          sql`select ${columns} from tool_server_authorizations where ${where(key)}${
            sql.literal(lock ? " for update" : "")
          }`
        ))
      const sealedTokens = (
        key: AuthorizationKey,
        issuer: string,
        client: OAuthClient,
        { accessToken, refreshToken }: IssuedTokens
      ) =>
        sealedText(sealing.seal(
          Redacted.make(secretsText({ accessToken, refreshToken, client })),
          placeOf(key, issuer)
        ))
      /** At 80% of the life; without a refresh token at its end. */
      const timesOf = ({ refreshToken, seconds }: IssuedTokens, renews: boolean) => {
        const end = seconds === null ? sql`null` : sql`now() + ${seconds}::float8 * interval '1 second'`
        const share = refreshToken === null && !renews ? 1 : 0.8
        return { end, refresh: seconds === null ? end : sql`now() + ${seconds * share}::float8 * interval '1 second'` }
      }
      return Authorizations.of({
        canSeal: sealing.canSeal,
        find: (key) => asService(find(key)),
        anyOf: (server) =>
          asService(opened(rowFrom(
            sql`select ${columns} from tool_server_authorizations
where server = ${server} and user_id <> '' and is_valid order by connected_at desc limit 1`
          ))),
        save: (given, tokens) => {
          const { client, connectedBy, grantor, scopes, server, url, user } = given
          const { issuer } = grantor.metadata
          const times = timesOf(tokens, user === null && connectedBy === ownClient)
          return announced(run(
            sql`with former as (delete from tool_server_authorizations where ${where(given)} and issuer <> ${issuer})
insert into tool_server_authorizations as a
  (server, user_id, issuer, url, facts, secrets, scopes, expires_at, refresh_at, connected_by)
values (${server}, ${user ?? ""}, ${issuer}, ${url}, ${factsText(grantor)},
  ${sealedTokens(given, issuer, client, tokens)}, ${
              tokens.scopes ?? scopes
            }, ${times.end}, ${times.refresh}, ${connectedBy})
on conflict (server, user_id, issuer) do update set url = excluded.url, facts = excluded.facts, secrets = excluded.secrets,
  scopes = excluded.scopes, wanted_scopes = null, is_valid = true, expires_at = excluded.expires_at,
  refresh_at = excluded.refresh_at, refreshed_at = null, error = null, failed_at = null,
  connected_by = excluded.connected_by, connected_at = now()`
          ))
        },
        locked: (key, use) => asService(Effect.orDie(sql.withTransaction(Effect.flatMap(find(key, true), use)))),
        renew: (known, issued) => {
          const { issuer } = known.grantor.metadata
          const tokens = {
            ...issued,
            refreshToken: issued.refreshToken ??
              (known.refreshToken === null ? null : Redacted.value(known.refreshToken))
          }
          const times = timesOf(tokens, known.connectedBy === ownClient)
          return run(
            sql`update tool_server_authorizations set secrets = ${sealedTokens(known, issuer, known.client, tokens)},
  scopes = ${
              tokens.scopes ?? known.scopes
            }, expires_at = ${times.end}, refresh_at = ${times.refresh}, refreshed_at = now(),
  is_valid = true, error = null, failed_at = null
where ${where(known)} and issuer = ${issuer} and xmin::text = ${known.version}`
          )
        },
        failed: (key, reason, retryAfter) =>
          run(
            sql`update tool_server_authorizations set error = ${reason}, failed_at = now(), is_valid = ${
              retryAfter !== null
            }, refresh_at = now() + ${retryAfter ?? 0}::float8 * interval '1 second' where ${where(key)}`
          ),
        want: (key, scopes) =>
          Effect.map(
            asService(Effect.orDie(
              sql<{ readonly is_new: boolean }>`with known as (
  select ctid, wanted_scopes is distinct from ${scopes} as is_new from tool_server_authorizations where ${
                where(key)
              } for update
)
update tool_server_authorizations a set wanted_scopes = ${scopes}, failed_at = now(),
  error = ${`The server asks for more than was allowed: ${scopes}`}
from known where a.ctid = known.ctid returning known.is_new`
            )),
            (rows) => rows.some(({ is_new }) => is_new)
          ),
        wantedOf: (key) =>
          Effect.map(
            asService(wantedFrom(sql`select wanted_scopes from tool_server_authorizations where ${where(key)}`)),
            Option.match({ onNone: () => null, onSome: (row) => row.wanted_scopes })
          ),
        forget: (key) =>
          Effect.tap(
            asService(opened(rowFrom(
              sql`delete from tool_server_authorizations where ${where(key)} returning ${columns}`
            ))),
            () => announced(Effect.void)
          ),
        due: asService(keysFrom(
          sql`select server, nullif(user_id, '') as "user" from tool_server_authorizations
where is_valid and refresh_at <= now() order by refresh_at limit 100`
        )),
        connections: (user) =>
          Effect.map(
            asService(shownFrom(
              sql`select server, nullif(user_id, '') as "user", issuer, coalesce(scopes, '') as scopes, connected_by,
  not is_valid as needs_sign_in, error, ${sql.literal(timestamp("connected_at", "connected_at"))},
  ${sql.literal(timestamp("expires_at", "expires_at"))}, ${sql.literal(timestamp("refreshed_at", "last_refresh"))},
  ${sql.literal(timestamp("failed_at", "failed_at"))} from tool_server_authorizations where user_id in ('', ${user})`
            )),
            (rows) =>
              rows.map(({ error, failed_at: at, scopes, server, user, ...connection }) => ({
                key: { server, user },
                connection: {
                  ...connection,
                  scopes: scopes.split(" ").filter((scope) => scope !== ""),
                  last_error: error === null || at === null ? null : { message: error, at }
                }
              }))
          )
      })
    })
  )
}
