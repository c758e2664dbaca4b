import { assert, describe, it } from "@effect/vitest"
import { automaticReason, isAuthenticated } from "../../../src/Intake/Mail/MailAdmission.ts"

const own = ["troupe@example.org"]
const reason = (name: string, value: string, address = "ada@example.net") =>
  automaticReason({ headers: [{ name, value }], address }, own)

describe("A mail of a program", () => {
  it.each([
    ["auto-submitted", "auto-replied"],
    ["auto-submitted", "Auto-Generated; x=y"],
    ["precedence", "Bulk"],
    ["precedence", "auto_reply"],
    ["list-id", "<news.example.net>"],
    ["x-autoreply", "yes"],
    ["return-path", "<>"],
    ["content-type", "multipart/report; report-type=delivery-status"],
    ["x-loop", "troupe@example.org"]
  ])("is recognised by %s: %s", (name, value) => assert.isNotNull(reason(name, value)))

  it("is recognised by its author: a mail server, or this service", () => {
    assert.isNotNull(reason("subject", "x", "mailer-daemon@mx.example.net"))
    assert.isNotNull(reason("subject", "x", "troupe@example.org"))
  })

  it.each([
    ["auto-submitted", "no"],
    ["precedence", "normal"],
    ["x-auto-response-suppress", "None"],
    ["x-auto-response-suppress", "OOF, AutoReply"],
    ["x-auto-response-suppress", "All"],
    ["return-path", "<ada@example.net>"],
    ["content-type", "multipart/mixed"],
    ["x-loop", "other@example.org"]
  ])("is not assumed for %s: %s", (name, value) => assert.isNull(reason(name, value)))
})

const by = (...values: ReadonlyArray<string>) =>
  isAuthenticated(
    [
      { name: "received", value: "from somewhere" },
      ...values.map((value) => ({ name: "authentication-results", value }))
    ],
    "MX.example.org",
    "example.net"
  )

describe("The authentication of a sender", () => {
  it.each([
    "mx.example.org; dmarc=pass (p=REJECT dis=NONE) header.from=example.net",
    "mx.example.org 1; dkim=pass header.d=example.net header.b=abc; spf=fail smtp.mailfrom=x@other.org",
    "mx.example.org; dkim = pass header.i = @example.net",
    "mx.example.org; spf=pass (sender (ip; 1.2.3.4) is fine) smtp.mailfrom=bounce@example.net",
    "MX.Example.org; SPF=Pass smtp.mailfrom=\"ada@example.net\""
  ])("is taken from %s", (value) => assert.isTrue(by(value)))

  it.each([
    "mx.example.org; none",
    "mx.example.org; dmarc=fail header.from=example.net; dkim=pass header.d=example.net",
    "mx.example.org; dkim=pass header.d=other.org",
    "mx.example.org; dkim=pass header.d=net",
    "mx.example.org; dkim=pass header.d=net.example.net",
    "mx.example.org; dkim=pass header.d=notexample.net",
    "mx.example.org; dkim=fail (dkim=pass header.d=example.net)",
    "mx.example.org; dkim=fail reason=\"x; dkim=pass header.d=example.net\" header.d=example.net",
    "mx.example.org; dkim=fail reason=\"x\\\"; spf=pass smtp.mailfrom=example.net\"",
    "mx.example.org; dmarc=pass header.from=other.org",
    "mx.other.org; dmarc=pass header.from=example.net",
    "mx.example.org.evil.org; dmarc=pass header.from=example.net",
    ""
  ])("is not taken from %s", (value) => assert.isFalse(by(value)))

  it("does not follow from a signature of a parent domain, which others may share", () => {
    const ofPages = (value: string) =>
      isAuthenticated([{ name: "authentication-results", value }], "mx.example.org", "ada.github.io")
    assert.isFalse(ofPages("mx.example.org; dkim=pass header.d=github.io"))
    assert.isFalse(ofPages("mx.example.org; spf=pass smtp.mailfrom=x@github.io"))
    assert.isTrue(ofPages("mx.example.org; dkim=pass header.d=ada.github.io"))
  })

  it("does not follow from a header below that of the server, nor from a mail without one", () => {
    const pass = "mx.example.org; dmarc=pass header.from=example.net"
    assert.isFalse(by())
    assert.isFalse(by("mx.example.org; dmarc=fail header.from=example.net", pass))
    assert.isTrue(by("mx.other.org; dmarc=fail", pass))
  })
})
