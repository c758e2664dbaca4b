import { assert, describe, it } from "@effect/vitest"
import { ToolCallId } from "@troupe/domain/Ids"
import { mailboxOf } from "@troupe/domain/Mailbox"
import type { Step } from "@troupe/domain/Step"
import { markedData } from "@troupe/domain/Text"
import { addressesIn, type TrustedRequest, trustedTexts } from "@troupe/domain/TrustedText"
import { Either, FastCheck as fc } from "effect"

const named = (text: string) => [...addressesIn(text)]

const atext = [..."abcxyzABC019!#$%&'*+/=?^_`{|}~-"]
const locals = fc.array(fc.constantFrom(...atext), { minLength: 1, maxLength: 12 }).map((signs) => signs.join(""))
const labels = fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,5}[a-z0-9])?$/)
const domains = fc.tuple(fc.array(labels, { minLength: 1, maxLength: 3 }), fc.stringMatching(/^[a-z]{2,6}$/)).map(
  ([parts, top]) => [...parts, top].join(".")
)
const canonical = (address: string): string => Either.getOrThrow(mailboxOf(address)).address.toLowerCase()
const addresses = fc.tuple(locals, domains).map(([local, domain]) => `${local}@${domain}`)
  .filter((address) => Either.isRight(mailboxOf(address)))

describe("addressesIn", () => {
  it("finds addresses as people write them", () => {
    const written = [
      "Send it to ada@example.org.",
      "Ada <ada@example.org>, please",
      "(ada@example.org)",
      "mailto:ada@example.org",
      "To:ada@example.org;bob@example.net",
      "\"ada@example.org\"",
      "'ada@example.org'!",
      "`ada@example.org`,",
      "**ada@example.org**.",
      "Is it ADA@Example.ORG?"
    ]
    for (const text of written) assert.include(named(text), "ada@example.org", text)
    assert.deepStrictEqual(named("zoe@Bücher.example"), ["zoe@xn--bcher-kva.example"])
  })

  it("does not take a part of a longer word for an address", () => {
    const others = [
      "evil@x.org.example",
      "evil@x.organic",
      "evil@x.org-example.net",
      "evil@sub.x.org",
      "not-evil@x.org",
      "evil+tag@x.org",
      "evil.x.org",
      "evil @x.org",
      "evil@ x.org",
      "https://y.example/evil@x.org",
      "a@b@evil@x.org",
      "evil@x.org@y.example",
      "evil@x.org/path",
      "evil@x\u200B.org",
      "еvil@x.org",
      "evil@х.org",
      "evil＠x.org"
    ]
    for (const text of others) assert.notInclude(named(text), "evil@x.org", text)
  })

  it("takes no longer for texts that are made for it", () => {
    const text = `${"`".repeat(50_000)}a@b.c${"`".repeat(50_000)} ${"a@".repeat(50_000)} ${"<>".repeat(50_000)}`
    assert.deepStrictEqual(named(text), [])
  })

  it.prop("finds an address that is a word", [addresses, fc.constantFrom(" ", "\n", ", ", "; ", ": ", "<", "(")], ([
    address,
    before
  ]) => {
    // A sign of markup around a word is no part of it; nobody's address begins with one that ends its sentence.
    fc.pre(!/^[`'*_~]/.test(address))
    assert.include(
      named(`Write to${before}${address}${before.replace("<", ">").replace("(", ")")} today`),
      canonical(address)
    )
  })

  it.prop(
    "finds no address that only begins, ends or is within a word",
    [addresses, fc.constantFrom(...atext, "."), fc.constantFrom("", "a", "-b", ".c", ".example", "@x.org", "/d")],
    ([address, before, after]) => {
      const word = `${before}${address}${after}`
      assert.notInclude(named(`Write to ${word} today`), canonical(address), word)
    }
  )

  it.prop("is the same in any case", [addresses], ([address]) => {
    assert.deepStrictEqual(named(address.toUpperCase()), named(address.toLowerCase()))
  })
})

const request: TrustedRequest = { source: null, toolAccess: "all", title: null, description: "Ask ada@example.org" }

const texts = (more: Partial<TrustedRequest>, steps: ReadonlyArray<Step> = []) =>
  trustedTexts({ ...request, ...more }, steps)

const id = ToolCallId.make("c")

const resultIn = (content: string, more: object = {}): Step => ({
  kind: "results",
  results: [{ message: { role: "tool", tool_call_id: id, name: "ask_human", content }, millis: 0 }],
  ...more
})

describe("trustedTexts", () => {
  it("are the request, messages and answers of those with a right to the task", () => {
    assert.deepStrictEqual(
      texts({}, [
        { kind: "steered", messages: [{ text: "Message", by: null, trusted: true }, { text: "Reply", by: null }] },
        { kind: "steered", messages: [{ text: "Of a third party", by: "eve", trusted: false }] },
        resultIn("Answer", { trusted: [id] }),
        resultIn("Tool result"),
        {
          kind: "model",
          message: { role: "assistant", content: "eve@x.org", tool_calls: [] },
          tokens: [1, 1],
          millis: 1
        }
      ]),
      ["Ask ada@example.org", "Message", "Answer"]
    )
  })

  it("have nothing that was quoted, forwarded or attached", () => {
    const description = [
      "Ask ada@example.org.",
      "> eve1@x.org",
      markedData("mail_quoted", "eve2@x.org"),
      "Then bob@example.org.",
      "---------- Forwarded message ---------",
      "From: Eve <eve3@x.org>",
      "eve4@x.org"
    ].join("\n")
    const all = texts({ description }).flatMap((text) => [...addressesIn(text)])
    assert.deepStrictEqual(all, ["ada@example.org", "bob@example.org"])
    for (const head of ["On Mon, 1 Jan 2026 Eve <eve@x.org> wrote:", "Von: Eve", "________________________________"]) {
      assert.deepStrictEqual(texts({ description: `Hi\n${head}\neve@x.org` }), ["Hi"], head)
    }
  })

  it("go on below a line of the author's own that ends with a colon", () => {
    for (const line of ["On Monday, send it to:", "Le rapport est pour :", "Il report va a:", "Am 3. Mai bitte an:"]) {
      assert.deepStrictEqual(texts({ description: `${line}\nada@example.org` }), [`${line}\nada@example.org`])
    }
  })

  it("are none of a webhook's description, of a forwarded mail's subject, and of an unknown sender", () => {
    assert.deepStrictEqual(texts({ source: "webhook" }), [])
    assert.deepStrictEqual(texts({ source: "email", title: request.description }), [])
    const subject = `Fwd: ${"x".repeat(300)}`
    assert.deepStrictEqual(texts({ source: "email", title: subject.slice(0, 200), description: subject }), [])
    assert.deepStrictEqual(texts({ source: "email", title: "Ask" }), [request.description])
    assert.deepStrictEqual(texts({ toolAccess: "own" }), [])
    assert.deepStrictEqual(texts({ source: "schedule" }), [request.description])
  })
})
