import { assert, describe, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { type ChatText, plainText } from "../../src/Chat/ChatText.ts"
import { blocksText } from "../../src/Chat/Slack/SlackBlocks.ts"
import { contentOf } from "../../src/Chat/Slack/SlackMessage.ts"

const rich = (...elements: ReadonlyArray<object>) => ({ type: "rich_text", elements })
const section = (...elements: ReadonlyArray<object>) => ({ type: "rich_text_section", elements })
const text = (text: string) => ({ type: "text", text })
const words = (text: ChatText) => plainText(text, () => null)

describe("blocks of a message", () => {
  it.each<readonly [string, ReadonlyArray<object>, string]>([
    ["words and what they name", [
      rich(section(
        text("a < b & "),
        { type: "user", user_id: "U1" },
        { type: "channel", channel_id: "C1" },
        { type: "usergroup", usergroup_id: "S1" },
        { type: "broadcast", range: "here" },
        { type: "emoji", name: "tada" },
        { type: "link", url: "https://example.org/?a=1&b=2" },
        { type: "date", timestamp: 1, fallback: "today" },
        { type: "color", value: "#fff" }
      ))
    ], "a &lt; b &amp; <@U1><#C1><!subteam^S1><!here>:tada:<https://example.org/?a=1&amp;b=2>today#fff"],
    ["lists", [
      rich(
        {
          type: "rich_text_list",
          style: "ordered",
          offset: 1,
          elements: [section(text("two")), section(text("three"))]
        },
        { type: "rich_text_list", style: "bullet", indent: 1, elements: [section(text("deeper"))] }
      )
    ], "2. two\n3. three\n    • deeper"],
    ["quotes and code", [
      rich(
        { type: "rich_text_quote", elements: [text("said\nbefore")] },
        { type: "rich_text_preformatted", elements: [text("x = 1")] }
      )
    ], "&gt; said\n&gt; before\n```\nx = 1\n```"],
    ["tables", [{
      type: "table",
      rows: [[{ type: "raw_text", text: "a" }, rich(section(text("b")))], [{ type: "raw_text", text: "1" }, {
        type: "raw_number",
        value: 2
      }]]
    }], "a | b\n1 | 2"],
    ["sections, headers, context, pictures and Markdown", [
      { type: "header", text: { type: "plain_text", text: "Title" } },
      { type: "section", text: { type: "mrkdwn", text: "*bold*" }, fields: [{ type: "mrkdwn", text: "field" }] },
      { type: "divider" },
      { type: "context", elements: [{ type: "image", alt_text: "icon" }, { type: "mrkdwn", text: "by Bea" }] },
      { type: "image", image_url: "https://example.org/a.png", alt_text: "a chart" },
      { type: "markdown", text: "**b**" }
    ], "Title\n*bold*\nfield\nicon by Bea\n<https://example.org/a.png|a chart>\n**b**"],
    ["nothing", [{ type: "actions", elements: [{ type: "button", text: { text: "OK" } }] }, {}], ""]
  ])("are read: %s", (_, blocks, expected) => assert.strictEqual(blocksText(blocks), expected))
})

describe("a message of the platform", () => {
  const share = { is_share: true, author_name: "Bea", text: "Hi" }
  it("marks its quotes as its blocks do", () => {
    const quote = { type: "rich_text_quote", elements: [text("one\ntwo")] }
    const list = { type: "rich_text_list", style: "bullet", border: 1, elements: [section(text("three"))] }
    assert.strictEqual(
      words(contentOf({ text: "one\ntwo\n• three\nYes", blocks: [rich(quote, list, section(text("Yes")))] }).text),
      "> one\n> two\n> • three\nYes"
    )
  })

  const quotedOf = (message: object) => contentOf(message).quoted.map(({ kind, text }) => [kind, words(text)])

  it.each<readonly [string, object, ReadonlyArray<readonly [string, string]>]>([
    ["a forwarded message", { attachments: [share] }, [["forwarded", "Hi"]]],
    ["several, and those that they forward", {
      attachments: [{ ...share, attachments: [{ ...share, text: "inner" }] }, { ...share, text: "second" }]
    }, [["forwarded", "Hi"], ["forwarded", "inner"], ["forwarded", "second"]]],
    ["one with blocks in place of a text", {
      attachments: [{ is_share: true, message_blocks: [{ message: { blocks: [rich(section(text("in blocks")))] } }] }]
    }, [["forwarded", "in blocks"]]],
    ["one of a bot", {
      attachments: [{
        is_share: true,
        attachments: [{ title: "Alert", title_link: "https://example.org", text: "down" }]
      }]
    }, [["forwarded", "Alert (https://example.org)\ndown"]]],
    ["one that the platform only summarises", {
      attachments: [{ is_share: true, fallback: "[November 28th] bea: Hi" }]
    }, [["forwarded", "[November 28th] bea: Hi"]]],
    ["one that the platform does not show", {
      attachments: [{ is_share: true, fallback: "[no preview available]" }]
    }, [["forwarded", ""]]],
    ["one that the sender links to", {
      text: "see <https://chat.example.org/archives/C1/p1>",
      attachments: [{ is_msg_unfurl: true, text: "Hi", from_url: "https://chat.example.org/archives/C1/p1" }]
    }, [["linked", "Hi"]]],
    ["no preview of a web page", {
      text: "see <https://example.org>",
      attachments: [{ from_url: "https://example.org", service_name: "Example", title: "Page", text: "About" }]
    }, []],
    ["a table", {
      text: "see",
      attachments: [{
        blocks: [{ type: "table", rows: [[{ type: "raw_text", text: "a" }]] }],
        fallback: "[no preview]"
      }]
    }, [["attached", "a"]]]
  ])("quotes %s", (_, message, expected) => assert.deepStrictEqual<unknown>(quotedOf(message), expected))

  it("says that a chain of forwarded messages goes on", () => {
    const chain = Array.from({ length: 6 }).reduce<object>((inner) => ({ ...share, attachments: [inner] }), share)
    const quoted = quotedOf({ attachments: [chain] })
    assert.strictEqual(quoted.length, 4)
    assert.deepStrictEqual(quoted.at(-1), ["forwarded", "Hi\n[What it forwards itself was left out.]"])
  })

  it("has words of a bot in attachments, and nobody else's", () => {
    const attachments = [{ pretext: "Build", text: "failed", fields: [{ title: "branch", value: "main" }] }]
    assert.strictEqual(
      words(contentOf({ bot_id: "B1", text: "CI", attachments }).text),
      "CI\nBuild\nfailed\nbranch: main"
    )
    assert.deepInclude(contentOf({ user: "U1", text: "", attachments }), { text: [] })
  })

  it.prop("may have anything in it", [
    fc.dictionary(
      fc.constantFrom(..."text blocks files attachments elements rows message_blocks is_share type".split(" ")),
      fc.oneof(
        fc.constantFrom("rich_text", "table", true),
        fc.jsonValue(),
        fc.array(fc.dictionary(fc.string(), fc.jsonValue()))
      )
    )
  ], ([message]) => void contentOf({ ...message, attachments: [message] }))
})
