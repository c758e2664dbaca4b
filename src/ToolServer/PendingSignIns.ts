import { SqlClient } from "@effect/sql/SqlClient"
import { UserId } from "@troupe/domain/Ids"
import { Effect, Either, Option, Redacted, Schema } from "effect"
import { createHash } from "node:crypto"
import { asService } from "../Runtime/Database/Isolation.ts"
import { rowOf } from "../Runtime/Database/Query.ts"
import { type Sealed, Sealing } from "../Runtime/Sealing.ts"
import { Grantor, OAuthClient } from "../Wire/Grantor.ts"
import { SealedText, sealedText } from "./AuthorizationRow.ts"

/** A sign-in at a tool server that a browser has begun. */
export const PendingSignIn = Schema.Struct({
  server: Schema.String,
  user: Schema.NullOr(UserId),
  begunBy: UserId,
  url: Schema.String,
  grantor: Grantor,
  client: OAuthClient,
  verifier: Schema.String,
  scopes: Schema.NullOr(Schema.String),
  /** Where the browser goes afterwards. */
  next: Schema.String
})
export type PendingSignIn = typeof PendingSignIn.Type

/** Sign-ins and clients at authorization servers, stored sealed. */
export interface PendingSignIns {
  /** For ten minutes. */
  readonly begin: (state: string, pending: PendingSignIn) => Effect.Effect<void>
  readonly begunBy: (state: string) => Effect.Effect<Option.Option<UserId>>
  /** Each is taken once. */
  readonly take: (state: string) => Effect.Effect<Option.Option<PendingSignIn>>
  /** The client that is registered at the issuer under this name. */
  readonly clientOf: (name: string, issuer: string) => Effect.Effect<Option.Option<OAuthClient>>
  readonly saveClient: (name: string, issuer: string, client: OAuthClient) => Effect.Effect<void>
  /** The issuer that gets a configured client; the first one, until it is forgotten. */
  readonly issuerOf: (name: string, issuer: string) => Effect.Effect<string>
  readonly forgetClient: (name: string) => Effect.Effect<void>
}

export const makePendingSignIns: Effect.Effect<PendingSignIns, never, SqlClient | Sealing> = Effect.gen(function*() {
  const sql = yield* SqlClient
  const sealing = yield* Sealing
  const run = (statement: Effect.Effect<unknown, unknown>) => asService(Effect.asVoid(Effect.orDie(statement)))
  const sealed = (text: string, place: string) => sealedText(sealing.seal(Redacted.make(text), place))
  const opened = <A>(secrets: Sealed, place: string, decode: (text: string) => Option.Option<A>): Option.Option<A> =>
    Option.flatMap(Either.getRight(sealing.open(secrets, place)), (text) => decode(Redacted.value(text)))
  return {
    begin: (state, pending) =>
      run(sql`with expired as (delete from tool_server_sign_ins where expires_at <= now())
insert into tool_server_sign_ins (state, server, user_id, begun_by, secrets, expires_at)
values (${digestOf(state)}, ${pending.server}, ${pending.user ?? ""}, ${pending.begunBy},
  ${sealed(pendingText(pending), placeOf(state))}, now() + interval '10 minutes')`),
    begunBy: (state) =>
      Effect.map(
        asService(begunFrom(
          sql`select begun_by from tool_server_sign_ins where state = ${digestOf(state)} and expires_at > now()`
        )),
        Option.map((row) => row.begun_by)
      ),
    take: (state) =>
      Effect.map(
        asService(secretsFrom(
          sql`delete from tool_server_sign_ins where state = ${
            digestOf(state)
          } and expires_at > now() returning secrets`
        )),
        Option.flatMap(({ secrets }) => opened(secrets, placeOf(state), Schema.decodeOption(PendingText)))
      ),
    clientOf: (name, issuer) =>
      Effect.map(
        asService(secretsFrom(
          sql`select client as secrets from tool_server_clients where name = ${name} and issuer = ${issuer}`
        )),
        Option.flatMap(({ secrets }) => opened(secrets, clientPlace(name, issuer), Schema.decodeOption(ClientText)))
      ),
    saveClient: (name, issuer, client) =>
      run(sql`insert into tool_server_clients as c (name, issuer, client)
values (${name}, ${issuer}, ${sealed(clientText(client), clientPlace(name, issuer))})
on conflict (name) do update set issuer = excluded.issuer, client = excluded.client`),
    issuerOf: (name, issuer) =>
      asService(Effect.map(
        issuerFrom(sql`with added as (
  insert into tool_server_clients (name, issuer, client) values (${name}, ${issuer}, ${
          sealed("", clientPlace(name, issuer))
        })
  on conflict (name) do nothing returning issuer
)
select issuer from added union all select issuer from tool_server_clients where name = ${name} limit 1`),
        Option.match({ onNone: () => issuer, onSome: (row) => row.issuer })
      )),
    forgetClient: (name) => run(sql`delete from tool_server_clients where name = ${name}`)
  }
})

const PendingText = Schema.parseJson(PendingSignIn)
const pendingText = Schema.encodeSync(PendingText)
const ClientText = Schema.parseJson(OAuthClient)
const clientText = Schema.encodeSync(ClientText)

const begunFrom = rowOf(Schema.Struct({ begun_by: UserId }).annotations({ identifier: "PendingSignIn" }))
const secretsFrom = rowOf(Schema.Struct({ secrets: SealedText }).annotations({ identifier: "SealedSignIn" }))
const issuerFrom = rowOf(Schema.Struct({ issuer: Schema.String }).annotations({ identifier: "ClientIssuer" }))

const digestOf = (state: string): string => createHash("sha256").update(state).digest("base64url")
const placeOf = (state: string): string => `tool server sign-in\0${digestOf(state)}`
const clientPlace = (name: string, issuer: string): string => `tool server client\0${name}\0${issuer}`
