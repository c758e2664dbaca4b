import { assert } from "@effect/vitest"
import type { WebhookDelivery, WebhookReceipt } from "@troupe/domain/Webhook"
import { Effect, Redacted, Schema } from "effect"
import { createHmac } from "node:crypto"
import { inboundTable } from "../../../src/Intake/InboundMessage.ts"
import { makeQueue } from "../../../src/Queue/Queue.ts"
import { isProblem, request } from "../../Http/RawHttp.ts"
import { inWorld, Wire } from "../../support/TaskWorld.ts"
import { get, send, served, stored } from "./webhooks.ts"

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

  test("is reported by its states, with what failed and whether a worker is alive", function*() {
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

  test("lists deliveries newest first, by type and state, page by page", function*() {
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
    assert.deepInclude(failed, { beginning: "12345", verified: true })
    const { query } = yield* Wire
    yield* query("update inbound_messages set task_id = id, body = '\\x1f8b', is_verified = false where id = $1", [
      idAt(4)
    ])
    const [, ofTask] = (yield* get(port, `/webhook/deliveries?task_id=${idAt(4)}`)) as [number, [WebhookDelivery]]
    assert.strictEqual(ofTask.length, 1)
    assert.deepInclude(ofTask[0], { webhook_type: "payments", beginning: null, verified: false })
    isProblem(yield* request(port, { path: "/webhook/deliveries?state=lost" }), 400, "invalid-request")
  })

  test("shows a delivery with its headers, without secrets, and its payload", function*() {
    yield* given
    const { query } = yield* Wire
    const { port } = yield* served({ secrets: new Map([["SMS", Redacted.make("s3cret")]]) })
    const signature = createHmac("sha1", "s3cret")
      .update("https://troupe.example.org/webhook/sms?token=s3cretBodyHi there!From+4930")
      .digest("base64")
    const sent = (body: string) =>
      send(port, "sms?token=s3cret", body, {
        "content-type": "application/x-www-form-urlencoded",
        "x-twilio-signature": signature,
        authorization: "Bearer s3cret"
      })
    isProblem(yield* sent("From=%2B4930&Body=Bye"), 401, "webhook-unverified")
    const ids = yield* Effect.all([sent("From=%2B4930&Body=Hi+there!"), sent("Body=Hi%20there%21&From=%2b4930")])
    const [first, repeated] = ids.map(({ json }) => json as WebhookReceipt)
    const message_id = first?.message_id ?? ""
    assert.strictEqual(repeated?.message_id, message_id)
    const answer = yield* request(port, { path: `/webhook/deliveries/${message_id}` })
    assert.strictEqual(answer.status, 200, answer.text)
    assert.notInclude(answer.text, "s3cret")
    assert.deepNestedInclude(answer.json, {
      id: message_id,
      url: "/webhook/sms?token=[redacted]",
      "headers.x-twilio-signature": signature,
      "headers.authorization": "[redacted]",
      "payload.Body": "Hi there!"
    })
    const contentOf = (id: string) => Effect.map(get(port, `/webhook/deliveries/${id}`), ([, content]) => content)
    assert.deepNestedInclude(yield* contentOf(idAt(0)), { id: idAt(0), payload: { value: 12345 } })
    yield* query("update inbound_messages set body = null where id = $1", [idAt(4)])
    assert.deepInclude(yield* contentOf(idAt(4)), { id: idAt(4), payload: null, size: null })
    yield* query("update inbound_messages set source = 'chat' where id = $1", [idAt(1)])
    assert.deepInclude(yield* contentOf(idAt(1)), { source: "chat", payload: null, size: 5 })
    isProblem(yield* request(port, { path: `/webhook/deliveries/${idAt(9)}` }), 404, "webhook-delivery-not-found")
  })

  test("processes a kept body again as a new delivery", function*() {
    yield* given
    const { query } = yield* Wire
    const { port } = yield* served()
    yield* query("update inbound_messages set is_verified = false where id = $1", [idAt(3)])
    const replay = (id: string) => request(port, { method: "POST", path: `/webhook/deliveries/${id}/replay` })
    const answer = yield* replay(idAt(3))
    assert.strictEqual(answer.status, 202, answer.text)
    const { message_id, replay_of } = answer.json as { message_id: string; replay_of: string }
    assert.strictEqual(replay_of, idAt(3))
    assert.deepStrictEqual(
      yield* query("select state, type, is_verified, body::text as body from inbound_messages where id = $1", [
        message_id
      ]),
      [{ state: "pending", type: "orders", is_verified: false, body: `\\x${Buffer.from("12345").toString("hex")}` }]
    )
    isProblem(yield* replay(idAt(9)), 404, "webhook-delivery-not-found")
    isProblem(yield* replay("nonsense"), 404, "webhook-delivery-not-found")
    yield* query("update inbound_messages set body = null where id = $1", [idAt(4)])
    isProblem(yield* replay(idAt(4)), 409, "webhook-delivery-emptied")
  })

  test("lists chat too, and processes what failed of it again as the one that it was", function*() {
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

  test("loses processed deliveries after their retention, failed ones after a month, and unfinished ones never", function*() {
    yield* given
    const { query } = yield* Wire
    const queue = yield* makeQueue(inboundTable, Schema.Struct({}))
    const purged = Effect.map(Effect.zipRight(queue.purge({ done: 7, failed: 30 }), stored), ({ length }) => length)
    assert.strictEqual(yield* purged, 6)
    yield* query(
      "update inbound_messages set ended_at = ended_at - interval '8 days', received_at = now() - interval '60 days'"
    )
    assert.strictEqual(yield* purged, 5)
    yield* query("update inbound_messages set ended_at = ended_at - interval '23 days'")
    assert.strictEqual(yield* purged, 4)
  })
})
