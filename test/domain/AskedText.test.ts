import { assert, describe, it } from "@effect/vitest"
import { isShownWhole, shownArguments, shownMail } from "@troupe/domain/AskedText"
import { hostsIn, visibleLine, visibleSigns } from "@troupe/domain/VisibleSigns"

describe("A sign that nobody sees is shown by its number", () => {
  it.each([
    ["an escape of terminals", "\u001B[2J", "⟨U+001B⟩[2J"],
    ["a mark that reverses text", "a\u202Etxt.exe", "a⟨U+202E⟩txt.exe"],
    ["an isolate", "\u2066a\u2069", "⟨U+2066⟩a⟨U+2069⟩"],
    ["a space without width", "pay\u200Bpal", "pay⟨U+200B⟩pal"],
    ["a joiner", "a\u200Db", "a⟨U+200D⟩b"],
    ["a soft hyphen", "a\u00ADb", "a⟨U+00AD⟩b"],
    ["a filler", "a\u3164b\u115Fc\uFFA0d\u2800e", "a⟨U+3164⟩b⟨U+115F⟩c⟨U+FFA0⟩d⟨U+2800⟩e"],
    ["a tag", "\u{E0061}", "⟨U+E0061⟩"],
    ["a variation selector", "a\u{E0100}\uFE01", "a⟨U+E0100⟩⟨U+FE01⟩"],
    ["a joiner of graphemes", "a\u034Fb", "a⟨U+034F⟩b"],
    ["a line separator", "a\u2028b", "a⟨U+2028⟩b"],
    ["half of a surrogate pair", "\uD800", "⟨U+D800⟩"],
    ["a carriage return alone", "a\rb", "a⟨U+000D⟩b"]
  ])("%s", (_, text, shown) => assert.strictEqual(visibleSigns(text), shown))

  it("and letters of all scripts, line feeds and tabs stay", () => {
    const text = "Grüße, Ωmega, 日本語, مرحبا\n\t😀"
    assert.strictEqual(visibleSigns(text), text)
    assert.strictEqual(visibleLine("a\nb\tc"), "a b c")
  })
})

describe("The hosts of links", () => {
  it.each([
    ["see https://a.example/x and http://b.example:8080", ["a.example", "b.example:8080"]],
    ["https://bank.example@evil.example/login", ["evil.example"]],
    ["https://xn--80ak6aa92e.com https://аррӏе.com", ["xn--80ak6aa92e.com"]],
    ["[bank.example](https://evil.example)", ["evil.example"]],
    ["www.evil.example/a and //cdn.example/x", ["www.evil.example", "cdn.example"]],
    ["\"url\": \"https://a.example\\nnext\"", ["a.example"]],
    ["https://", []],
    ["no link, a@b.example, 1//2", []]
  ])("%j", (text, hosts) => assert.deepStrictEqual(hostsIn(text), hosts))

  it("are found in a long text without a link in little time", () => {
    assert.deepStrictEqual(hostsIn("a.".repeat(100_000)), [])
  })
})

const call = (args: object, tool = "files__write") => ({ tool, server: null, arguments: JSON.stringify(args) })

describe("A question shows all of a call", () => {
  it("unless its arguments are long, and says how much follows and where", () => {
    assert.isTrue(isShownWhole(call({ text: "x".repeat(3_900) }), true))
    assert.isFalse(isShownWhole(call({ text: "x".repeat(4_000) }), true))
    assert.match(
      shownArguments(JSON.stringify({ text: "x".repeat(4_000) })).at(-1) ?? "",
      /^\[\d+ more characters: .* console/
    )
    assert.deepStrictEqual(shownArguments("{}"), ["none"])
  })

  it("or the text of its mail is, by lines or characters", () => {
    const mail = (body: string) => isShownWhole(call({ to: "a@b.example", body }, "send_email"), true)
    assert.isTrue(mail("Hello\r\n\tAda"))
    assert.isFalse(mail("x".repeat(4_001)))
    assert.isFalse(mail("x\n".repeat(101)))
    assert.include(shownMail("x\n".repeat(101)), "The first 100 of 102 lines")
  })
})
