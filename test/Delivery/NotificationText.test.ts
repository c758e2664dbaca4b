import { assert, it } from "@effect/vitest"
import { mailTextOf } from "../../src/Delivery/NotificationText.ts"

it("Markdown becomes text and HTML that runs, fetches and hides nothing", () => {
  const body = "# Plan\n\n- **one**\n- [two](https://example.org)\n\n<script>alert(1)</script> "
    + "![a <cat>](https://evil.example/x.png) [bad](javascript:alert(1))"
  const { html, text } = mailTextOf(body)
  assert.strictEqual(text, body)
  assert.match(html, /<h1>Plan<\/h1>[^]*<strong>one<\/strong>[^]*<a href="https:\/\/example\.org">two/)
  assert.notMatch(html, /<script|<img|href="javascript|src=/)
  assert.include(html, "[Image: a &lt;cat&gt;]")
})
