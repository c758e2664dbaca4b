import { assert, describe, it } from "@effect/vitest"
import { type WebhookScheme, webhookSchemes } from "@troupe/domain/WebhookScheme"
import { DateTime, Either, FastCheck, Record, Redacted } from "effect"
import { createHash, createHmac } from "node:crypto"
import { Webhook } from "standardwebhooks"
import { verify } from "../../../src/Intake/Webhook/WebhookSignature.ts"

const now = 1_750_000_000_000
const seconds = now / 1000
const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

/** As the sender documents it, for fields with distinct names. */
const signedByTwilio = (url: string, fields: ReadonlyArray<readonly [string, string]>, key = secret) =>
  createHmac("sha1", key)
    .update(url + Object.entries(Object.fromEntries(fields)).toSorted().map((field) => field.join("")).join(""))
    .digest("base64")

const hex = (text: string | Uint8Array) => createHmac("sha256", secret).update(text).digest("hex")

const address = "https://troupe.example.org/webhook/orders"

const signs: Record<WebhookScheme, (body: Buffer, at?: number) => Readonly<Record<string, string>>> = {
  sms: (body) => ({ "x-twilio-signature": signedByTwilio(address, [...new URLSearchParams(body.toString())]) }),
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

const schemes = Record.keys(webhookSchemes)

const options = (scheme: WebhookScheme) => ({
  secrets: new Map([["ORDERS", Redacted.make(secret)]]),
  schemes: new Map([["ORDERS", scheme]])
})

const isAccepted = (
  scheme: WebhookScheme,
  headers: Readonly<Record<string, string>>,
  body: Buffer,
  type = "orders"
) => Either.isRight(verify(options(scheme), type, { headers, body, url: address }, now))

const anyText = FastCheck.fullUnicodeString().map((text) => Buffer.from(text))

const anyField = FastCheck.fullUnicodeString().map((text) => Buffer.from(`Body=${encodeURIComponent(text)}`))

describe("The signature of a webhook", () => {
  it.each(schemes)("of %s is accepted for the body that was signed, and for no other", (scheme) => {
    const given = scheme === "sms" ? anyField : anyText
    FastCheck.assert(FastCheck.property(given, given, (body, other) => {
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

  describe("of sms", () => {
    const isVerified = (url: string, body: string, signature: string, key = "12345") =>
      Either.isRight(verify(
        { secrets: new Map([["SMS", Redacted.make(key)]]), schemes: new Map() },
        "sms",
        { url, body: Buffer.from(body), headers: { "x-twilio-signature": signature } },
        now
      ))

    it("is the one of the sender's documentation", () => {
      const fields = "Digits=1234&To=%2B18005551212&From=%2B14158675310&Caller=%2B14158675310&CallSid=CA1234567890ABCDE"
      const url = "https://example.com/myapp.php?foo=1&bar=2"
      assert.isTrue(isVerified(url, fields, "L/OH5YylLD5NRKLltdqwSvS0BnU="))
      assert.isFalse(isVerified(url, fields, "L/OH5YylLD5NRKLltdqwSvS0BnU=", "54321"))
      assert.isFalse(isVerified(url.replace("foo=1", "foo=2"), fields, "L/OH5YylLD5NRKLltdqwSvS0BnU="))
      assert.isFalse(isVerified(url, `${fields}&Body=more`, "L/OH5YylLD5NRKLltdqwSvS0BnU="))
    })

    it("is over the address with or without its port, and of a repeated field over each value once", () => {
      const signed = (url: string, text: string) => createHmac("sha1", "12345").update(url + text).digest("base64")
      for (const [origin, port] of [["https://a.example", ""], ["https://a.example", ":8443"]] as const) {
        for (const shown of ["", port === "" ? ":443" : port]) {
          assert.isTrue(isVerified(`${origin}${port}/w`, "A=1", signed(`${origin}${shown}/w`, "A1")), port + shown)
        }
        assert.isFalse(isVerified(`${origin}${port}/w`, "A=1", signed(`${origin}:1/w`, "A1")))
      }
      const url = "https://a.example/w"
      assert.isTrue(isVerified(url, "A=2&a=0&A=1&A=2", signed(url, "A1A2a0")))
    })

    it("of a body that is no form is over the address, which has the digest of the body", () => {
      const body = "{\"Body\": \"Hello\"}"
      const url = `https://a.example/w?bodySHA256=${createHash("sha256").update(body).digest("hex")}`
      const signature = createHmac("sha1", "12345").update(url).digest("base64")
      assert.isTrue(isVerified(url, body, signature))
      assert.isFalse(isVerified(url, `${body} `, signature))
      assert.isFalse(isVerified("https://a.example/w", body, signature))
    })
  })

  it.each(["payments", "standard"] as const)("of %s is refused five minutes before or after its time", (scheme) => {
    const body = Buffer.from("{}")
    for (const [by, expected] of [[-301, false], [-299, true], [299, true], [301, false]] as const) {
      assert.strictEqual(isAccepted(scheme, signs[scheme](body, seconds + by), body), expected, `${by} s`)
    }
  })

  it("of standard may come in headers named svix-, all three under one name", () => {
    const body = Buffer.from("{}")
    const standard = signs.standard(body)
    const svix = Object.fromEntries(
      Object.entries(standard).map(([name, value]) => [name.replace("webhook-", "svix-"), value])
    )
    assert.isTrue(isAccepted("standard", svix, body))
    assert.isTrue(isAccepted("standard", { ...svix, ...standard }, body))
    assert.isTrue(isAccepted("standard", { ...svix, "webhook-id": "msg_2" }, body))
    assert.isFalse(isAccepted("standard", { ...svix, "svix-id": "msg_2" }, body))
    assert.isFalse(isAccepted("standard", { ...svix, "svix-signature": "" }, body))
    const { "webhook-id": id = "", ...rest } = standard
    assert.isFalse(isAccepted("standard", { ...rest, "svix-id": id }, body))
  })

  it("of standard is made with the decoded secret, or with the characters of a text", () => {
    const body = Buffer.from("{}")
    const isAcceptedWith = (text: string, key: Uint8Array | string) =>
      Either.isRight(verify(
        { secrets: new Map([["ORDERS", Redacted.make(text)]]), schemes: new Map([["ORDERS", "standard"]]) },
        "orders",
        {
          body,
          url: address,
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
    const isRefused = (type: string, headers = {}) =>
      Either.isLeft(verify(given, type, { headers, body, url: address }, now))
    assert.isFalse(isRefused("orders"))
    assert.isTrue(isRefused("code-host"))
    assert.isTrue(isRefused("Code.Host"))
    assert.isFalse(isRefused("code-host", signs["code-host"](body)))
    assert.isTrue(isRefused("payments", signs["code-host"](body)))
    assert.isFalse(isRefused("payments", signs.payments(body)))
  })
})
