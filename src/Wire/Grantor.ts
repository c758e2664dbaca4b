import { Schema } from "effect"

const Texts = Schema.optional(Schema.mutable(Schema.Array(Schema.String)))

/** What the service uses of an authorization server's metadata (RFC 8414). */
export const ServerMetadata = Schema.mutable(Schema.Struct({
  issuer: Schema.String.pipe(Schema.maxLength(500)),
  authorization_endpoint: Schema.String,
  token_endpoint: Schema.String,
  registration_endpoint: Schema.optional(Schema.String),
  revocation_endpoint: Schema.optional(Schema.String),
  revocation_endpoint_auth_methods_supported: Texts,
  response_types_supported: Schema.mutable(Schema.Array(Schema.String)),
  scopes_supported: Texts,
  token_endpoint_auth_methods_supported: Texts,
  code_challenge_methods_supported: Texts,
  authorization_response_iss_parameter_supported: Schema.optional(Schema.Boolean),
  client_id_metadata_document_supported: Schema.optional(Schema.Boolean)
}))
export type ServerMetadata = typeof ServerMetadata.Type

/** A client at an authorization server. */
export const OAuthClient = Schema.mutable(Schema.Struct({
  client_id: Schema.String,
  client_secret: Schema.optional(Schema.String),
  client_secret_expires_at: Schema.optional(Schema.Number),
  token_endpoint_auth_method: Schema.optional(Schema.String)
}))
export type OAuthClient = typeof OAuthClient.Type

/** Where the tokens for a tool server come from. */
export const Grantor = Schema.Struct({
  metadata: ServerMetadata,
  /** The tool server as it names itself (RFC 8707); null: it publishes no metadata. */
  resource: Schema.NullOr(Schema.String)
})
export type Grantor = typeof Grantor.Type

export interface Discovered extends Grantor {
  /** The scopes that the tool server asks for. */
  readonly scopes: string | null
}

/** Tokens of which the seconds count from their arrival. */
export interface IssuedTokens {
  readonly accessToken: string
  readonly refreshToken: string | null
  readonly seconds: number | null
  readonly scopes: string | null
}

/** What a server said with a status of 401 or 403. */
export interface Challenge {
  readonly metadataUrl: string | null
  readonly scopes: string | null
}

/** What the service says of itself as a client; also its client id metadata document. */
export const clientMetadata = (
  { callback, home, name }: { readonly name: string; readonly home: string; readonly callback: string }
) => ({
  client_name: name,
  client_uri: home,
  redirect_uris: [callback],
  grant_types: ["authorization_code", "refresh_token"],
  response_types: ["code"],
  token_endpoint_auth_method: "none"
})

/** A slash at the end of a host makes no difference. */
export const isSameIssuer = (one: string, other: string): boolean =>
  URL.canParse(one) && URL.canParse(other) && new URL(one).href === new URL(other).href

/** An address that codes or tokens are sent to, of neither the issuer's site nor that of its page for signing in; null: none. */
export const foreignEndpoint = (
  { authorization_endpoint, issuer, registration_endpoint, revocation_endpoint, token_endpoint }: ServerMetadata
): string | null => {
  const own = [issuer, authorization_endpoint].map(siteOf)
  return [token_endpoint, registration_endpoint, revocation_endpoint].find(
    (endpoint) => endpoint !== undefined && !own.includes(siteOf(endpoint))
  ) ?? null
}

/** The last two labels of a host name, which may be too few (co.uk); of others the host with its port. */
const siteOf = (address: string): string => {
  if (!URL.canParse(address)) return ""
  const { host, hostname } = new URL(address)
  const labels = hostname.split(".")
  const isName = labels.length > 1 && /[a-z]/.test(labels.at(-1) ?? "")
  return isName ? labels.slice(-2).join(".") : host
}
