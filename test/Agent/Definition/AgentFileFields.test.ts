import { assert, describe, it } from "@effect/vitest"
import { Either } from "effect"
import { edited, parse } from "../../../src/Agent/Definition/AgentFile.ts"
import { read } from "./agentFiles.ts"

describe("A field", () => {
  it("that lists names may write them as people do: with a sign before them, and several in an item", () => {
    const listed = (lines: string) => {
      const { text: { channels, tools } } = read(`---\ndescription: x\n${lines}\ncolor: red # mine\n---\nx`)
      return { channels, tools }
    }
    for (
      const channels of [
        "channels: #sales, #support",
        "channels: sales, #support",
        "channels: [#sales, support]",
        "channels: [ \"sales\", #support ]",
        "channels:\n  - #sales\n  - support",
        "channels:\n- \"#sales\"\n# all others\n- #support"
      ]
    ) assert.deepStrictEqual(listed(channels), { channels: ["sales", "support"], tools: null }, channels)
    for (
      const tools of [
        "tools: *_file, wait",
        "tools: [*_file, wait]",
        "tools:\n  - *_file\n  - wait",
        "tools: [\n  *_file, # of the user\n  wait\n]",
        "tools:\n  - \"*_file, wait\""
      ]
    ) assert.deepStrictEqual(listed(tools), { channels: [], tools: ["*_file", "wait"] }, tools)
    assert.deepStrictEqual(listed("channels: # none yet"), { channels: [], tools: null })
    assert.isTrue(Either.isLeft(parse("---\ndescription: x\nmine: &t [wait]\ntools: [*t]\n---\nx", "x")))
  })

  it("that lists tools may be a list, comma text or text with blanks; an empty list is no tool, and nothing is all", () => {
    const tools = (value: string) => read(`---\ndescription: x\n${value}\n---\nx`).text.tools
    assert.deepStrictEqual(tools("tools: [read_file, \"github__*\"]"), ["read_file", "github__*"])
    assert.deepStrictEqual(tools("tools:\n  - read_file\n  - wait"), ["read_file", "wait"])
    assert.deepStrictEqual(tools("tools: read_file wait"), ["read_file", "wait"])
    assert.deepStrictEqual(tools("tools: []"), [])
    assert.isNull(tools("tools:"))
    assert.isNull(tools("tools: \"\""))
    assert.isNull(tools("color: red"))
    assert.deepStrictEqual(tools("allowed-tools: read_file"), ["read_file"])
  })

  it("that lists mailboxes may have a name before each address", () => {
    const mailboxes = "mailboxes: Sales <sales@example.com>, help@example.com"
    assert.deepStrictEqual(read(`---\ndescription: x\n${mailboxes}\n---\nx`).text.mailboxes, [
      "sales@example.com",
      "help@example.com"
    ])
  })

  it("that is a number out of its bounds is a warning, and not used", () => {
    const { text, warnings } = read(
      "---\ndescription: x\nmax_tokens_total: 10\nmax_iterations: many\ntemperature: 7\n---\nx"
    )
    assert.deepInclude(text, { max_tokens_total: null, max_iterations: null, temperature: null })
    assert.deepStrictEqual(warnings.map((one) => one.split(":")[0]), [
      "max_tokens_total",
      "max_iterations",
      "temperature"
    ])
    assert.deepStrictEqual(read("---\ndescription: x\nmax_tokens_total: 50,000\nmax_cost: $5\n---\nx").warnings, [
      "max_tokens_total: expected a number such as 50000 or 0.5; it is not used",
      "max_cost: expected a number such as 50000 or 0.5; it is not used"
    ])
  })

  it("that is unknown stays in the file when others change, and other spellings of a changed one go", () => {
    const source = "---\ndescription: x\ncolor: red # mine\nallowed-tools: wait\n---\n\nOld.\n"
    assert.strictEqual(
      edited(source, { tools: ["read_file"], instructions: "New." }),
      "---\ndescription: x\ncolor: red # mine\ntools:\n  - read_file\n---\n\nNew.\n"
    )
    assert.strictEqual(edited(source, { tools: null }), "---\ndescription: x\ncolor: red # mine\n---\n\nOld.\n")
  })
})

it("A file without front matter or description is no agent", () => {
  for (const source of ["# Readme", "---\nname: x\n---\nbody", "---\n- a\n---\n", "---\ndescription: &a x\n---\n\0"]) {
    assert.isTrue(Either.isLeft(parse(source, "x")), source)
  }
})
