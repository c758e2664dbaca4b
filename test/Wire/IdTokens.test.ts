import { HttpClient } from "@effect/platform"
import { NodeHttpClient } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Unauthenticated } from "@troupe/domain/Caller"
import { Clock, Context, Effect, Fiber, Layer, Logger, Option, Redacted, TestClock } from "effect"
import { exportSPKI, importJWK, SignJWT, UnsecuredJWT } from "jose"
import { IdTokens } from "../../src/Wire/IdTokens.ts"
import { makeSigningKeys } from "../../src/Wire/SigningKeys.ts"
import { eventually } from "../support/Eventually.ts"
import { audience, makeIdentityProvider } from "../support/IdentityProvider.ts"
import { serve } from "../support/LocalServer.ts"

/** A provider, and what checks its tokens, on a clock that begins at the real time and is the test's from then on. */
const world = Effect.gen(function*() {
  const provider = yield* makeIdentityProvider
  yield* TestClock.setTime(yield* Effect.sync(() => performance.timeOrigin + performance.now()))
  const requests: Array<string> = []
  const client = Layer.effect(
    HttpClient.HttpClient,
    Effect.map(
      HttpClient.HttpClient,
      HttpClient.tapRequest(({ url }) => Effect.sync(() => requests.push(new URL(url).pathname)))
    )
  ).pipe(Layer.provide(NodeHttpClient.layerUndici))
  const context = yield* Layer.build(
    Layer.provide(IdTokens.layer({ issuer: provider.issuer, audience }), client)
  )
  const tokens = Context.get(context, IdTokens)
  const verify = (token: string) => tokens.verify(Redacted.make(token))
  return {
    ...provider,
    verify,
    /** Why a token is refused. */
    refusal: (token: string) => Effect.map(Effect.flip(verify(token)), ({ reason }) => reason),
    /** How often the keys were asked for. */
    loads: () => requests.filter((path) => path.endsWith("/openid-configuration")).length
  }
})

describe("An ID token", () => {
  it.scoped("is accepted with RS256 and ES256, and identifies its holder", () =>
    Effect.gen(function*() {
      const { addKey, token, verify } = yield* world
      assert.deepStrictEqual(yield* verify(yield* token()), {
        subject: "subject-of-ada",
        email: "ada@example.org",
        name: Option.some("Ada Lovelace")
      })
      yield* TestClock.adjust("31 seconds")
      const kid = yield* addKey("ES256")
      const plain = yield* verify(
        yield* token({ name: undefined, email_verified: "true", aud: ["x", audience] }, { kid })
      )
      assert.deepStrictEqual(plain.name, Option.none())
    }))

  it.scoped("is refused with another signature, issuer, audience, type or holder", () =>
    Effect.gen(function*() {
      const { issuer, refusal, server, token, verify } = yield* world
      const good = yield* token()
      yield* verify(good)
      const [head = "", body = "", signature = ""] = good.split(".")
      const now = Math.floor((yield* Clock.currentTimeMillis) / 1000)
      const claims = {
        iss: issuer,
        aud: audience,
        sub: "s",
        email: "ada@example.org",
        email_verified: true,
        exp: now + 60
      }
      const [published] = server.issuer.keys.toJSON()
      const publicKey = yield* Effect.promise(() => importJWK(published ?? {}, "RS256"))
      const pem = yield* Effect.promise(() =>
        publicKey instanceof Uint8Array ? Promise.resolve("") : exportSPKI(publicKey)
      )
      const confused = yield* Effect.promise(() =>
        new SignJWT(claims).setProtectedHeader({
          alg: "HS256",
          ...(published === undefined ? {} : { kid: published.kid })
        })
          .sign(Buffer.from(pem))
      )
      const forged = JSON.stringify({ ...claims, sub: "someone else" })
      const refused: Record<string, string> = {
        "alg none": new UnsecuredJWT(claims).encode(),
        "HS256 with the public key": confused,
        "no signature": `${head}.${body}.`,
        "other claims": `${head}.${Buffer.from(forged).toString("base64url")}.${signature}`,
        "no token": "nonsense",
        "another audience": yield* token({ aud: "another" }),
        "no audience": yield* token({ aud: undefined }),
        "another issuer": yield* token({ iss: "https://accounts.example.org" }),
        "an issuer that only looks alike": yield* token({ iss: `${issuer}/` }),
        "no expiry": yield* token({ exp: undefined }),
        "no subject": yield* token({ sub: undefined }),
        "an empty subject": yield* token({ sub: "" }),
        "no address": yield* token({ email: undefined }),
        "an unverified address": yield* token({ email_verified: false }),
        "nothing about its address": yield* token({ email_verified: undefined }),
        "an access token": yield* token({}, { header: { typ: "at+jwt" } })
      }
      for (const [what, token] of Object.entries(refused)) {
        const error = yield* Effect.flip(verify(token))
        assert.instanceOf(error, Unauthenticated, what)
        assert.notInclude(error.message, token === "nonsense" ? "\0" : token.slice(0, 20), what)
      }
      assert.strictEqual(yield* refusal(confused), "The token must be signed with RS256 or ES256.")
    }))

  it.scoped("has a minute on both sides for clocks that differ", () =>
    Effect.gen(function*() {
      const { refusal, token, verify } = yield* world
      const now = Math.floor((yield* Clock.currentTimeMillis) / 1000)
      yield* verify(yield* token({ nbf: now + 55 }))
      assert.include(yield* refusal(yield* token({ nbf: now + 65 })), "nbf")
      const brief = yield* token({ exp: now + 10 })
      yield* TestClock.adjust("65 seconds")
      yield* verify(brief)
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual(yield* refusal(brief), "The token has expired. Sign in again.")
    }))
})

describe("The keys of the provider", () => {
  it.scopedLive("are requested without a parent for the provider's trace, because the span is not exported", () =>
    Effect.gen(function*() {
      const headers: Array<string> = []
      const issuer = yield* serve((request, response) => {
        headers.push(...Object.keys(request.headers))
        response.writeHead(404).end()
      })
      const { current } = yield* Effect.provide(makeSigningKeys(issuer), yield* Layer.build(NodeHttpClient.layerUndici))
      yield* Effect.flip(current)
      assert.include(headers, "accept")
      assert.notInclude(headers, "traceparent")
      assert.notInclude(headers, "b3")
    }))

  it.scoped("are loaded once for many tokens, and again for an unknown key, at most every 30 seconds", () =>
    Effect.gen(function*() {
      const { addKey, loads, refusal, token, verify } = yield* world
      const good = yield* token()
      yield* Effect.all(Effect.replicate(verify(good), 20), { concurrency: "unbounded" })
      assert.strictEqual(loads(), 1)
      yield* TestClock.adjust("2 seconds")
      const unknown = yield* token({}, { header: { kid: "of nobody" } })
      yield* Effect.all(Effect.replicate(refusal(unknown), 20), { concurrency: "unbounded" })
      assert.strictEqual(loads(), 2)
      yield* TestClock.adjust("29 seconds")
      assert.include(yield* refusal(unknown), "does not publish")
      assert.strictEqual(loads(), 2)
      const rotated = yield* token({}, { kid: yield* addKey("RS256") })
      yield* Effect.all(Effect.replicate(verify(rotated), 20), { concurrency: "unbounded" })
      assert.strictEqual(loads(), 3)
      yield* TestClock.adjust("1 second")
      const late = yield* Effect.fork(refusal(unknown))
      yield* TestClock.adjust("2 seconds")
      yield* Fiber.join(late)
      assert.strictEqual(loads(), 4)
    }))

  it.scoped("are loaded again for a new key right after an unknown one: its token waits for two seconds", () =>
    Effect.gen(function*() {
      const { addKey, loads, refusal, token, verify } = yield* world
      yield* verify(yield* token())
      yield* TestClock.adjust("2 seconds")
      yield* refusal(yield* token({}, { header: { kid: "of nobody" } }))
      const rotated = yield* token({}, { kid: yield* addKey("RS256") })
      const waiting = yield* Effect.fork(verify(rotated))
      const others = yield* Effect.forEach(
        ["a", "b", "c"],
        (kid) => Effect.flatMap(token({}, { header: { kid } }), (token) => Effect.fork(refusal(token)))
      )
      yield* TestClock.adjust("1999 millis")
      assert.strictEqual(loads(), 2)
      yield* TestClock.adjust("1 millis")
      yield* Fiber.join(waiting)
      yield* Fiber.joinAll(others)
      assert.strictEqual(loads(), 3)
    }))

  it.scopedLive("are not read beyond a megabyte", () =>
    Effect.gen(function*() {
      const issuer: string = yield* serve((request, response) => {
        response.writeHead(200, { "content-type": "application/json" }).end(
          request.url === "/keys"
            ? JSON.stringify({ keys: [], padding: "x".repeat(1024 * 1024) })
            : JSON.stringify({ issuer, jwks_uri: `${issuer}/keys` })
        )
      })
      const logged: Array<unknown> = []
      const logger = Logger.replace(Logger.defaultLogger, Logger.make(({ message }) => logged.push(message)))
      const context = yield* Layer.build(Layer.merge(NodeHttpClient.layerUndici, logger))
      const { current } = yield* Effect.provide(makeSigningKeys(issuer), context)
      assert.strictEqual((yield* Effect.flip(current))._tag, "SignInUnavailable")
      assert.include(String(logged), `It is too long: ${issuer}/keys`)
    }))

  it.scoped("stay while the provider is away, and are renewed once it is back", () =>
    Effect.gen(function*() {
      const { addKey, loads, start, stop, token, verify } = yield* world
      const good = yield* token({ exp: 4_000_000_000 })
      yield* verify(good)
      yield* stop
      yield* TestClock.adjust("5 hours")
      yield* verify(good)
      yield* eventually(Effect.sync(loads), (count) => count === 2)
      yield* start
      const kid = yield* addKey("RS256")
      yield* TestClock.adjust("31 seconds")
      yield* verify(yield* token({ exp: 4_000_000_000 }, { kid }))
    }))

  it.scoped("are loaded again soon when there are none, and requests fail as unavailable", () =>
    Effect.gen(function*() {
      const { issuer, start, stop, token } = yield* makeIdentityProvider
      yield* TestClock.setTime(yield* Effect.sync(() => performance.timeOrigin + performance.now()))
      const good = yield* token()
      yield* stop
      const tokens = Context.get(
        yield* Layer.build(Layer.provide(IdTokens.layer({ issuer, audience }), NodeHttpClient.layerUndici)),
        IdTokens
      )
      const verify = tokens.verify(Redacted.make(good))
      const error = yield* Effect.flip(verify)
      assert.strictEqual(error._tag, "SignInUnavailable")
      yield* start
      assert.strictEqual((yield* Effect.flip(verify))._tag, "SignInUnavailable")
      yield* TestClock.adjust("2 seconds")
      yield* verify
    }))
})
