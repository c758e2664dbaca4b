import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { strFromU8, unzipSync } from "fflate"
import mammoth from "mammoth"
import { docxOf } from "../../../src/File/Documents/MarkdownToDocx.ts"

const htmlOf = (markdown: string) =>
  Effect.gen(function*() {
    const bytes = yield* docxOf(markdown)
    const { messages, value } = yield* Effect.promise(() => mammoth.convertToHtml({ buffer: Buffer.from(bytes) }))
    assert.deepStrictEqual(messages, [])
    return value
  })

const partOf = (markdown: string, name: string) =>
  Effect.map(docxOf(markdown), (bytes) => strFromU8(unzipSync(bytes)[name] ?? new Uint8Array()))

describe("Markdown becomes a Word document", () => {
  it.effect("with headings, styles, code and links", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* htmlOf("# One\n\n###### Six"), "<h1>One</h1><h6>Six</h6>")
      assert.strictEqual(
        yield* htmlOf("a **b *c*** ~~d~~ `e`  \nf"),
        "<p>a <strong>b <em>c</em></strong> <s>d</s> e<br />f</p>"
      )
      assert.strictEqual(
        yield* htmlOf("[a *b*](https://example.com/?x=1&y=2)"),
        "<p><a href=\"https://example.com/?x=1&amp;y=2\">a <em>b</em></a></p>"
      )
      assert.include(yield* htmlOf("```\nlet x\n\n  y\n```"), "let x<br /><br />  y")
    }))

  it.effect("with nested lists whose numbers start anew", () =>
    Effect.gen(function*() {
      assert.strictEqual(
        yield* htmlOf("- a\n  1. b\n  2. c\n- d\n"),
        "<ul><li>a<ol><li>b</li><li>c</li></ol></li><li>d</li></ul>"
      )
      const markdown = "1. a\n2. b\n\ntext\n\n1. c\n\ntext\n\n7. d\n"
      const document = yield* partOf(markdown, "word/document.xml")
      const ids = [...document.matchAll(/<w:numId w:val="(\d+)"/g)].map(([, id]) => id)
      assert.strictEqual(ids.length, 4)
      assert.strictEqual(ids[0], ids[1])
      assert.strictEqual(new Set(ids).size, 3)
      assert.include(yield* partOf(markdown, "word/numbering.xml"), "<w:start w:val=\"7\"/>")
    }))

  it.effect("with tables, quotes and rules", () =>
    Effect.gen(function*() {
      const table = yield* htmlOf("| A | B |\n|---|--:|\n| 1 | **2** |\n")
      assert.match(table, /<thead>.*A.*B.*<\/thead>.*<td><p>1<\/p><\/td><td><p><strong>2<\/strong><\/p><\/td>/)
      assert.include(yield* partOf("| A |\n|--:|\n| 1 |\n", "word/document.xml"), "<w:jc w:val=\"right\"/>")
      const quote = yield* partOf("> said\n\n---\n", "word/document.xml")
      assert.include(quote, "<w:ind w:left=\"720\"/>")
      assert.include(quote, "<w:pBdr>")
    }))

  it.effect("without pictures from anywhere, HTML or unsafe links", () =>
    Effect.gen(function*() {
      assert.strictEqual(
        yield* htmlOf("![A *cat*](http://127.0.0.1:1/cat.png) <script>x</script>"),
        "<p><em>[Image: A *cat*]</em> &lt;script&gt;x&lt;/script&gt;</p>"
      )
      assert.notInclude(yield* htmlOf("[a](javascript:alert(1)) [b](file:///etc/passwd) [c](../d.md)"), "href")
      const bytes = yield* docxOf("![x](http://127.0.0.1:1/x.png)")
      assert.isFalse(Object.keys(unzipSync(bytes)).some((name) => name.startsWith("word/media/")))
    }))

  it.effect("that Word can open whatever characters there are", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* htmlOf("a\u0001\uD800 \u{1F600} <&>\"'"), "<p>a\uFFFD \u{1F600} &lt;&amp;&gt;\"'</p>")
      assert.strictEqual(yield* htmlOf(""), "")
      assert.include(yield* htmlOf(`${"> ".repeat(90)}deep`), "deep")
      const nested = Array.from({ length: 12 }, (_, at) => `${"  ".repeat(at)}- l${at}`).join("\n")
      assert.include(yield* partOf(nested, "word/document.xml"), ">l11<")
    }))
})
