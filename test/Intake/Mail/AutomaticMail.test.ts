import { assert, describe, it } from "@effect/vitest"
import { automaticReason } from "../../../src/Intake/Mail/MailAdmission.ts"

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
    ["x-auto-response-suppress", "OOF, AutoReply"],
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
    ["return-path", "<ada@example.net>"],
    ["content-type", "multipart/mixed"],
    ["x-loop", "other@example.org"]
  ])("is not assumed for %s: %s", (name, value) => assert.isNull(reason(name, value)))
})
