import { SignInUnavailable } from "@troupe/domain/Caller"
import { Data, Effect, Option, Redacted } from "effect"
import { createHmac } from "node:crypto"
import type * as OpenId from "openid-client"
import { makeExpiringCache } from "../Runtime/Cache.ts"
import { type IdClaims, idClaims } from "./IdTokens.ts"

/** The identity provider did not sign the person in. */
export class SignInRefused extends Data.TaggedError("SignInRefused")<{ readonly reason: string }> {}

export interface SignInProviderOptions {
  readonly issuer: string
  readonly clientId: string
  /** None: a public client. */
  readonly clientSecret: Option.Option<Redacted.Redacted>
  /** Address of this service to which the provider sends the browser back. */
  readonly callback: URL
}

/**
 * The identity provider's sign-in for browsers: OpenID Connect's authorization code flow with PKCE. `secret` is known to
 * this service and one browser; `state`, `nonce` and the code verifier are derived from it.
 */
export interface SignInProvider {
  /** `isSilent`: the provider answers at once, with a refusal if it had to ask something. */
  readonly pageOf: (
    secret: Redacted.Redacted,
    options: { readonly isSilent: boolean }
  ) => Effect.Effect<URL, SignInUnavailable>
  readonly stateOf: (secret: Redacted.Redacted) => string
  /** Exchanges the code of the address at which the browser came back. */
  readonly claimsOf: (
    address: URL,
    secret: Redacted.Redacted
  ) => Effect.Effect<IdClaims, SignInRefused | SignInUnavailable>
}

export const makeSignInProvider = (
  { callback, clientId, clientSecret, issuer }: SignInProviderOptions
): SignInProvider => {
  const unavailable = (cause: unknown) =>
    Effect.zipRight(
      Effect.logWarning(`The sign-in at ${issuer} failed`, cause),
      new SignInUnavailable({ reason: "The identity provider can't be reached or does not respond as expected." })
    )

  /** Sends the secret as the provider wants it: as a parameter, else in the header Authorization. */
  const authentication = (openid: typeof OpenId): OpenId.ClientAuth => {
    if (Option.isNone(clientSecret)) return openid.None()
    const post = openid.ClientSecretPost(Redacted.value(clientSecret.value))
    const basic = openid.ClientSecretBasic(Redacted.value(clientSecret.value))
    return (server, ...request) => {
      const acceptsPost = server.token_endpoint_auth_methods_supported?.includes("client_secret_post") === true
      return acceptsPost ? post(server, ...request) : basic(server, ...request)
    }
  }

  const discover = Effect.gen(function*() {
    const openid = yield* Effect.promise(() => import("openid-client"))
    const server = new URL(issuer)
    // An address of this machine may be http.
    const insecure = server.protocol === "http:" ? [openid.allowInsecureRequests] : []
    const config = yield* Effect.tryPromise(() =>
      openid.discovery(server, clientId, undefined, authentication(openid), {
        execute: [openid.enableNonRepudiationChecks, ...insecure],
        timeout: timeoutSeconds
      })
    )
    return { openid, config }
  })
  const discovered = makeExpiringCache({ capacity: 1, timeToLive: "1 hour", lookup: () => discover }).get(issuer).pipe(
    Effect.catchAll(unavailable)
  )

  return {
    stateOf: derived("state"),
    pageOf: (secret, { isSilent }) =>
      Effect.flatMap(discovered, ({ config, openid }) =>
        Effect.map(
          Effect.promise(() => openid.calculatePKCECodeChallenge(derived("code verifier")(secret))),
          (challenge) =>
            openid.buildAuthorizationUrl(config, {
              redirect_uri: callback.href,
              scope: "openid email profile",
              code_challenge: challenge,
              code_challenge_method: "S256",
              state: derived("state")(secret),
              nonce: derived("nonce")(secret),
              ...(isSilent ? { prompt: "none" } : {})
            })
        )),
    claimsOf: Effect.fn("SignInProvider.claimsOf")(function*(address, secret) {
      const { config, openid } = yield* discovered
      const attempt = <A>(
        request: () => Promise<A>
      ): Effect.Effect<A, SignInRefused | SignInUnavailable> =>
        Effect.catchAll(
          Effect.tryPromise(request),
          ({ error }): Effect.Effect<never, SignInRefused | SignInUnavailable> => {
            const isRefusal = error instanceof openid.AuthorizationResponseError
              || error instanceof openid.ResponseBodyError
            return isRefusal ? refused(error) : unavailable(error)
          }
        )
      const tokens = yield* attempt(() =>
        openid.authorizationCodeGrant(config, address, {
          expectedState: derived("state")(secret),
          expectedNonce: derived("nonce")(secret),
          pkceCodeVerifier: derived("code verifier")(secret),
          idTokenExpected: true
        })
      )
      const token = tokens.claims()
      if (token === undefined) return yield* new SignInRefused({ reason: "The identity provider sent no ID token." })
      // Some providers put the address into an ID token only if no access token comes with it.
      const person = token["email"] === undefined && config.serverMetadata().userinfo_endpoint !== undefined
        ? yield* attempt(() => openid.fetchUserInfo(config, tokens.access_token, token.sub))
        : {}
      return yield* Option.match(idClaims({ ...person, ...token }), {
        onNone: () =>
          new SignInRefused({ reason: "The identity provider did not name a verified e-mail address of yours." }),
        onSome: Effect.succeed
      })
    })
  }
}

const timeoutSeconds = 5

const derived = (purpose: string) => (secret: Redacted.Redacted): string =>
  createHmac("sha256", Redacted.value(secret)).update(purpose).digest("base64url")

type Refusal = OpenId.AuthorizationResponseError | OpenId.ResponseBodyError

const refused = ({ error, error_description: description = error }: Refusal) =>
  Effect.zipRight(
    // Such as login_required: the provider would have to ask the user, which a renewal must not.
    error.endsWith("_required")
      ? Effect.logInfo(`The identity provider renewed no session: ${error}`)
      : Effect.logWarning(`The identity provider refused a sign-in: ${error}`),
    new SignInRefused({ reason: `The identity provider refused the sign-in: ${description.slice(0, 300)}` })
  )
