import { assert, describe, it } from "@effect/vitest"
import { DateTime, Either, FastCheck, Redacted } from "effect"
import { createHmac } from "node:crypto"
import { Webhook } from "standardwebhooks"
import { verify, type WebhookScheme } from "../../../src/Intake/Webhook/WebhookSignature.ts"

const now = 1_750_000_000_000
const seconds = now / 1000
const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

const hex = (text: string | Uint8Array) => createHmac("sha256", secret).update(text).digest("hex")

const signs: Record<WebhookScheme, (body: Buffer, at?: number) => Readonly<Record<string, string>>> = {
  "code-host": (body) => ({ "x-hub-signature-256": `sha256=${hex(body)}` }),
  payments: (body, at = seconds) => ({
    "stripe-signature": `t=${at},v1=${hex(Buffer.concat([Buffer.from(`${at}.`), body]))},v0=00`
  }),
  standard: (body, at = seconds) => ({
    "webhook-id": "msg_1",
    "webhook-timestamp": `${at}`,
    "webhook-signature": `v1a,x ${
      new Webhook(secret).sign("msg_1", DateTime.toDate(DateTime.unsafeMake(at * 1000)), body.toString())
    }`
  })
}

const schemes: ReadonlyArray<WebhookScheme> = ["code-host", "payments", "standard"]

const options = (scheme: WebhookScheme) => ({
  secrets: new Map([["ORDERS", Redacted.make(secret)]]),
  schemes: new Map([["ORDERS", scheme]])
})

const isAccepted = (
  scheme: WebhookScheme,
  headers: Readonly<Record<string, string>>,
  body: Buffer,
  type = "orders"
) => Either.isRight(verify(options(scheme), type, { headers, body }, now))

const anyText = FastCheck.fullUnicodeString().map((text) => Buffer.from(text))

describe("The signature of a webhook", () => {
  it.each(schemes)("of %s is accepted for the body that was signed, and for no other", (scheme) => {
    FastCheck.assert(FastCheck.property(anyText, anyText, (body, other) => {
      const headers = signs[scheme](body)
      assert.isTrue(isAccepted(scheme, headers, body))
      assert.strictEqual(isAccepted(scheme, headers, other), body.equals(other))
    }))
  })

  it.each(schemes)("of %s is refused when it is missing, of another scheme, or anything else", (scheme) => {
    const body = Buffer.from("{}")
    assert.isFalse(isAccepted(scheme, {}, body))
    for (const other of schemes) {
      if (other !== scheme) assert.isFalse(isAccepted(scheme, signs[other](body), body))
    }
    const [name = ""] = Object.keys(signs[scheme](body)).slice(-1)
    FastCheck.assert(FastCheck.property(FastCheck.string(), (value) => {
      assert.isFalse(isAccepted(scheme, { ...signs[scheme](body), [name]: value }, body))
    }))
  })

  it.each(["payments", "standard"] as const)("of %s is refused five minutes before or after its time", (scheme) => {
    const body = Buffer.from("{}")
    for (const [by, expected] of [[-301, false], [-299, true], [299, true], [301, false]] as const) {
      assert.strictEqual(isAccepted(scheme, signs[scheme](body, seconds + by), body), expected, `${by} s`)
    }
  })

  it("of standard is made with the decoded secret, or with the characters of a text", () => {
    const body = Buffer.from("{}")
    const isAcceptedWith = (text: string, key: Uint8Array | string) =>
      Either.isRight(verify(
        { secrets: new Map([["ORDERS", Redacted.make(text)]]), schemes: new Map([["ORDERS", "standard"]]) },
        "orders",
        {
          body,
          headers: {
            ...signs.standard(body),
            "webhook-signature": `v1,${createHmac("sha256", key).update(`msg_1.${seconds}.{}`).digest("base64")}`
          }
        },
        now
      ))
    const encoded = secret.slice("whsec_".length)
    const decoded = Buffer.from(encoded, "base64")
    assert.isTrue(isAcceptedWith(secret, decoded))
    assert.isTrue(isAcceptedWith(encoded, decoded))
    assert.isTrue(isAcceptedWith(encoded, encoded))
    assert.isFalse(isAcceptedWith(secret, encoded))
    assert.isTrue(isAcceptedWith("a text of 16 or more", "a text of 16 or more"))
    for (const short of ["!!!!", "", "whsec_", "whsec_!!!!"]) assert.isFalse(isAcceptedWith(short, ""), short)
  })

  it("is asked for only of types with a secret, whose name a setting spells in capitals", () => {
    const given = {
      secrets: new Map([["CODE_HOST", Redacted.make(secret)], ["PAYMENTS", Redacted.make(secret)]]),
      schemes: new Map()
    }
    const body = Buffer.from("{}")
    const isRefused = (type: string, headers = {}) => Either.isLeft(verify(given, type, { headers, body }, now))
    assert.isFalse(isRefused("orders"))
    assert.isTrue(isRefused("code-host"))
    assert.isTrue(isRefused("Code.Host"))
    assert.isFalse(isRefused("code-host", signs["code-host"](body)))
    assert.isTrue(isRefused("payments", signs["code-host"](body)))
    assert.isFalse(isRefused("payments", signs.payments(body)))
  })
})
