import { UserId } from "@troupe/domain/Ids"
import { type Redacted, Schema } from "effect"
import { rowOf, rowsOf } from "../Runtime/Database/Query.ts"
import { Sealed } from "../Runtime/Sealing.ts"
import { Grantor, OAuthClient } from "../Wire/Grantor.ts"

export const Secrets = Schema.parseJson(Schema.Struct({
  accessToken: Schema.String,
  refreshToken: Schema.NullOr(Schema.String),
  client: OAuthClient
}))
const Facts = Schema.parseJson(Grantor)
export const SealedText = Schema.parseJson(Sealed)

/** At which server, and whose: null is everybody's. */
export interface AuthorizationKey {
  readonly server: string
  readonly user: UserId | null
}

export interface Authorization extends AuthorizationKey {
  /** The address of the tool server: no other gets the tokens. */
  readonly url: string
  readonly grantor: Grantor
  readonly client: OAuthClient
  readonly accessToken: Redacted.Redacted
  readonly refreshToken: Redacted.Redacted | null
  readonly scopes: string | null
  readonly connectedBy: string
  /** The server asked for scopes that nobody has granted yet. */
  readonly wantsMore: boolean
  /** False: somebody has to sign in again. */
  readonly isValid: boolean
  readonly isDue: boolean
  readonly isExpired: boolean
  /** Changes with each write. */
  readonly version: string
  /** Until the tokens are refreshed; null: until the server refuses them. */
  readonly millis: number | null
}

export interface NewAuthorization extends AuthorizationKey {
  readonly url: string
  readonly grantor: Grantor
  readonly client: OAuthClient
  readonly scopes: string | null
  readonly connectedBy: string
}

/** Who has connected a server that no person signs in at. */
export const ownClient = UserId.make("system")

const User = Schema.NullOr(UserId)
export const Row = Schema.Struct({
  server: Schema.String,
  user: User,
  issuer: Schema.String,
  url: Schema.String,
  facts: Facts,
  secrets: SealedText,
  scopes: Schema.NullOr(Schema.String),
  connectedBy: Schema.String,
  wantsMore: Schema.Boolean,
  isValid: Schema.Boolean,
  isDue: Schema.Boolean,
  isExpired: Schema.Boolean,
  version: Schema.String,
  millis: Schema.NullOr(Schema.Number)
}).annotations({ identifier: "Authorization" })
export const rowFrom = rowOf(Row)
export const keysFrom = rowsOf(
  Schema.Struct({ server: Schema.String, user: User }).annotations({ identifier: "AuthorizationKey" })
)
export const wantedFrom = rowOf(Schema.Struct({ wanted_scopes: Schema.NullOr(Schema.String) }))
const Time = Schema.NullOr(Schema.String)
export const shownFrom = rowsOf(
  Schema.Struct({
    server: Schema.String,
    user: User,
    issuer: Schema.String,
    scopes: Schema.String,
    connected_by: UserId,
    connected_at: Schema.String,
    expires_at: Time,
    last_refresh: Time,
    error: Time,
    failed_at: Time,
    needs_sign_in: Schema.Boolean
  }).annotations({ identifier: "ShownConnection" })
)

export const secretsText = Schema.encodeSync(Secrets)
export const factsText = Schema.encodeSync(Facts)
export const sealedText = Schema.encodeSync(SealedText)

/** Tokens are of one server, person and issuer: sealed for others they can't be read. */
export const placeOf = ({ server, user }: AuthorizationKey, issuer: string): string =>
  `tool server authorization\0${server}\0${user ?? ""}\0${issuer}`
