import * as HttpClient from "@effect/platform/HttpClient"
import { SignInUnavailable } from "@troupe/domain/Caller"
import { Clock, Effect, Fiber, Option, Predicate, Runtime, Schema, Stream } from "effect"
import { createRemoteJWKSet, customFetch, type RemoteJWKSet } from "jose"
import { isSecureUrl } from "../Runtime/NetworkAddress.ts"

const maxAgeMillis = 10 * 60_000
const cooldownMillis = 30_000
/** Between attempts while there are no keys at all, or for keys that are unknown. */
const shortCooldownMillis = 2_000
/** Maximum number of unknown keys that are remembered. */
const maxUnknown = 100

/** The identity provider's public keys, kept until the scope closes. */
export const makeSigningKeys = (issuer: string) =>
  Effect.gen(function*() {
    const client = yield* HttpClient.HttpClient
    const scope = yield* Effect.scope
    const turn = yield* Effect.makeSemaphore(1)
    let keys: RemoteJWKSet | null = null
    let loadedAt = -Infinity
    let triedAt = -Infinity
    let attempts = 0
    /** When each was looked for last, by its id; the latest are at the end. */
    const unknown = new Map<string, number>()

    const load = Effect.gen(function*() {
      triedAt = yield* Clock.currentTimeMillis
      attempts++
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
    /** Of requests that wait for it at the same time, one loads. */
    const loadFor = (lacking: RemoteJWKSet, keyId: string) =>
      Effect.suspend(() => {
        const before = attempts
        return Effect.gen(function*() {
          if (keys === lacking) {
            yield* Effect.sleep(Math.max(0, triedAt + shortCooldownMillis - (yield* Clock.currentTimeMillis)))
            yield* load
          }
          // A load that began earlier may have missed a key that is newer.
          if (keys === lacking || attempts === before) return
          unknown.delete(keyId)
          unknown.set(keyId, triedAt)
          const [oldest = ""] = unknown.keys()
          if (unknown.size > maxUnknown) unknown.delete(oldest)
        }).pipe(turn.withPermits(1), Effect.forkIn(scope), Effect.flatMap(Fiber.join))
      })

    yield* loadAfter(shortCooldownMillis)

    return {
      /** The keys loaded last, however old. Keys of more than ten minutes are renewed in the background. */
      current: Effect.gen(function*() {
        if (keys === null) yield* Fiber.join(yield* loadAfter(shortCooldownMillis))
        if (keys === null) {
          return yield* new SignInUnavailable({
            reason: "The identity provider's keys can't be loaded; try again soon."
          })
        }
        const now = yield* Clock.currentTimeMillis
        if (now - loadedAt > maxAgeMillis && now - triedAt > cooldownMillis) yield* loadAfter(cooldownMillis)
        return keys
      }),
      /**
       * Newer keys than those that lack a key: loaded at most every 30 seconds for the same key, and every 2 seconds for
       * all. None: there are none.
       */
      renewed: Effect.fnUntraced(function*(lacking: RemoteJWKSet, keyId: string) {
        const now = yield* Clock.currentTimeMillis
        if (now - (unknown.get(keyId) ?? -Infinity) >= cooldownMillis) yield* loadFor(lacking, keyId)
        return keys === lacking ? Option.none() : Option.fromNullable(keys)
      })
    }
  })

const timeout = "5 seconds"
const maxBytes = 1024 * 1024

const Provider = Schema.parseJson(Schema.Struct({ issuer: Schema.String, jwks_uri: Schema.String }))

const loadKeys = (client: HttpClient.HttpClient, issuer: string): Effect.Effect<RemoteJWKSet, string> =>
  Effect.gen(function*() {
    const url = `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`
    const about = yield* Effect.mapError(
      Effect.flatMap(fetched(client, url), Schema.decodeUnknown(Provider)),
      (error) => typeof error === "string" ? error : `It is not what OpenID specifies: ${url}`
    )
    if (about.issuer !== issuer) {
      return yield* Effect.fail(`The issuer of the provider is ${about.issuer}; set OIDC_ISSUER to exactly that.`)
    }
    if (!isSecureUrl(about.jwks_uri)) {
      return yield* Effect.fail("The address of the keys (jwks_uri) does not begin with https://.")
    }
    const run = Runtime.runPromise(yield* Effect.runtime<never>())
    const keys = createRemoteJWKSet(new URL(about.jwks_uri), {
      // When to load again is decided here: earlier keys stay in use while the provider does not respond.
      cacheMaxAge: Infinity,
      cooldownDuration: Infinity,
      [customFetch]: (url) => run(Effect.map(fetched(client, url), (text) => new Response(text)))
    })
    yield* Effect.tryPromise({
      try: () => keys.reload(),
      catch: (error) => Predicate.isError(error) ? error.message : String(error)
    })
    return keys
  })

const fetched = (client: HttpClient.HttpClient, url: string): Effect.Effect<string, string> =>
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
    Effect.timeoutFail({ duration: timeout, onTimeout: () => `It did not respond within ${timeout}` }),
    Effect.mapError((error) => typeof error === "string" ? `${error}: ${url}` : `It can't be reached: ${url}`),
    // The span is not exported, so the provider must not get it as the parent of its trace.
    Effect.withTracerEnabled(false)
  )
