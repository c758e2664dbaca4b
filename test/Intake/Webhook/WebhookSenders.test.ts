import { assert } from "@effect/vitest"
import { NotAllowed, SignInUnavailable, Unauthenticated } from "@troupe/domain/Caller"
import { UserId } from "@troupe/domain/Ids"
import { Clock, Effect, Layer, Redacted } from "effect"
import { createHmac } from "node:crypto"
import { Identity, withoutSeats } from "../../../src/People/SignIn/Identity.ts"
import * as hosted from "../../Http/hosted.ts"
import { isProblem } from "../../Http/RawHttp.ts"
import { inWorld, Wire } from "../../support/TaskWorld.ts"
import { send, served, stored } from "./webhooks.ts"

const verified = Effect.map(
  Effect.flatMap(
    Wire,
    ({ query }) =>
      query<{ type: string; is_verified: boolean }>("select type, is_verified from inbound_messages order by position")
  ),
  (rows) => rows.map(({ is_verified, type }) => [type, is_verified])
)

const secrets = new Map([["CODE_HOST", Redacted.make("s3cret")]])

const signature = `sha256=${createHmac("sha256", "s3cret").update("{}").digest("hex")}`

inWorld("POST /webhook/{type}", (test) => {
  test("accepts a recorded request once, however its unsigned parts are changed", function*() {
    const secrets = new Map([["CODE_HOST", Redacted.make("s3cret")], ["PAYMENTS", Redacted.make("s3cret")]])
    const { port } = yield* served({ secrets })
    const hex = (text: string) => createHmac("sha256", "s3cret").update(text).digest("hex")
    const event = "{\"id\": \"evt_1\"}"
    const at = Math.floor((yield* Clock.currentTimeMillis) / 1000)
    const payment = { "stripe-signature": `t=${at},v1=${hex(`${at}.${event}`)}` }
    const push = { "x-hub-signature-256": `sha256=${hex(event)}` }
    const added: ReadonlyArray<Readonly<Record<string, string>>> = [
      {},
      { "idempotency-key": "a" },
      { "x-github-delivery": "b" },
      { "webhook-id": "c" }
    ]
    const sent = [["payments", payment], ["Payments", payment], ["code-host", push], ["code.host", push]] as const
    for (const [type, signed] of sent) {
      for (const headers of added) {
        const answer = yield* send(port, type, event, { ...signed, ...headers })
        assert.strictEqual(answer.status, 200, answer.text)
      }
    }
    assert.deepStrictEqual((yield* stored).map(({ type }) => type), ["payments", "code-host"])
  })

  test("in the ingestor of hosted mode accepts only types with a secret, and team-chat", function*() {
    const { port } = yield* served({ isHosted: true, secrets })
    assert.strictEqual((yield* send(port, "code-host", "{}", { "x-hub-signature-256": signature })).status, 200)
    assert.strictEqual((yield* send(port, "team-chat", "{}")).status, 200)
    const refused = yield* send(port, "orders", "{}")
    isProblem(refused, 401, "webhook-unverified")
    assert.include(refused.text, "WEBHOOK_SECRET_ORDERS")
    assert.deepStrictEqual(yield* verified, [["code-host", true], ["team-chat", false]])
  })

  test("of a hosted service takes a valid signature instead of a token, and what the sender writes as one", function*() {
    const given = { ...hosted.settings("https://id.example.org"), WEBHOOK_SECRET_CODE_HOST: "s3cret" }
    const signIn = (refusal: Unauthenticated | NotAllowed) =>
      Layer.succeed(Identity, { ...withoutSeats, authenticate: () => refusal })
    const { port } = yield* served(
      { isHosted: true, secrets },
      given,
      signIn(new Unauthenticated({ reason: "Send an ID token." }))
    )
    const signed = { "x-hub-signature-256": signature }
    for (const type of ["code-host", "Code.Host", "CODE_HOST"]) {
      for (const other of [{}, { authorization: "Basic c2VuZGVyOg==" }, { authorization: "Bearer of-the-sender" }]) {
        assert.strictEqual((yield* send(port, type, "{}", { ...signed, ...other })).status, 200, type)
      }
    }
    for (const wrong of [{}, { "x-hub-signature-256": `sha256=${"0".repeat(64)}` }, { "x-hub-signature-256": "x" }]) {
      isProblem(yield* send(port, "code-host", "{}", wrong), 401, "webhook-unverified")
    }
    const unsigned = yield* send(port, "orders", "{}", signed)
    isProblem(unsigned, 401, "unauthenticated")
    assert.include(unsigned.text, "WEBHOOK_SECRET_ORDERS")
    assert.deepStrictEqual(yield* verified, [["code-host", true]])

    const stranger = yield* served(
      { isHosted: true, secrets },
      given,
      signIn(new NotAllowed({ reason: "You are not a member." }))
    )
    assert.strictEqual((yield* send(stranger.port, "code-host", "{}", signed)).status, 200)
    isProblem(yield* send(stranger.port, "orders", "{}"), 403, "forbidden")
  })

  test("gives a signed webhook with the token of a member to that member, and to nobody while no token can be checked", function*() {
    const given = { ...hosted.settings("https://id.example.org"), WEBHOOK_SECRET_CODE_HOST: "s3cret" }
    const headers = { "x-hub-signature-256": signature, authorization: "Bearer token" }
    const authenticates = (authenticate: typeof Identity.Service.authenticate) =>
      served({ isHosted: true, secrets }, given, Layer.succeed(Identity, { ...withoutSeats, authenticate }))
    const away = yield* authenticates(() => new SignInUnavailable({ reason: "The provider does not answer." }))
    isProblem(yield* send(away.port, "code-host", "{}", headers), 503, "sign-in-unavailable")
    const { port } = yield* authenticates(() => Effect.succeed({ id: UserId.make("ann"), role: "member" as const }))
    assert.strictEqual((yield* send(port, "code-host", "{}", headers)).status, 200)
    const { query } = yield* Wire
    assert.deepStrictEqual(yield* query("select creator from inbound_messages"), [{ creator: "ann" }])
  })

  test("counts a signed webhook for its address, once", function*() {
    const given = {
      ...hosted.settings("https://id.example.org"),
      WEBHOOK_SECRET_CODE_HOST: "s3cret",
      RATE_LIMIT_PER_MINUTE: "4",
      TRUSTED_PROXIES: "127.0.0.1"
    }
    const identity = Layer.succeed(Identity, {
      ...withoutSeats,
      authenticate: () => new Unauthenticated({ reason: "Send an ID token." })
    })
    const { port } = yield* served({ isHosted: true, secrets }, given, identity)
    const statusesOf = (address: string, headers: Readonly<Record<string, string>>) =>
      Effect.replicateEffect(
        Effect.map(send(port, "code-host", "{}", { ...headers, "x-forwarded-for": address }), ({ status }) => status),
        5
      )
    const signed = { "x-hub-signature-256": signature }
    assert.deepStrictEqual(yield* statusesOf("203.0.113.1", signed), [200, 200, 200, 200, 429])
    const withToken = { ...signed, authorization: "Bearer of-the-sender" }
    assert.deepStrictEqual(yield* statusesOf("203.0.113.2", withToken), [200, 200, 200, 200, 429])
    assert.deepStrictEqual(yield* statusesOf("203.0.113.3", {}), [401, 401, 401, 401, 429])
  })

  test("trusts a sender without a signature only on this machine, if self-hosted, unless told to", function*() {
    const forwarded = { "x-forwarded-for": "203.0.113.1" }
    const { port } = yield* served({ secrets }, { TRUSTED_PROXIES: "127.0.0.1" })
    yield* send(port, "local", "{}")
    yield* send(port, "forwarded", "{}", forwarded)
    yield* send(port, "token", "{}", { ...forwarded, authorization: "Bearer anything" })
    yield* send(port, "code-host", "{}", { ...forwarded, "x-hub-signature-256": signature })
    yield* send((yield* served({ trustUnsigned: true })).port, "trusted", "{}", forwarded)
    yield* send((yield* served({ isHosted: true, trustUnsigned: true })).port, "team-chat", "{}", forwarded)
    assert.deepStrictEqual(yield* verified, [
      ["local", true],
      ["forwarded", false],
      ["token", false],
      ["code-host", true],
      ["trusted", true],
      ["team-chat", true]
    ])
  })

  test("gives a webhook with the token of a member to that member, also when it is replayed", function*() {
    const ann = UserId.make("ann")
    const identity = Layer.succeed(Identity, {
      ...withoutSeats,
      authenticate: () => Effect.succeed({ id: ann, role: "owner" as const })
    })
    const { port } = yield* served({ isHosted: true }, hosted.settings("https://id.example.org"), identity)
    const { json } = yield* send(port, "orders", "{}", { "x-forwarded-for": "203.0.113.1" })
    yield* send(port, "team-chat", "{}", { authorization: "Bearer token" })
    const { message_id } = json as { readonly message_id: string }
    const replayed = yield* send(port, `deliveries/${message_id}/replay`, "{}")
    assert.strictEqual(replayed.status, 202, replayed.text)
    const { query } = yield* Wire
    assert.deepStrictEqual(
      yield* query("select type, is_verified, creator from inbound_messages order by position"),
      [
        { type: "orders", is_verified: true, creator: ann },
        { type: "team-chat", is_verified: false, creator: null },
        { type: "orders", is_verified: true, creator: ann }
      ]
    )
  })

  test("trusts a webhook of type team-chat if it is signed, or sent from this machine and self-hosted", function*() {
    const { port: own } = yield* served()
    assert.strictEqual((yield* send(own, "team-chat", "{}")).status, 200)
    const { port: hosted } = yield* served({
      isHosted: true,
      secrets: new Map([["TEAM_CHAT", Redacted.make("s3cret")]])
    })
    isProblem(yield* send(hosted, "team-chat", "{}"), 401, "webhook-unverified")
    assert.strictEqual((yield* send(hosted, "team-chat", "{}", { "x-hub-signature-256": signature })).status, 200)
    assert.deepStrictEqual(yield* verified, [["team-chat", true], ["team-chat", true]])
  })

  test("limits what one address sends to /webhook/team-chat, which is open", function*() {
    const { port } = yield* served()
    const answers = yield* Effect.replicateEffect(send(port, "team-chat", "{}"), 4)
    assert.deepStrictEqual(answers.map(({ status }) => status), [200, 200, 200, 429])
    assert.property(answers[3]?.headers ?? {}, "retry-after")
    assert.strictEqual((yield* send(port, "orders", "{}")).status, 200)
  })

  test("limits /webhook/team-chat of all addresses together, and an IPv6 network as one of them", function*() {
    const proxy = { TRUSTED_PROXIES: "127.0.0.1" }
    const statusesOf = (port: number, addresses: ReadonlyArray<string>) =>
      Effect.forEach(
        addresses,
        (address) => Effect.map(send(port, "team-chat", "{}", { "x-forwarded-for": address }), ({ status }) => status)
      )
    const all = ["203.0.113.1", "203.0.113.2", "203.0.113.3", "203.0.113.4", "203.0.113.5"]
    const open = yield* served({ chatInAllPerMinute: 4 }, proxy)
    assert.deepStrictEqual(yield* statusesOf(open.port, all), [200, 200, 200, 200, 429])
    const secrets = new Map([["TEAM_CHAT", Redacted.make("s3cret")]])
    const verified = yield* served({ chatInAllPerMinute: 4, secrets }, proxy)
    assert.deepStrictEqual(yield* statusesOf(verified.port, all), [401, 401, 401, 401, 401])
    const { port } = yield* served({ chatPerMinute: 1 }, proxy)
    const networks = ["2001:db8::1", "2001:db8::ffff:1", "2001:db8:0:1::1"]
    assert.deepStrictEqual(yield* statusesOf(port, networks), [200, 429, 200])
  })
})
