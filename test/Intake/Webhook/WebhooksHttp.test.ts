import { assert } from "@effect/vitest"
import type { WebhookDelivery, WebhookReceipt } from "@troupe/domain/Webhook"
import { Clock, Context, Duration, Effect, Layer, Redacted } from "effect"
import { createHmac } from "node:crypto"
import { connect } from "node:net"
import { InboundQueue } from "../../../src/Intake/InboundQueue.ts"
import { WebhookRepo } from "../../../src/Intake/Webhook/WebhookRepo.ts"
import { type WebhookOptions, Webhooks } from "../../../src/Intake/Webhook/Webhooks.ts"
import { isProblem, request } from "../../Http/RawHttp.ts"
import { app, makeStage, started } from "../../Http/TestServer.ts"
import { inWorld, Wire } from "../../support/TaskWorld.ts"

const defaults: WebhookOptions = {
  maxBodyBytes: 1024 * 1024,
  onlyVerified: false,
  isHosted: false,
  chatPerMinute: 3,
  chatInAllPerMinute: 0,
  secrets: new Map(),
  schemes: new Map()
}

/** The API over the real queue; yields its port and the use-cases. */
const served = (options: Partial<WebhookOptions> = {}, settings: Readonly<Record<string, string>> = {}) =>
  Effect.gen(function*() {
    const webhooks = yield* Layer.build(
      Webhooks.layer({ ...defaults, ...options }).pipe(
        Layer.provide(InboundQueue.layer),
        Layer.provideMerge(WebhookRepo.layer({ lockExpirationSeconds: 20 }))
      )
    )
    const given = Layer.succeedContext(webhooks)
    const none = undefined
    const stage = makeStage()
    const port = yield* started(stage, settings, app(stage, none, none, none, none, none, none, given))
    return { port, repo: Context.get(webhooks, WebhookRepo) }
  })

const send = (
  port: number,
  type: string,
  body: string | Uint8Array,
  headers: Readonly<Record<string, string>> = {}
) => request(port, { method: "POST", path: `/webhook/${type}`, body, headers })

const get = (port: number, path: string) => Effect.map(request(port, { path }), ({ json, status }) => [status, json])

const stored = Effect.flatMap(
  Wire,
  ({ query }) =>
    query<{ type: string; body: Buffer; headers: string; url: string; source_ip: string; content_type: string }>(
      "select type, body, headers, url, source_ip, content_type from inbound_messages order by position"
    )
)

const verified = Effect.map(
  Effect.flatMap(
    Wire,
    ({ query }) =>
      query<{ type: string; is_verified: boolean }>("select type, is_verified from inbound_messages order by position")
  ),
  (rows) => rows.map(({ is_verified, type }) => [type, is_verified])
)

inWorld("POST /webhook/{type}", (test) => {
  test(
    "commits the bytes as they were sent, whatever their type, and answers with the id",
    Effect.gen(function*() {
      const { port } = yield* served()
      const bodies: ReadonlyArray<readonly [string | Uint8Array, string]> = [
        ["{\"order\": 1}", "application/json"],
        ["From=%2B49&MessageSid=", "application/x-www-form-urlencoded"],
        [Uint8Array.from({ length: 256 }, (_, byte) => byte), "application/octet-stream"],
        ["[".repeat(100_000), "application/json"],
        ["\0", ""],
        ["", "text/plain"]
      ]
      for (const [body, type] of bodies) {
        const answer = yield* send(port, "orders", body, { "content-type": type })
        assert.strictEqual(answer.status, 200, answer.text)
        const receipt = answer.json as WebhookReceipt
        assert.deepStrictEqual({ ...receipt, message_id: "" }, {
          status: "received",
          message_id: "",
          webhook_type: "orders"
        })
        assert.match(receipt.message_id, /^[0-9a-f-]{36}$/)
      }
      const rows = yield* stored
      assert.deepStrictEqual(rows.map(({ body }) => body), bodies.map(([body]) => Buffer.from(body)))
      assert.deepStrictEqual(rows.map(({ content_type }) => content_type ?? ""), bodies.map(([, type]) => type))
    })
  )

  test(
    "takes any name of up to 128 characters as a type",
    Effect.gen(function*() {
      const { port } = yield* served()
      const names = ["health", "stats", "status", "deliveries", "Ünï cödé/x", "x".repeat(128), "..%2f", "team-chat"]
      for (const name of names) {
        assert.strictEqual((yield* send(port, encodeURIComponent(name), "{}")).status, 200, name)
      }
      assert.deepStrictEqual((yield* stored).map(({ type }) => type), names)
      for (const name of ["x".repeat(129), "%20"]) isProblem(yield* send(port, name, "{}"), 400, "invalid-request")
      isProblem(yield* request(port, { path: "/webhook/orders" }), 405, "method-not-allowed")
    })
  )

  test(
    "stores no secret, and the caller's address also behind a trusted proxy",
    Effect.gen(function*() {
      const { port } = yield* served({}, { TRUSTED_PROXIES: "127.0.0.1" })
      yield* send(port, "orders?token=s3cret&page=1", "{}", {
        authorization: "Bearer s3cret",
        "x-gitlab-token": "s3cret",
        "x-forwarded-for": "203.0.113.7"
      })
      const [row] = yield* stored
      assert.notInclude(JSON.stringify(row), "s3cret")
      assert.strictEqual(row?.url, "/webhook/orders?token=[redacted]&page=1")
      assert.strictEqual(row?.source_ip, "203.0.113.7")
    })
  )

  test(
    "answers a repeated delivery with the first one's id",
    Effect.gen(function*() {
      const { port } = yield* served()
      const headers = { "x-github-delivery": "72d3162e-cc78-11e3-81ab-4c9367dc0958" }
      const answers = yield* Effect.replicateEffect(send(port, "code-host", "{}", headers), 5)
      assert.strictEqual(new Set(answers.map(({ text }) => text)).size, 1)
      const events = yield* Effect.replicateEffect(send(port, "payments", "{\"id\": \"evt_1\"}"), 2)
      assert.strictEqual(new Set(events.map(({ text }) => text)).size, 1)
      assert.strictEqual((yield* stored).length, 2)
    })
  )

  test(
    "refuses a larger body with 413, one that is cut short with 400, and keeps neither",
    Effect.gen(function*() {
      const { port } = yield* served({ maxBodyBytes: 1000 })
      isProblem(yield* send(port, "orders", "x".repeat(1001)), 413, "too-large")
      assert.strictEqual((yield* send(port, "orders", "x".repeat(1000))).status, 200)
      yield* Effect.async<void>((resume) => {
        const socket = connect({ port, host: "127.0.0.1" }, () => {
          socket.end("POST /webhook/orders HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{")
        })
        socket.on("close", () => resume(Effect.void)).on("error", () => {}).resume()
      })
      assert.strictEqual((yield* stored).length, 1)
    })
  )

  test(
    "refuses what is not signed, where the type has a secret",
    Effect.gen(function*() {
      const { port } = yield* served({ secrets: new Map([["CODE_HOST", Redacted.make("s3cret")]]) })
      const signature = `sha256=${createHmac("sha256", "s3cret").update("{}").digest("hex")}`
      isProblem(yield* send(port, "code-host", "{}"), 401, "webhook-unverified")
      isProblem(
        yield* send(port, "code-host", "{ }", { "x-hub-signature-256": signature }),
        401,
        "webhook-unverified"
      )
      assert.strictEqual((yield* stored).length, 0)
      assert.strictEqual((yield* send(port, "code-host", "{}", { "x-hub-signature-256": signature })).status, 200)
      assert.strictEqual((yield* send(port, "orders", "{}")).status, 200)
    })
  )

  test(
    "takes a recorded request once, however it is changed where it is not signed",
    Effect.gen(function*() {
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
  )

  test(
    "without a sign-in takes only types with a secret, and team-chat, where members are told apart",
    Effect.gen(function*() {
      const secrets = new Map([["CODE_HOST", Redacted.make("s3cret")]])
      const { port } = yield* served({ onlyVerified: true, isHosted: true, secrets })
      const signature = `sha256=${createHmac("sha256", "s3cret").update("{}").digest("hex")}`
      assert.strictEqual((yield* send(port, "code-host", "{}", { "x-hub-signature-256": signature })).status, 200)
      assert.strictEqual((yield* send(port, "team-chat", "{}")).status, 200)
      const refused = yield* send(port, "orders", "{}")
      isProblem(refused, 401, "webhook-unverified")
      assert.include(refused.text, "WEBHOOK_SECRET_ORDERS")
      assert.deepStrictEqual(yield* verified, [["code-host", true], ["team-chat", false]])
    })
  )

  test(
    "knows that a webhook of type team-chat is from its sender by a signature, or where nobody signs in",
    Effect.gen(function*() {
      const { port: own } = yield* served()
      assert.strictEqual((yield* send(own, "team-chat", "{}")).status, 200)
      const { port: hosted } = yield* served({ isHosted: true, secrets: new Map([["TEAM_CHAT", Redacted.make("s")]]) })
      const signature = `sha256=${createHmac("sha256", "s").update("{}").digest("hex")}`
      isProblem(yield* send(hosted, "team-chat", "{}"), 401, "webhook-unverified")
      assert.strictEqual((yield* send(hosted, "team-chat", "{}", { "x-hub-signature-256": signature })).status, 200)
      assert.deepStrictEqual(yield* verified, [["team-chat", true], ["team-chat", true]])
    })
  )

  test(
    "limits what one address sends to /webhook/team-chat, which is open",
    Effect.gen(function*() {
      const { port } = yield* served()
      const answers = yield* Effect.replicateEffect(send(port, "team-chat", "{}"), 4)
      assert.deepStrictEqual(answers.map(({ status }) => status), [200, 200, 200, 429])
      assert.property(answers[3]?.headers ?? {}, "retry-after")
      assert.strictEqual((yield* send(port, "orders", "{}")).status, 200)
    })
  )

  test(
    "limits /webhook/team-chat of all addresses together, and an IPv6 network as one of them",
    Effect.gen(function*() {
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
  )

  test(
    "a page of another site can't send one to a service without a sign-in",
    Effect.gen(function*() {
      const { port } = yield* served()
      isProblem(yield* send(port, "orders", "a=1", { origin: "https://evil.example" }), 403, "forbidden")
      assert.strictEqual((yield* stored).length, 0)
    })
  )
})

inWorld("The queue of webhooks", (test) => {
  const given = Effect.gen(function*() {
    const { query } = yield* Wire
    yield* query("delete from cluster_runners where address = 'gone:1'")
    const rows = [
      ["pending", "orders", null, "now()", "null"],
      ["pending", "orders", null, "now()", "null"],
      ["processing", "code-host", null, "now()", "null"],
      ["failed", "orders", "It is poison.", "null", "now()"],
      ["done", "payments", null, "null", "now()"]
    ]
    for (const [index, [state, type, error, due, ended]] of rows.entries()) {
      yield* query(
        `insert into inbound_messages (id, source, type, state, last_error, due_at, ended_at, headers, url, body)
         values ($1, 'webhook', $2, $3, $4, ${due}, ${ended}, '{}', '/', '12345')`,
        [`00000000-0000-7000-8000-00000000000${index}`, type, state, error]
      )
    }
    yield* query(
      `insert into inbound_messages (id, source, type, headers, url) values (gen_random_uuid(), 'chat', 'event', '{}', '/')`
    )
  })
  const idAt = (index: number) => `00000000-0000-7000-8000-00000000000${index}`

  test(
    "is reported by its states, with what failed and whether a worker is alive",
    Effect.gen(function*() {
      yield* given
      const { port } = yield* served()
      const queue_stats = { pending: 2, processing: 1, failed: 1 }
      assert.deepStrictEqual(yield* get(port, "/webhook/health"), [
        200,
        { status: "ok", queue_stats, service: "troupe-webhooks" }
      ])
      const [, stats] = yield* get(port, "/webhook/stats")
      const { recent_failed_messages, ...rest } = stats as { recent_failed_messages: ReadonlyArray<object> }
      assert.deepStrictEqual(rest, { queue_stats })
      assert.strictEqual(recent_failed_messages.length, 1)
      assert.deepInclude(recent_failed_messages[0], { id: idAt(3), error: "It is poison." })
      assert.deepStrictEqual(yield* get(port, "/webhook/status"), [200, { status: "running", queue_stats }])
    })
  )

  test(
    "lists deliveries newest first, by type and state, page by page",
    Effect.gen(function*() {
      yield* given
      const { port } = yield* served()
      const idsAt = (path: string) =>
        Effect.map(request(port, { path }), ({ headers, json }) => ({
          ids: (json as ReadonlyArray<WebhookDelivery>).map(({ id }) => Number(id.slice(-1))),
          next: /^<([^>]+)>/.exec(headers["link"] ?? "")?.[1]
        }))
      const first = yield* idsAt("/webhook/deliveries?limit=3")
      assert.deepStrictEqual(first.ids, [4, 3, 2])
      assert.deepStrictEqual((yield* idsAt(first.next ?? "")).ids, [1, 0])
      assert.deepStrictEqual((yield* idsAt("/webhook/deliveries?type=orders&state=pending")).ids, [1, 0])
      const [, [failed]] = (yield* get(port, "/webhook/deliveries?state=failed")) as [number, [WebhookDelivery]]
      assert.deepInclude(failed, { webhook_type: "orders", error: "It is poison.", size: 5, next_attempt_at: null })
      isProblem(yield* request(port, { path: "/webhook/deliveries?state=lost" }), 400, "invalid-request")
    })
  )

  test(
    "processes a kept body again as a new delivery",
    Effect.gen(function*() {
      yield* given
      const { query } = yield* Wire
      const { port } = yield* served()
      const replay = (id: string) => request(port, { method: "POST", path: `/webhook/deliveries/${id}/replay` })
      const answer = yield* replay(idAt(3))
      assert.strictEqual(answer.status, 202, answer.text)
      const { message_id, replay_of } = answer.json as { message_id: string; replay_of: string }
      assert.strictEqual(replay_of, idAt(3))
      assert.deepStrictEqual(
        yield* query("select state, type, body::text as body from inbound_messages where id = $1", [message_id]),
        [{ state: "pending", type: "orders", body: `\\x${Buffer.from("12345").toString("hex")}` }]
      )
      isProblem(yield* replay(idAt(9)), 404, "webhook-delivery-not-found")
      isProblem(yield* replay("nonsense"), 404, "webhook-delivery-not-found")
      yield* query("update inbound_messages set body = null where id = $1", [idAt(4)])
      isProblem(yield* replay(idAt(4)), 409, "webhook-delivery-emptied")
    })
  )

  test(
    "lists chat too, and processes what failed of it again as the one that it was",
    Effect.gen(function*() {
      yield* given
      const { query } = yield* Wire
      yield* query(
        `update inbound_messages set state = 'failed', attempts = 5, due_at = null, ended_at = now(), body = '12345',
           delivery_id = 'Ev1' where source = 'chat'`
      )
      const { port } = yield* served()
      const listed = Effect.map(
        request(port, { path: "/webhook/deliveries?source=chat" }),
        ({ json }) => json as ReadonlyArray<WebhookDelivery>
      )
      const [event, ...others] = yield* listed
      assert.deepInclude(event, { source: "chat", webhook_type: "event", state: "failed", delivery_id: "Ev1" })
      assert.deepStrictEqual(others, [])
      const id = event?.id ?? ""
      const replay = request(port, { method: "POST", path: `/webhook/deliveries/${id}/replay` })
      for (const answer of [yield* replay, yield* replay]) {
        assert.deepStrictEqual([answer.status, answer.json], [202, { message_id: id, replay_of: id }])
      }
      const [again, ...more] = yield* listed
      assert.strictEqual(again?.id, id)
      assert.deepInclude(again, { state: "pending", attempts: 0, ended_at: null })
      assert.deepStrictEqual(more, [])
      yield* query(
        "update inbound_messages set state = 'done', due_at = null, ended_at = now(), body = null where id = $1",
        [id]
      )
      isProblem(yield* replay, 409, "webhook-delivery-emptied")
      isProblem(yield* request(port, { path: "/webhook/deliveries?source=" }), 400, "invalid-request")
    })
  )

  test(
    "loses processed deliveries after their retention, failed ones after a month, and unfinished ones never",
    Effect.gen(function*() {
      yield* given
      const { query } = yield* Wire
      const { repo } = yield* served()
      const purge = repo.purge(Duration.days(7))
      assert.strictEqual(yield* purge, 0)
      yield* query(
        "update inbound_messages set ended_at = ended_at - interval '8 days', received_at = now() - interval '60 days'"
      )
      assert.strictEqual(yield* purge, 1)
      yield* query("update inbound_messages set ended_at = ended_at - interval '23 days'")
      assert.strictEqual(yield* purge, 1)
      assert.strictEqual((yield* stored).length, 4)
    })
  )
})
