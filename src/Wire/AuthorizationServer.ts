import type * as Sdk from "@modelcontextprotocol/sdk/client/auth.js"
import { Effect, Schema } from "effect"
import { addressRefusal, AuthorizationFailed, authorizationFetch, failureOf } from "./AuthorizationFetch.ts"
import { clientAuthentication, revokeToken } from "./ClientAuthentication.ts"
import {
  type Challenge,
  clientMetadata,
  type Discovered,
  type Grantor,
  isSameIssuer,
  type IssuedTokens,
  OAuthClient,
  ServerMetadata
} from "./Grantor.ts"

interface Exchange extends Grantor {
  readonly client: OAuthClient
}

/** The parts of OAuth 2.1 that tool servers need, as the MCP specification has them. */
export interface AuthorizationServers {
  /** Whether the tool server says where its tokens come from (RFC 9728). */
  readonly isProtected: (url: string, challenge: Challenge) => Effect.Effect<boolean>
  /** The authorization server of a tool server. Its metadata must name the issuer under which it was found. */
  readonly discover: (url: string, challenge: Challenge) => Effect.Effect<Discovered, AuthorizationFailed>
  readonly register: (
    metadata: ServerMetadata,
    client: { readonly name: string; readonly home: string; readonly callback: string; readonly scopes: string | null }
  ) => Effect.Effect<OAuthClient, AuthorizationFailed>
  /** The page on which a person signs in, and the secret with which its code is exchanged. */
  readonly begin: (
    request: Exchange & { readonly callback: string; readonly state: string; readonly scopes: string | null }
  ) => Effect.Effect<{ readonly page: string; readonly verifier: string }, AuthorizationFailed>
  readonly exchange: (
    request: Exchange & { readonly callback: string; readonly code: string; readonly verifier: string }
  ) => Effect.Effect<IssuedTokens, AuthorizationFailed>
  readonly refresh: (
    request: Exchange & { readonly refreshToken: string }
  ) => Effect.Effect<IssuedTokens, AuthorizationFailed>
  /** Ends the tokens, if the authorization server has an address for it (RFC 7009). */
  readonly revoke: (
    request: Omit<Exchange, "resource"> & { readonly accessToken: string; readonly refreshToken: string | null }
  ) => Effect.Effect<void, AuthorizationFailed>
  /** Tokens of the service itself, without a person. */
  readonly ownTokens: (
    request: Exchange & { readonly scopes: string | null }
  ) => Effect.Effect<IssuedTokens, AuthorizationFailed>
}

export const makeAuthorizationServers = (isHosted: boolean): AuthorizationServers => {
  const fetchFn = authorizationFetch(isHosted)
  const asked = <A>(
    what: string,
    ask: (sdk: typeof Sdk) => Promise<A>,
    secrets: ReadonlyArray<string | undefined> = []
  ): Effect.Effect<A, AuthorizationFailed> =>
    // Once it is sent, a request is not interrupted: what it brings would be lost.
    Effect.uninterruptible(
      Effect.flatMap(
        Effect.promise(() => import("@modelcontextprotocol/sdk/client/auth.js")),
        (sdk) => Effect.tryPromise({ try: () => ask(sdk), catch: (cause) => failureOf(what, cause, secrets) })
      )
    )
  const refused = (reason: string) => new AuthorizationFailed({ reason, isFinal: true })

  const resourceOf = (url: string, { metadataUrl }: Challenge) =>
    asked(
      "The metadata of the tool server",
      (sdk) =>
        sdk.discoverOAuthProtectedResourceMetadata(
          url,
          metadataUrl === null ? {} : { resourceMetadataUrl: metadataUrl },
          fetchFn
        )
    )

  const checked = (metadata: ServerMetadata, named: string): Effect.Effect<ServerMetadata, AuthorizationFailed> => {
    // RFC 8414, section 3.3: else any server could speak for another issuer.
    if (!isSameIssuer(metadata.issuer, named)) {
      return refused(`The metadata of the authorization server ${named} is of another issuer: ${metadata.issuer}.`)
    }
    const { authorization_endpoint, registration_endpoint, token_endpoint } = metadata
    for (const endpoint of [authorization_endpoint, token_endpoint, registration_endpoint ?? token_endpoint]) {
      const refusal = addressRefusal(endpoint, isHosted)
      if (refusal !== null) return refused(`The authorization server ${named} names ${endpoint}: ${refusal}.`)
    }
    return Effect.succeed(metadata)
  }

  return {
    isProtected: (url, challenge) =>
      Effect.match(resourceOf(url, challenge), { onFailure: () => false, onSuccess: () => true }),
    discover: (url, challenge) =>
      Effect.gen(function*() {
        const resource = yield* Effect.catchIf(
          resourceOf(url, challenge),
          // Servers from before there was such metadata are their own authorization server.
          ({ reason }) => challenge.metadataUrl === null && reason.includes("does not implement"),
          () => Effect.succeed(null)
        )
        if (resource !== null && !(yield* isResourceOf(resource.resource, url))) {
          return yield* refused(`The metadata of the tool server is of another resource: ${resource.resource}.`)
        }
        const named = resource?.authorization_servers?.[0] ?? new URL("/", url).href
        const found = yield* asked(
          `The metadata of the authorization server ${named}`,
          (sdk) => sdk.discoverAuthorizationServerMetadata(named, { fetchFn })
        )
        if (found === undefined) return yield* refused(`${named} publishes no metadata of an authorization server.`)
        const metadata = yield* Effect.mapError(
          Schema.decodeUnknown(ServerMetadata)(found),
          () => refused(`The metadata of the authorization server ${named} is not of the form that it must have.`)
        )
        return {
          metadata: yield* checked(metadata, named),
          resource: resource?.resource ?? null,
          scopes: challenge.scopes ?? (resource?.scopes_supported?.join(" ") || null)
        }
      }),
    register: (metadata, { callback, home, name, scopes }) => {
      const registered = (scope: object) =>
        asked("The registration of a client", (sdk) =>
          sdk.registerClient(metadata.issuer, {
            metadata,
            clientMetadata: clientMetadata({ callback, home, name }),
            ...scope,
            fetchFn
          }))
      // The scopes of tool servers are unknown to some authorization servers until somebody asks for them.
      const client = scopes === null
        ? registered({})
        : Effect.catchIf(registered({ scope: scopes }), ({ isFinal }) => isFinal, () => registered({}))
      return Effect.flatMap(client, (client) => Effect.orDie(Schema.decodeUnknown(OAuthClient)(client)))
    },
    begin: ({ callback, client, metadata, resource, scopes, state }) =>
      metadata.code_challenge_methods_supported === undefined && client.client_secret === undefined
        ? refused(
          "The authorization server does not say that it supports PKCE. Configure a client_id with a client_secret."
        )
        : Effect.map(
          asked("The sign-in", (sdk) =>
            sdk.startAuthorization(metadata.issuer, {
              metadata,
              clientInformation: client,
              redirectUrl: callback,
              state,
              ...(scopes === null ? {} : { scope: scopes }),
              ...(resource === null ? {} : { resource })
            })),
          ({ authorizationUrl, codeVerifier }) => ({ page: authorizationUrl.href, verifier: codeVerifier })
        ),
    exchange: ({ callback, client, code, metadata, resource, verifier }) =>
      Effect.map(
        asked("The exchange of the code", (sdk) =>
          sdk.exchangeAuthorization(metadata.issuer, {
            metadata,
            clientInformation: client,
            authorizationCode: code,
            codeVerifier: verifier,
            redirectUri: callback,
            addClientAuthentication: authenticating(sdk, { client, metadata }),
            ...(resource === null ? {} : { resource }),
            fetchFn
          }), [code, verifier, client.client_secret]),
        issued
      ),
    refresh: ({ client, metadata, refreshToken, resource }) =>
      Effect.map(
        asked("The refresh of the tokens", (sdk) =>
          sdk.refreshAuthorization(metadata.issuer, {
            metadata,
            clientInformation: client,
            refreshToken,
            addClientAuthentication: authenticating(sdk, { client, metadata }),
            ...(resource === null ? {} : { resource }),
            fetchFn
          }), [refreshToken, client.client_secret]),
        issued
      ),
    revoke: ({ accessToken, client, metadata, refreshToken }) => {
      const secrets = [accessToken, refreshToken ?? undefined, client.client_secret]
      // The refresh token first: with it, many end all that came of the sign-in.
      const tokens = [["refresh_token", refreshToken], ["access_token", accessToken]] as const
      return Effect.mapError(
        Effect.validateAll(
          tokens,
          ([kind, token]) =>
            token === null ? Effect.void : asked(
              "The revocation of the tokens",
              (sdk) => revokeToken(sdk, fetchFn, { client, metadata }, kind, token),
              secrets
            ),
          { discard: true }
        ),
        ([failure]) => failure
      )
    },
    ownTokens: ({ client, metadata, resource, scopes }) =>
      Effect.map(
        asked("The request for tokens", (sdk) =>
          sdk.fetchToken(
            {
              ...ownProvider(client, scopes),
              addClientAuthentication: authenticating(sdk, { client, metadata })
            },
            metadata.issuer,
            {
              metadata,
              ...(resource === null ? {} : { resource }),
              fetchFn
            }
          ), [client.client_secret]),
        issued
      )
  }
}

const authenticating = (sdk: typeof Sdk, { client, metadata }: Omit<Exchange, "resource">) =>
  clientAuthentication(sdk, client, metadata.token_endpoint_auth_methods_supported)

const isResourceOf = (resource: string, url: string): Effect.Effect<boolean> =>
  Effect.map(
    Effect.promise(() => import("@modelcontextprotocol/sdk/shared/auth-utils.js")),
    ({ checkResourceAllowed }) => checkResourceAllowed({ requestedResource: url, configuredResource: resource })
  )

const ownProvider = (client: OAuthClient, scopes: string | null): Sdk.OAuthClientProvider => ({
  redirectUrl: undefined,
  clientMetadata: { redirect_uris: [], grant_types: ["client_credentials"] },
  clientInformation: () => client,
  tokens: () => undefined,
  saveTokens: () => {},
  redirectToAuthorization: () => {},
  saveCodeVerifier: () => {},
  codeVerifier: () => "",
  prepareTokenRequest: () =>
    new URLSearchParams({ grant_type: "client_credentials", ...(scopes === null ? {} : { scope: scopes }) })
})

const issued = (
  { access_token, expires_in, refresh_token, scope }: Awaited<ReturnType<typeof Sdk.exchangeAuthorization>>
): IssuedTokens => ({
  accessToken: access_token,
  refreshToken: refresh_token ?? null,
  seconds: expires_in === undefined || !(expires_in > 0) ? null : expires_in,
  scopes: scope ?? null
})
