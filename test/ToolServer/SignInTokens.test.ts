import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Schedule } from "effect"
import { authorizationServer } from "../support/AuthorizationServer.ts"
import { eventually } from "../support/Eventually.ts"
import { isRecord, type SignedService, startService } from "./signIn.ts"
import { Service, timeout, world } from "./signInWorld.ts"

/** Each call is a whole task: more of them would only take processor time. */
const pace = Schedule.spaced("250 millis")

const callUntil = <A>(service: SignedService, question: Effect.Effect<A>, fits: (answer: A) => boolean) =>
  Effect.repeat(Effect.zipRight(service.asks("use srv__count {}"), Effect.map(question, fits)), {
    schedule: pace,
    until: (isFit) => isFit
  })

layer(Layer.scoped(Service, startService()), { excludeTestServices: true, timeout })(
  "The sign-in at a tool server",
  (it) => {
    it.scoped(
      "refreshes tokens ahead of their end, once for two processes, and no refresh token twice",
      () =>
        Effect.gen(function*() {
          const { authority, service, tools } = yield* world
          const other = yield* startService({}, service.url)
          authority.seconds = 2
          yield* service.connect("srv")
          yield* Effect.all([service.server("srv", "connected"), other.server("srv", "connected")])
          let asked = 0
          const calls = Effect.forEach(
            [service, other, service, other],
            (process) => Effect.flatMap(process.asks("use srv__count {}"), (id) => process.task(id, "completed")),
            { concurrency: "unbounded" }
          ).pipe(Effect.tap((tasks) => Effect.sync(() => asked += tasks.length)))
          yield* Effect.repeat(calls, { schedule: pace, until: () => authority.refreshed() >= 2 })
          assert.strictEqual(authority.replayed(), 0)
          assert.strictEqual(tools.called().length, asked, "each call was made once")
          const { connection } = yield* service.server("srv", "connected")
          assert(isRecord(connection))
          assert.isNotNull(connection["last_refresh"])
        }),
      timeout
    )

    it.scoped("retries a refresh that fails for now, and the task gets its result", () =>
      Effect.gen(function*() {
        const { authority, service, tools } = yield* world
        authority.seconds = 2
        yield* service.connect("srv")
        yield* service.server("srv", "connected")
        authority.refusal = { status: 503, body: { error: "temporarily_unavailable" } }
        yield* callUntil(
          service,
          service.query("select 1 from tool_server_authorizations where error is not null"),
          ({ length }) => length > 0
        )
        authority.refusal = null
        yield* service.query("update tool_server_authorizations set refresh_at = now()")
        yield* service.query("select pg_notify('troupe_tool_servers', '')")
        const id = yield* service.asks("use srv__count {}")
        yield* service.task(id, "completed")
        assert.include(JSON.stringify(yield* service.send("GET", `/task/${id}`)), "one")
        assert.isAbove(authority.refreshed(), 0)
        assert.isAbove(tools.called().length, 0)
      }), timeout)

    it.scoped("keeps tokens that were issued while its connection to the database ended", () =>
      Effect.gen(function*() {
        const { authority, service, tools } = yield* world
        authority.seconds = 2
        yield* service.connect("srv")
        yield* service.server("srv", "connected")
        let ended = 0
        authority.atRefresh = (moment) =>
          moment === "arrived" ? Effect.succeed(true) : Effect.map(
            service.query(`select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database()
and state = 'idle in transaction' and query like '%tool_server_authorizations%'`),
            ({ length }) => {
              ended += length
              authority.atRefresh = null
              return true
            }
          )
        const call = Effect.flatMap(service.asks("use srv__count {}"), (id) => service.task(id, "completed"))
        const calls = yield* Effect.repeat(Effect.as(call, 1), {
          schedule: Schedule.zipRight(pace, Schedule.count),
          until: () => authority.refreshed() >= 2
        })
        assert.strictEqual(ended, 1)
        assert.strictEqual(authority.replayed(), 0)
        assert.lengthOf(tools.called(), calls + 1)
      }), timeout)

    for (
      const [overlaps, status, outcome] of [
        [true, "connected", "goes on if the server takes the refresh token once more"],
        [false, "needs_sign_in", "ends for good, told once, if the server takes a refresh token once"]
      ] as const
    ) {
      it.scoped(`whose refreshed tokens are lost on the way ${outcome}`, () =>
        Effect.gen(function*() {
          const { authority, service } = yield* world
          authority.seconds = 600
          authority.overlaps = overlaps
          authority.atRefresh = (moment) => Effect.succeed(moment === "arrived")
          yield* service.connect("srv")
          const told = service.query("select 1 from notifications where title = 'srv needs a sign-in'")
          const before = yield* told
          yield* service.server("srv", "connected")
          yield* service.query("update tool_server_authorizations set refresh_at = now()")
          yield* service.query("select pg_notify('troupe_tool_servers', '')")
          yield* callUntil(
            service,
            service.query("select 1 from tool_server_authorizations where error is not null"),
            ({ length }) => length > 0
          )
          assert.deepStrictEqual([authority.refreshed(), authority.replayed()], [1, 0])
          authority.atRefresh = null
          yield* service.query("update tool_server_authorizations set refresh_at = now()")
          yield* service.query("select pg_notify('troupe_tool_servers', '')")
          yield* callUntil(service, Effect.sync(() => authority.replayed()), (count) => count > 0)
          yield* service.server("srv", status)
          assert.strictEqual(authority.replayed(), 1)
          assert.lengthOf(yield* told, before.length + (overlaps ? 0 : 1))
        }), timeout)
    }

    it.scoped(
      "revokes the tokens of a connection that is forgotten, as the authorization server wants it",
      () =>
        Effect.gen(function*() {
          const { authority, service, tools } = yield* world
          const client = { client_id: "theirs", client_secret: "a-secret" }
          const basic = `Basic ${Buffer.from("theirs:a-secret").toString("base64")}`
          for (
            const [entry, metadata, given] of [
              [{}, {}, { authorization: "", client_id: "client-1" }],
              [client, {}, { authorization: "", ...client }],
              [client, { revocation_endpoint_auth_methods_supported: ["client_secret_basic"] }, {
                authorization: basic
              }]
            ] as const
          ) {
            authority.metadata = metadata
            yield* service.configure({ srv: { url: tools.address, ...entry } })
            yield* service.connect("srv")
            authority.revoked.splice(0)
            assert.strictEqual((yield* service.send("DELETE", "/api/mcp/servers/srv/connection")).status, 204)
            yield* eventually(Effect.sync(() => authority.revoked), ({ length }) => length === 2)
            const kinds = authority.revoked.map((one) => ({ ...one, token: (one["token"] ?? "").replace(/-.*/, "") }))
            assert.deepStrictEqual<ReadonlyArray<object>>(kinds, [
              { ...given, token: "refresh", token_type_hint: "refresh_token" },
              { ...given, token: "access", token_type_hint: "access_token" }
            ])
          }
        }),
      timeout
    )

    it.scoped(
      "forgets a connection whether or not its tokens can be revoked, says if not, and sends them to no forbidden address",
      () =>
        Effect.gen(function*() {
          const { authority, service, tools } = yield* world
          yield* service.configure({ srv: { url: tools.address, client_id: "fourth" } })
          const other = yield* authorizationServer()
          let requests = 0
          const told = service.query<{ body: string }>(
            "select body from notifications where title = 'The tokens of srv are not revoked'"
          )
          const reasons: Array<string> = []
          for (
            const [status, metadata, more, reason] of [
              [200, {}, 2, null],
              [200, { revocation_endpoint: undefined }, 0, null],
              [200, { revocation_endpoint: "http://tokens.example.com/revoke" }, 0, "it is not https"],
              [200, { revocation_endpoint: `http://user@${new URL(other.issuer).host}/revoke` }, 0, "a user name"],
              [503, {}, 2, "server_error: HTTP 503: {}"],
              [400, {}, 2, "server_error: HTTP 400: {}"]
            ] as const
          ) {
            authority.revocation = status
            authority.metadata = metadata
            yield* service.connect("srv")
            assert.strictEqual((yield* service.send("DELETE", "/api/mcp/servers/srv/connection")).status, 204)
            assert.isNull((yield* service.server("srv"))["connection"])
            requests += more
            if (reason !== null) reasons.push(reason)
            yield* eventually(Effect.sync(() => authority.revoked), ({ length }) => length >= requests)
            const bodies = yield* eventually(told, ({ length }) => length >= reasons.length)
            assert.include(JSON.stringify(bodies), reason ?? "")
          }
          assert.lengthOf(authority.revoked, requests)
          assert.lengthOf(yield* told, reasons.length)
          assert.notMatch(JSON.stringify(yield* told), /access-|refresh-/)
          assert.lengthOf(other.revoked, 0)
        }),
      timeout
    )
  }
)
