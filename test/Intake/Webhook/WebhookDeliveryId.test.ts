import { assert, describe, it } from "@effect/vitest"
import type { WebhookScheme } from "@troupe/domain/WebhookScheme"
import { deliveryIdOf, signedDeliveryIdOf } from "../../../src/Intake/Webhook/WebhookSignature.ts"

const idOf = (
  type: string,
  headers: Readonly<Record<string, string>>,
  fields: Readonly<Record<string, unknown>> = {}
) => deliveryIdOf(type, { headers, body: Buffer.from(JSON.stringify(fields)) })

const event = Buffer.from("{\"id\": \"evt_1\"}")

const signedIdOf = (scheme: WebhookScheme, headers: Readonly<Record<string, string>>, body: Buffer = event) =>
  signedDeliveryIdOf(scheme, { headers, body, url: "https://troupe.example.org/webhook/orders" })

/** Whoever repeats a recorded request can add and change these. */
const unsigned: ReadonlyArray<Readonly<Record<string, string>>> = [
  {},
  { "x-github-delivery": "a" },
  { "idempotency-key": "b", "content-type": "application/x-www-form-urlencoded" },
  { "content-type": "application/json; charset=utf-16" }
]

describe("The id of a delivery", () => {
  it("is that of the sender's header, for any type", () => {
    assert.strictEqual(idOf("code-host", { "x-github-delivery": " d1 " }), "d1")
    assert.strictEqual(idOf("orders", { "webhook-id": "msg_1" }), "msg_1")
    assert.strictEqual(idOf("orders", { "svix-id": "msg_1" }), "msg_1")
    assert.strictEqual(idOf("sms", { "i-twilio-idempotency-token": "t1" }, { MessageSid: "SM1" }), "t1")
  })

  it("is that of the event in the payload, for the types that have one", () => {
    assert.strictEqual(idOf("payments", {}, { id: "evt_1" }), "evt_1")
    assert.strictEqual(idOf("sms", {}, { MessageSid: "SM1" }), "SM1")
    assert.strictEqual(idOf("sms", {}, { MessageSid: "SM1", MessageStatus: "delivered" }), "SM1 delivered")
    assert.strictEqual(idOf("team-chat", {}, { event_id: "Ev1" }), "Ev1")
  })

  it("is none where the sender gives none", () => {
    assert.isNull(idOf("orders", { "x-github-delivery": " " }, { id: "1" }))
    assert.isNull(idOf("payments", {}, { id: 7 }))
    assert.isNull(idOf("constructor", {}))
  })

  it("is not looked for in a large payload, which anybody may have sent", () => {
    const padded = (length: number) => ({ id: "evt_1", padding: "x".repeat(length) })
    assert.strictEqual(idOf("payments", {}, padded(1_000_000)), "evt_1")
    assert.isNull(idOf("payments", {}, padded(1_100_000)))
    assert.strictEqual(idOf("payments", { "webhook-id": "msg_1" }, padded(1_100_000)), "msg_1")
  })

  it("has a limited length", () => {
    const long = "x".repeat(300)
    const id = idOf("orders", { "webhook-id": long })
    assert.match(id ?? "", /^sha256:[0-9a-f]{64}$/)
    assert.notStrictEqual(id, idOf("orders", { "webhook-id": `${long}x` }))
  })
})

describe("The id of a verified delivery", () => {
  it("is that of what is signed, whatever else the request says", () => {
    for (const headers of unsigned) {
      assert.strictEqual(signedIdOf("payments", headers), "evt_1")
      assert.strictEqual(signedIdOf("standard", { ...headers, "webhook-id": "msg_1" }), "msg_1")
      assert.strictEqual(signedIdOf("code-host", headers), signedIdOf("code-host", {}))
    }
  })

  it("of headers named svix- is theirs, though somebody adds another id under the other name", () => {
    const svix = { "svix-id": "msg_1", "svix-timestamp": "1", "svix-signature": "v1,x" }
    assert.strictEqual(signedIdOf("standard", svix), "msg_1")
    assert.strictEqual(signedIdOf("standard", { ...svix, "webhook-id": "msg_2" }), "msg_1")
  })

  it("is the digest of the body where that names none", () => {
    for (const scheme of ["code-host", "payments"] as const) {
      const bodies = ["[]", "[{\"id\": \"evt_1\"}]", "{\"id\": 7}", ""].map((text) => Buffer.from(text))
      const ids = bodies.map((body) => signedIdOf(scheme, { "webhook-id": "msg_1" }, body))
      ids.forEach((id) => assert.match(id, /^sha256:[0-9a-f]{64}$/))
      assert.strictEqual(new Set(ids).size, bodies.length)
    }
  })
})
