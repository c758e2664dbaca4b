import { assert, describe, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { mentionedIn, type NameOf, plainText, withoutMention } from "../../src/Chat/ChatText.ts"
import { escaped, mrkdwnOf, mrkdwnOfLines } from "../../src/Chat/Slack/Mrkdwn.ts"
import { splitMessage, textOf } from "../../src/Chat/Slack/MrkdwnText.ts"

const noNames = () => null
const read = (mrkdwn: string, nameOf: NameOf = noNames) => plainText(textOf(mrkdwn), nameOf)

describe("markdown for the chat platform", () => {
  it.each([
    ["**bold** and *italic* and ~~gone~~", "*bold* and _italic_ and ~gone~"],
    ["# Title with **bold**\n\nText", "*Title with bold*\n\nText"],
    ["Look at [the plan](https://example.org/a?b=1&c=2).", "Look at <https://example.org/a?b=1&amp;c=2|the plan>."],
    ["https://example.org", "<https://example.org>"],
    ["[run](javascript:alert(1))", "[run](javascript:alert(1))"],
    ["- one\n- two\n  - deeper\n\nafter", "• one\n• two\n    • deeper\n\nafter"],
    ["before\n\n3. three\n4. four", "before\n\n3. three\n4. four"],
    ["> quoted\n> more", "> quoted more"],
    ["> quoted\n>\n> more", "> quoted\n>\n> more"],
    ["a paragraph that\nwas wrapped\r\nby *its author*", "a paragraph that was wrapped by _its author_"],
    ["[a wrapped\nlabel](https://example.org)", "<https://example.org|a wrapped label>"],
    ["- an item\n  that goes on\n- next\nlazily", "• an item that goes on\n• next lazily"],
    ["# Title\nText\nof two lines", "*Title*\n\nText of two lines"],
    ["two spaces  \nor a backslash\\\nbreak it", "two spaces\nor a backslash\nbreak it"],
    ["`code\nspan` and\n**bold\ntext**", "`code span` and *bold text*"],
    ["```\nlines\nof code\n```", "```\nlines\nof code\n```"],
    ["`a < b`", "`a &lt; b`"],
    ["```js\nif (a < b) {}\n```", "```\nif (a &lt; b) {}\n```"],
    ["| a | bb |\n|---|---|\n| ccc | d |", "```\na    bb\nccc  d\n```"],
    ["<!channel> & <@U1>", "&lt;!channel&gt; &amp; &lt;@U1&gt;"]
  ])("%j becomes %j", (markdown, expected) => assert.strictEqual(mrkdwnOf(markdown), expected))

  it("keeps the lines of what a person has typed", () => {
    assert.strictEqual(mrkdwnOfLines("Buy: \nmilk\r\neggs\n\n- and\n- *bread*"), "Buy:\nmilk\neggs\n\n• and\n• _bread_")
  })

  it.prop("mentions nobody", [
    fc.string({ unit: fc.constantFrom("<", ">", "@", "!", "U1", "|", "*", "`", "\n", "- ", "&", "a") })
  ], ([text]) => {
    assert.notMatch(mrkdwnOf(text), /<[@!#]/)
  })

  it.prop("escaped text is read as it was", [fc.string()], ([text]) => {
    assert.strictEqual(read(escaped(text)), text)
  })
})

describe("messages of the chat platform", () => {
  it.each([
    ["hi <@U1> and <@U2|bob>", "hi @Ada and @bob"],
    ["<#C1|general> <#C2> <#C3|>", "#general #C2 #C3"],
    ["<!here|here> <!channel> <!everyone|everyone> <!subteam^S1> <!subteam^S2|>", "@here @channel @everyone @S1 @S2"],
    [
      "<tel:+49123|+49 123> <https://example.org/?a=1&amp;b=2|a &amp; b>",
      "+49 123 (tel:+49123) a & b (https://example.org/?a=1&b=2)"
    ],
    ["\u200Btasks\uFEFF at\u00A05\u202FPM", "tasks at 5 PM"],
    ["&amp;lt;b&amp;gt;", "&lt;b&gt;"],
    ["<!here> <!subteam^S1|@ops> <!date^1^{date}|today>", "@here @ops today"],
    [
      "<https://example.org|docs> <https://example.org> <mailto:a@b.c|a@b.c>",
      "docs (https://example.org) https://example.org a@b.c"
    ],
    ["<mailto:eve@x.org|Ada>", "Ada (\"mailto eve@x.org\")"],
    ["1 &lt; 2 &amp;amp; 3 &gt; 2", "1 < 2 &amp; 3 > 2"]
  ])(
    "%j is read as %j",
    (text, expected) => assert.strictEqual(read(text, (id) => id === "U1" ? "Ada" : null), expected)
  )

  it("mentions", () => {
    assert.deepStrictEqual(mentionedIn(textOf("<@U1> <@U2|bob> <#C1> <#C2|general>")), {
      users: ["U1", "U2"],
      channels: ["C1", "C2"]
    })
  })

  it.each([
    ["<@UBOT>: ask <@U2>", "ask @U2"],
    ["<@UBOT|troupe> schedule it", "schedule it"],
    ["\u200B<@UBOT>\u200B,\u00A0schedule it", "schedule it"],
    ["compare the offers <@UBOT> by noon", "compare the offers by noon"],
    ["compare the offers<@UBOT>", "compare the offers"],
    ["<@UBOT> <@UBOT>", ""],
    ["first line\n<@UBOT>\n- second line", "first line\n\n- second line"]
  ])("without ours, %j says %j", (text, expected) => {
    assert.strictEqual(plainText(withoutMention(textOf(text), ["UBOT"]), noNames).trim(), expected)
  })
})

describe("long messages", () => {
  const words = fc.string({
    maxLength: 2_000,
    unit: fc.constantFrom("word", " ", "\n", "\n\n", "```", "<https://example.org|a link>", "&amp;", "🎭")
  })

  it.prop("are cut into parts within the limit, and lose nothing but white space", [words], ([text]) => {
    const parts = splitMessage(text, 200)
    for (const part of parts) assert.isAtMost(part.length, 200)
    const bare = (all: string) => all.replaceAll("```", "").replace(/\s/g, "")
    assert.strictEqual(bare(parts.join("")), bare(text))
  })

  it.prop("are cut within no link, entity or character", [words], ([text]) => {
    for (const part of splitMessage(text, 200)) {
      assert.strictEqual(part.split("<").length, part.split(">").length)
      assert.notMatch(part, /&(?!amp;)|(?<!&)amp;|[\uD800-\uDBFF]$|^[\uDC00-\uDFFF]/)
    }
  })

  it("continue a code block in the next part", () => {
    const parts = splitMessage(`${"```"}\n${"line of code\n".repeat(30)}${"```"}\nafter`, 200)
    assert.isAbove(parts.length, 2)
    for (const part of parts) assert.strictEqual(part.split("```").length % 2, 1, part)
  })
})
