import { Effect, type Scope } from "effect"
import { OAuth2Server } from "oauth2-mock-server"

export const audience = "troupe"

export interface TokenOptions {
  /** The key to sign with; without it, any of the provider's. */
  readonly kid?: string
  readonly header?: Readonly<Record<string, unknown>>
}

export interface IdentityProvider {
  readonly issuer: string
  /** A token that says what a real one would, with `claims` over it; undefined removes a claim. */
  readonly token: (claims?: Readonly<Record<string, unknown>>, options?: TokenOptions) => Effect.Effect<string>
  /** Publishes a new key, and answers its id. */
  readonly addKey: (algorithm: "RS256" | "ES256") => Effect.Effect<string>
  /** Whom its sign-in page signs in from now on: claims over those of Ada. */
  readonly signsIn: (claims?: Readonly<Record<string, unknown>>) => void
  readonly server: OAuth2Server
  readonly stop: Effect.Effect<void>
  readonly start: Effect.Effect<void>
}

const ada = { sub: "subject-of-ada", email: "ada@example.org", email_verified: true, name: "Ada Lovelace" }

/** A real OpenID provider on a free port. */
export const makeIdentityProvider: Effect.Effect<IdentityProvider, never, Scope.Scope> = Effect.gen(function*() {
  const server = new OAuth2Server()
  const addKey = (algorithm: string) =>
    Effect.promise(() => server.issuer.keys.generate(algorithm).then(({ kid }) => kid))
  yield* addKey("RS256")
  const stop = Effect.promise(() => server.listening ? server.stop() : Promise.resolve())
  yield* Effect.acquireRelease(Effect.promise(() => server.start(0, "127.0.0.1")), () => stop)
  const { port } = server.address()
  const issuer = `http://127.0.0.1:${port}`
  server.issuer.url = issuer
  let person: Readonly<Record<string, unknown>> = {}
  server.service.on("beforeTokenSigning", ({ payload }) => Object.assign(payload, ada, person))
  return {
    issuer,
    server,
    addKey,
    signsIn: (claims = {}) => {
      person = claims
    },
    stop,
    // A stopped provider forgets its address.
    start: Effect.promise(() => server.start(port, "127.0.0.1").then(() => void (server.issuer.url = issuer))),
    token: (claims = {}, { header, kid } = {}) =>
      Effect.promise(() =>
        server.issuer.buildToken({
          kid,
          scopesOrTransform: (headers, payload) => {
            Object.assign(headers, header)
            Object.assign(payload, { iss: issuer, aud: audience, ...ada, ...claims })
          }
        })
      )
  }
})
