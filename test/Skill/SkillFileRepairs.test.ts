import { assert, describe, it } from "@effect/vitest"
import { noRequirements, type SkillText } from "@troupe/domain/Skill"
import { header, minimal, parsed, read } from "./skillFiles.ts"

describe("SkillFile", () => {
  it("takes a value that is no YAML as the text that it is, with a warning", () => {
    const texts = [
      "Use this skill when: the user asks: about boilers",
      "\"Plan\" meals for a week",
      "\"Plan\" and \"cook\"",
      "'Plan' meals",
      "@mention helpers",
      "`code` helpers",
      "%d formats",
      "*bold* words",
      "*bold",
      "& more",
      "&Co writes letters",
      "! and ?",
      "!important do this",
      "{curly} braces",
      "{curly}",
      "[WIP] does things",
      "[WIP]",
      "- does things",
      "? asks",
      "| pipes",
      "> quotes",
      "] ends",
      ", begins",
      "\"unterminated",
      "Tracks C# and issue #12",
      "# a title"
    ]
    for (const text of texts) {
      const { text: skill, warnings } = parsed(header("name: a", `description: ${text}`, "license: MIT"), "a")
      assert.deepStrictEqual([skill.description, skill.license, warnings.length], [text, "MIT", 1], text)
      assert.match(warnings[0] ?? "", /^description: .*write it in quotes$/)
    }
  })

  it("reads a text in quotes that it should not have without them", () => {
    for (const [written, text] of [["'It's fine'", "It's fine"], ["\"C:\\Users\\x\"", "C:\\Users\\x"]]) {
      assert.strictEqual(read(header("name: a", `description: ${written}`)).description, text)
    }
  })

  it("reads texts of several lines: folded, literal, plain, and one that is no YAML", () => {
    const description = (...lines: ReadonlyArray<string>) => {
      const { text, warnings } = parsed(header("name: a", ...lines, "# a comment", "license: MIT"), "a")
      assert.strictEqual(text.license, "MIT")
      return [text.description, warnings.length]
    }
    assert.deepStrictEqual(description("description: >-", "  Use when:", "  asked # twice"), [
      "Use when: asked # twice",
      0
    ])
    assert.deepStrictEqual(description("description: |", "  One: 1", "  Two"), ["One: 1\nTwo", 0])
    assert.deepStrictEqual(description("description: Writes", "  letters"), ["Writes letters", 0])
    assert.deepStrictEqual(description("description: Use when: asked", "  or not"), ["Use when: asked or not", 1])
    assert.deepStrictEqual(description("description:", "  Use when: asked"), ["Use when: asked", 1])
    assert.deepStrictEqual(description("description: Wrapped by", "an editor"), ["Wrapped by an editor", 1])
    assert.deepStrictEqual(description("description:", "  - One", "  - Two: 2"), ["- One - Two: 2", 1])
    assert.deepStrictEqual(description("description : Use when: asked"), ["Use when: asked", 1])
  })

  it("repairs a value inside a map, and tabs in the indentation", () => {
    const nested = parsed(header(...minimal, "metadata:", "  note: Use: this", "  author: Ann"), "weekly-report")
    assert.deepStrictEqual(nested.text.metadata, { note: "Use: this", author: "Ann" })
    assert.match(nested.warnings.join("\n"), /^metadata\.note: /)
    const tabs = parsed(header(...minimal, "metadata:", "\tauthor: Ann", "tags:", "\t- a"), "weekly-report")
    assert.deepStrictEqual([tabs.text.author, tabs.text.tags], ["Ann", ["a"]])
    assert.match(tabs.warnings.join("\n"), /^YAML is not indented by tabs/)
  })

  it("reads optional fields of another type as well as it can, with a warning", () => {
    const lines: ReadonlyArray<readonly [field: string, read: (skill: SkillText) => unknown, value: unknown]> = [
      ["author:\n  name: Ada\n  url: https://example.org", ({ author }) => author, "Ada, https://example.org"],
      ["author: [Ada, Ben]", ({ author }) => author, "Ada, Ben"],
      ["license: {name: MIT, file: LICENSE}", ({ license }) => license, "MIT, LICENSE"],
      ["compatibility: [linux, macos]", ({ compatibility }) => compatibility, "linux, macos"],
      ["version: [1, 2]", ({ version }) => version, "1, 2"],
      ["requirements:\n  - pandas\n  - openpyxl>=3.1", ({ requirements }) => requirements, noRequirements],
      ["requirements: pandas", ({ requirements }) => requirements, noRequirements],
      ["requirements: {pip: [pandas]}", ({ requirements }) => requirements, noRequirements],
      ["requirements: {bins: {git: 2}}", ({ requirements }) => requirements.bins, ["git"]],
      ["metadata: internal", ({ metadata }) => metadata, {}],
      ["metadata: [a, b]", ({ metadata }) => metadata, {}],
      ["tags: {csv: true}", ({ tags }) => tags, ["csv"]],
      ["tags: [[a], {b: c}]", ({ tags }) => tags, ["a", "c"]],
      ["tags: [a", ({ tags }) => tags, ["[a"]],
      ["allowed-tools: {Read: true, Bash: false}", (skill) => skill.allowed_tools, ["Read", "Bash"]],
      ["allowed-tools: [{name: Read}]", (skill) => skill.allowed_tools, ["Read"]]
    ]
    for (const [field, value, expected] of lines) {
      const { text, warnings } = parsed(header(...minimal, field), "weekly-report")
      assert.deepStrictEqual(value(text), expected, field)
      assert.strictEqual(warnings.length, 1, field)
      assert.isTrue(warnings[0]?.startsWith(field.slice(0, field.indexOf(":"))), field)
    }
  })

  it("reads without a warning what the format allows", () => {
    const fields = [
      "version: 1.0",
      "author: null",
      "tags: a, b",
      "tags: 2024",
      "allowed-tools: Bash(git:*) Bash(jq:*) Read",
      "allowed-tools:\n  - Bash(git:*)\n  - Read",
      "metadata:\n  openclaw: {emoji: x, requires: {bins: [gh]}}",
      "compatibility: Don't ask; it's C#, 100% & more",
      "user-invocable: true # for other clients"
    ]
    for (const field of fields) {
      assert.deepStrictEqual(parsed(header(...minimal, field), "weekly-report").warnings, [], field)
    }
  })

  it("gives every skill a name, and says where it is another one than is written", () => {
    const named = (name: string | null, folder: string) => {
      const { aliases, text, warnings } = parsed(
        header(...(name === null ? [] : [`name: ${name}`]), "description: x"),
        folder
      )
      return [String(text.name), aliases, warnings.length]
    }
    assert.deepStrictEqual(named("water-plants", "folder_name"), ["water-plants", ["folder_name"], 1])
    assert.deepStrictEqual(named("PDF Processing", "PDF Processing"), ["pdf-processing", ["PDF Processing"], 1])
    assert.deepStrictEqual(named("Pdf_Tools", "pdf"), ["pdf-tools", ["Pdf_Tools", "pdf"], 2])
    assert.deepStrictEqual(named(null, "pdf"), ["pdf", [], 1])
    assert.deepStrictEqual(named("{ setup-skill-name }", "Setup"), ["setup", ["Setup"], 2])
    assert.deepStrictEqual(named("a".repeat(70), "a"), ["a".repeat(64), ["a".repeat(70), "a"], 2])
    assert.deepStrictEqual(named("--R\u00e9sum\u00e9--", "resume"), ["resume", ["--R\u00e9sum\u00e9--"], 2])
    assert.deepStrictEqual(named("\u7ffb\u8bd1", "translate"), ["translate", ["\u7ffb\u8bd1"], 2])
    assert.match(String(named("\u7ffb\u8bd1", "\u7ffb\u8bd1")[0]), /^skill-[0-9a-f]{8}$/)
  })

  it("loads what is beyond the limits of the format as it is, with a warning", () => {
    const { text, warnings } = parsed(
      header("name: a", `description: ${"x".repeat(1025)}`, `tags: [${[...Array(70).keys()].join(",")}]`),
      "a"
    )
    assert.deepStrictEqual([text.description.length, text.tags.length], [1025, 70])
    assert.match(warnings.join("\n"), /^description: expected .* 1024 characters; .*\ntags: expected at most 64 items/)
    const empty = parsed("---\nname: a\ndescription: x\n---", "a")
    assert.deepStrictEqual([empty.text.instructions, empty.warnings.length], ["", 1])
  })
})
