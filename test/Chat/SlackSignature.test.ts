import { assert, describe, it } from "@effect/vitest"
import { Either, FastCheck as fc, Option, Redacted } from "effect"
import { checkSignature, sign } from "../../src/Chat/Slack/SlackSignature.ts"

const secret = Redacted.make("8f742231b10e8888abcd99yyyzzz85a5")
const seconds = 1_531_420_618
const body = Buffer.from("token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow")

const request = (signature: string, timestamp: string, family = "x-slack") => ({
  headers: { [`${family}-signature`]: signature, [`${family}-request-timestamp`]: timestamp },
  body
})
const valid = request(sign(secret, String(seconds), body), String(seconds))
const accepts = (checked: ReturnType<typeof request>, atSeconds = seconds) =>
  Either.isRight(checkSignature(Option.some(secret), checked, atSeconds * 1000))

describe("signatures of the chat platform", () => {
  it("have a known form", () => {
    assert.strictEqual(
      sign(secret, "1", Buffer.from("a")),
      "v0=0cfb0d51924b95bc9267b4de3c6066a5f3e9c8ba1e2432ef313b2742a4ff74e4"
    )
  })

  it("are accepted under both names of the headers, for five minutes in both directions", () => {
    assert.isTrue(accepts(valid))
    assert.isTrue(accepts(request(sign(secret, String(seconds), body), String(seconds), "x-chat")))
    for (const [away, accepted] of [[-300, true], [300, true], [-301, false], [301, false]] as const) {
      assert.strictEqual(accepts(valid, seconds + away), accepted, String(away))
    }
  })

  it.each([
    [request("", String(seconds)), "does not match"],
    [request(valid.headers["x-slack-signature"] ?? "", "now"), "number"],
    [request(valid.headers["x-slack-signature"] ?? "", "-1"), "number"],
    [request(valid.headers["x-slack-signature"] ?? "", String(seconds + 1)), "does not match"],
    [{ ...valid, body: Buffer.from("other") }, "does not match"],
    [{ headers: {}, body }, "no signature"],
    [request(sign(Redacted.make("other"), String(seconds), body), String(seconds)), "does not match"]
  ])("%j is refused", (forged, reason) => {
    const checked = checkSignature(Option.some(secret), forged, seconds * 1000)
    assert.isTrue(Either.isLeft(checked) && checked.left.includes(reason))
  })

  it.prop(
    "match one body only",
    [fc.uint8Array({ maxLength: 64 }), fc.uint8Array({ maxLength: 64 })],
    ([one, other]) => {
      const signed = request(sign(secret, String(seconds), one), String(seconds))
      assert.isTrue(accepts({ ...signed, body: Buffer.from(one) }))
      assert.strictEqual(
        accepts({ ...signed, body: Buffer.from(other) }),
        Buffer.compare(Buffer.from(one), Buffer.from(other)) === 0
      )
    }
  )
})
