import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { identityOf } from "../../../src/Intake/Mail/MailIdentity.ts"
import { parseMail } from "../../../src/Wire/MailParser.ts"
import { mailText } from "./inbox.ts"

const sent = { "Message-ID": "<report@device.example>", Date: "Fri, 27 Nov 2026 06:00:00 +0000" }

const identity = (body: string, headers: Readonly<Record<string, string>> = {}) =>
  Effect.map(
    parseMail(Buffer.from(mailText(body, { ...sent, ...headers }))),
    (mail) => identityOf(mail, "ada@example.net")
  )

const isOne = (
  [body, headers]: Parameters<typeof identity>,
  [otherBody, otherHeaders]: Parameters<typeof identity>
): Promise<boolean> =>
  Effect.runPromise(
    Effect.zipWith(identity(body, headers), identity(otherBody, otherHeaders), (one, other) => one === other)
  )

const listed = "Level 41 %\n\n-- \nAda\n"

describe("Two mails are one", () => {
  it.each(
    [
      ["if nothing differs", ["Level 41 %"], ["Level 41 %"]],
      ["if they came on different ways", ["Level 41 %", { Received: "from a by b; Fri, 27 Nov 2026 06:00:01 +0000" }], [
        "Level 41 %",
        { Received: "from c by d; Sat, 28 Nov 2026 06:00:01 +0000", "Return-Path": "<x@y.zz>", "Delivered-To": "x" }
      ]],
      ["if one came through a list, with its name and footer", [listed], [
        `${listed}\n_______________________________________________\nNews mailing list\n`,
        { Subject: "[News] The report", "List-Id": "<news.example.net>" }
      ]],
      ["if a server added its notice below a rule", ["Level 41 %"], ["Level 41 %\n\n---\nScanned for viruses\n"]],
      ["if one was encoded anew", ["Level é 41"], ["Level =C3=A9=\n 41", {
        "Content-Transfer-Encoding": "quoted-printable"
      }]],
      ["if their time is written in another zone", ["Level 41 %"], ["Level 41 %", {
        Date: "Fri, 27 Nov 2026 07:00:00 +0100"
      }]],
      ["without a Message-ID, if nothing else differs", ["Hi", { "Message-ID": "" }], ["Hi", {
        "Message-ID": "",
        Received: "from a by b; Sat, 28 Nov 2026 06:00:01 +0000"
      }]],
      ["without a date, if nothing else differs", ["Hi", { Date: "" }], ["Hi", {
        Date: "",
        Received: "from a by b; x"
      }]],
      ["without both, if they began on one way", ["Hi", { Date: "", "Message-ID": "", Received: "from a; one" }], [
        "Hi",
        { Date: "", "Message-ID": "", "Received-SPF": "pass", Received: "from a; one" }
      ]]
    ] as const
  )("%s", async (_, one, other) => {
    assert.isTrue(await isOne([one[0], one[1]], [other[0], other[1]]))
  })
})

describe("Two mails with one Message-ID are two", () => {
  it.each(
    [
      ["of two days", ["OK", {}], ["OK", { Date: "Sat, 28 Nov 2026 06:00:00 +0000" }]],
      ["of one second with different texts", ["Level 41 %", {}], ["Level 43 %", {}]],
      ["without a date and with different texts", ["Level 41 %", { Date: "" }], ["Level 43 %", { Date: "" }]],
      ["with a clock that was never set", ["Report\n-----\n41 %", { Date: "Sat, 1 Jan 2000 00:00:09 +0000" }], [
        "Report\n-----\n43 %",
        { Date: "Sat, 1 Jan 2000 00:00:09 +0000" }
      ]],
      ["with different subjects and no text", ["", { Subject: "Door open" }], ["", { Subject: "Door closed" }]],
      ["that begin with a rule", ["-----\n41 %", {}], ["-----\n43 %", {}]]
    ] as const
  )("%s", async (_, one, other) => {
    assert.isFalse(await isOne([one[0], one[1]], [other[0], other[1]]))
  })

  it("with different files", async () => {
    const withFile = (content: string) =>
      `--b\n\nYour scan\n--b\nContent-Disposition: attachment; filename=scan.pdf\n\n${content}\n--b--\n`
    const headers = { "Content-Type": "multipart/mixed; boundary=b" }
    assert.isFalse(await isOne([withFile("one"), headers], [withFile("two"), headers]))
    assert.isTrue(await isOne([withFile("one"), headers], [withFile("one"), headers]))
  })
})
