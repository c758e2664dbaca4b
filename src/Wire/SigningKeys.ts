import * as HttpClient from "@effect/platform/HttpClient"
import { SignInUnavailable } from "@troupe/domain/Caller"
import { Clock, Effect, Fiber, Option, Schema, Stream } from "effect"
import { createLocalJWKSet, type LocalJWKSet } from "jose"
import { isSecureUrl } from "../Runtime/NetworkAddress.ts"

const maxAgeMillis = 10 * 60_000
const cooldownMillis = 30_000
/** Between attempts while there are no keys at all. */
const firstCooldownMillis = 2_000

/** The identity provider's public keys, kept until the scope closes. */
export const makeSigningKeys = (issuer: string) =>
  Effect.gen(function*() {
    const client = yield* HttpClient.HttpClient
    const scope = yield* Effect.scope
    const turn = yield* Effect.makeSemaphore(1)
    let keys: LocalJWKSet | null = null
    let loadedAt = -Infinity
    let triedAt = -Infinity

    const load = Effect.gen(function*() {
      triedAt = yield* Clock.currentTimeMillis
      const loaded = yield* Effect.either(loadKeys(client, issuer))
      if (loaded._tag === "Left") {
        const next = keys === null ? "no token can be checked until it succeeds" : "the earlier keys are still used"
        return yield* Effect.logWarning(`Loading the signing keys of ${issuer} failed; ${next}: ${loaded.left}`)
      }
      keys = loaded.right
      loadedAt = yield* Clock.currentTimeMillis
    })
    /** Requests that wait for a load share it, and it goes on without them. */
    const loadAfter = (cooldown: number) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => now - triedAt < cooldown ? Effect.void : load).pipe(
        turn.withPermits(1),
        Effect.forkIn(scope)
      )

    yield* loadAfter(firstCooldownMillis)

    return {
      /** The keys loaded last, however old. Keys of more than ten minutes are renewed in the background. */
      current: Effect.gen(function*() {
        if (keys === null) yield* Fiber.join(yield* loadAfter(firstCooldownMillis))
        if (keys === null) {
          return yield* new SignInUnavailable({
            reason: "The identity provider's keys can't be loaded; try again soon."
          })
        }
        const now = yield* Clock.currentTimeMillis
        if (now - loadedAt > maxAgeMillis && now - triedAt > cooldownMillis) yield* loadAfter(cooldownMillis)
        return keys
      }),
      /** For a key that `lacking` lacks: loads again, at most every 30 seconds. None: there are no newer keys. */
      renewed: Effect.fnUntraced(function*(lacking: LocalJWKSet) {
        if (keys === lacking) yield* Fiber.join(yield* loadAfter(cooldownMillis))
        return keys === lacking ? Option.none() : Option.fromNullable(keys)
      })
    }
  })

const timeout = "5 seconds"
const maxBytes = 1024 * 1024

const Provider = Schema.parseJson(Schema.Struct({ issuer: Schema.String, jwks_uri: Schema.String }))

const optional = Schema.optionalWith(Schema.String, { exact: true })
const common = {
  kid: optional,
  use: Schema.optionalWith(Schema.Literal("sig"), { exact: true })
}
/** Public keys for the two accepted algorithms. */
const Key = Schema.Union(
  Schema.Struct({
    ...common,
    kty: Schema.Literal("RSA"),
    alg: Schema.optionalWith(Schema.Literal("RS256"), { exact: true }),
    n: Schema.String,
    e: Schema.String
  }),
  Schema.Struct({
    ...common,
    kty: Schema.Literal("EC"),
    alg: Schema.optionalWith(Schema.Literal("ES256"), { exact: true }),
    crv: Schema.Literal("P-256"),
    x: Schema.String,
    y: Schema.String
  })
)
const KeySet = Schema.parseJson(Schema.Struct({ keys: Schema.Array(Schema.Unknown) }))
const decodeKey = Schema.decodeUnknownOption(Key)

const loadKeys = (client: HttpClient.HttpClient, issuer: string): Effect.Effect<LocalJWKSet, string> =>
  Effect.gen(function*() {
    const about = yield* fetched(client, `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`, Provider)
    if (about.issuer !== issuer) {
      return yield* Effect.fail(`The issuer of the provider is ${about.issuer}; set OIDC_ISSUER to exactly that.`)
    }
    if (!isSecureUrl(about.jwks_uri)) {
      return yield* Effect.fail("The address of the keys (jwks_uri) does not begin with https://.")
    }
    const found = yield* fetched(client, about.jwks_uri, KeySet)
    const keys = found.keys.flatMap((key) => Option.toArray(decodeKey(key)))
    if (keys.length === 0) return yield* Effect.fail("The provider has no RS256 or ES256 key.")
    return createLocalJWKSet({ keys })
  })

const fetched = <A, I>(client: HttpClient.HttpClient, url: string, schema: Schema.Schema<A, I>) =>
  client.get(url, { acceptJson: true }).pipe(
    Effect.filterOrFail(({ status }) => status === 200, ({ status }) => `It responds with ${status}`),
    Effect.flatMap(({ stream }) =>
      Stream.runFoldEffect(
        Stream.decodeText(stream),
        "",
        (text, piece) =>
          text.length + piece.length > maxBytes ? Effect.fail("It is too long") : Effect.succeed(text + piece)
      )
    ),
    Effect.flatMap((text) =>
      Effect.mapError(Schema.decodeUnknown(schema)(text), () => "It is not what OpenID specifies")
    ),
    Effect.timeoutFail({ duration: timeout, onTimeout: () => `It did not respond within ${timeout}` }),
    Effect.mapError((error) => typeof error === "string" ? `${error}: ${url}` : `It can't be reached: ${url}`),
    // The span is not exported, so the provider must not get it as the parent of its trace.
    Effect.withTracerEnabled(false)
  )
