import { assert, describe, it } from "@effect/vitest"
import { type HmacScheme, signingLines } from "@troupe/domain/WebhookScheme"
import { createHmac } from "node:crypto"
import { hmacScheme } from "../../../src/Intake/Webhook/Scheme/Hmac.ts"

const shop: HmacScheme = {
  title: "Shop",
  header: "X-Shop-Signature",
  encoding: "base64",
  prefix: "v0=",
  time: { header: "X-Shop-Timestamp", before: (time) => `v0:${time}:` }
}

const seconds = 1_750_000_000
const body = Buffer.from("{\"order\": 1042}")

const signed = (text: string) => `v0=${createHmac("sha256", "s3cret").update(text).digest("base64")}`

const refusalOf = (headers: Readonly<Record<string, string>>, scheme = shop) =>
  hmacScheme(scheme).verify({ headers, body, url: "https://troupe.example.org/webhook/shop" }, "s3cret", seconds * 1000)

const given = { "x-shop-timestamp": `${seconds}`, "x-shop-signature": signed(`v0:${seconds}:${body}`) }

describe("A scheme that is an HMAC in a header", () => {
  it("is verified over the time and the body, in the encoding and after the prefix of its record", () => {
    assert.isNull(refusalOf(given))
    assert.isNull(refusalOf({ ...given, "x-shop-signature": given["x-shop-signature"].replace("v0=", "V0=") }))
    const hex = createHmac("sha256", "s3cret").update(body).digest("hex")
    const { prefix: _, time: __, ...plain } = shop
    assert.isNull(refusalOf({ "x-shop-signature": hex }, { ...plain, encoding: "hex" }))
  })

  it("says what is wrong with a signature", () => {
    const form =
      "The header X-Shop-Signature must be v0= and the base64 HMAC of the time in X-Shop-Timestamp and the body."
    const mismatch = "The signature does not match the time in X-Shop-Timestamp and the body."
    assert.strictEqual(refusalOf({}), form)
    assert.strictEqual(refusalOf({ ...given, "x-shop-signature": "v0=00" }), form)
    assert.strictEqual(
      refusalOf({ "x-shop-signature": given["x-shop-signature"] }),
      "The header X-Shop-Timestamp is required."
    )
    assert.strictEqual(refusalOf({ ...given, "x-shop-timestamp": `${seconds + 1}` }), mismatch)
    assert.strictEqual(refusalOf({ ...given, "x-shop-signature": signed(body.toString()) }), mismatch)
    assert.include(refusalOf({ ...given, "x-shop-timestamp": `${seconds - 301}` }), "more than 5 minutes")
  })

  it("is signed by a shell as its record says", () => {
    assert.deepStrictEqual(signingLines(shop, "https://troupe.example.org/webhook/shop"), [
      "T=$(date +%s)",
      "SIGNATURE=$(printf %s \"v0:$T:$BODY\" | openssl dgst -sha256 -hmac \"$SECRET\" -binary | base64)",
      "HEADERS=(-H \"X-Shop-Timestamp: $T\" -H \"X-Shop-Signature: v0=$SIGNATURE\")"
    ])
  })
})
