import { assert, describe, it } from "@effect/vitest"
import { deliveryIdOf } from "../../../src/Intake/Webhook/WebhookDeliveryId.ts"
import { urlWithoutSecrets, withoutSecrets } from "../../../src/Intake/Webhook/WebhookHeaders.ts"

const idOf = (
  type: string,
  headers: Readonly<Record<string, string>>,
  fields: Readonly<Record<string, unknown>> = {}
) => deliveryIdOf(type, headers, () => ({ fields }))

describe("The id of a delivery", () => {
  it("is that of the sender's header, for any type", () => {
    assert.strictEqual(idOf("code-host", { "x-github-delivery": " d1 " }), "d1")
    assert.strictEqual(idOf("orders", { "webhook-id": "msg_1" }), "msg_1")
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

  it("has a limited length", () => {
    const long = "x".repeat(300)
    const id = idOf("orders", { "webhook-id": long })
    assert.match(id ?? "", /^sha256:[0-9a-f]{64}$/)
    assert.notStrictEqual(id, idOf("orders", { "webhook-id": `${long}x` }))
  })
})

describe("What is stored of a request", () => {
  it("has no secrets in its headers", () => {
    const secret = ["authorization", "cookie", "proxy-authorization", "x-gitlab-token", "x-shared-secret", "x-api-key"]
    const plain = { "content-type": "text/plain", "x-hub-signature-256": "sha256=0", "idempotency-key": "k" }
    assert.deepStrictEqual(
      withoutSecrets({ ...Object.fromEntries(secret.map((name) => [name, "s3cret"])), ...plain }),
      {
        ...Object.fromEntries(secret.map((name) => [name, "[redacted]"])),
        ...plain
      }
    )
  })

  it("has no secrets in the query of its address", () => {
    assert.strictEqual(urlWithoutSecrets("/webhook/orders"), "/webhook/orders")
    assert.strictEqual(
      urlWithoutSecrets("/webhook/orders?a=1&token=s3cret&api_key=x&sig=y?z&b"),
      "/webhook/orders?a=1&token=[redacted]&api_key=[redacted]&sig=[redacted]&b"
    )
  })
})
