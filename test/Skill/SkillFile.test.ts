import { assert, describe, it } from "@effect/vitest"
import { noRequirements, SkillName, type SkillText } from "@troupe/domain/Skill"
import { Either, FastCheck as fc } from "effect"
import { parse, print } from "../../src/Skill/SkillFile.ts"

const header = (...lines: ReadonlyArray<string>) => `---\n${lines.join("\n")}\n---\nDo it.`
const minimal = ["name: weekly-report", "description: Writes the report."]

const parsed = (text: string, folder?: string) => Either.getOrThrowWith(parse(text, folder), (why) => new Error(why))
const read = (text: string) => parsed(text).text
const refused = (text: string) => Either.getOrThrow(Either.flip(parse(text)))

const anyWord = fc.stringMatching(/^[a-z][a-z0-9_]{0,12}$/)
const anyLine = fc.string({ minLength: 1, maxLength: 60, unit: "grapheme" }).filter((text) =>
  text.trim() === text && text !== "" && !text.includes("\0") && !text.includes("\r")
)
const anyItem = anyLine.map((text) => text.toLowerCase()).filter((text) => text.trim() === text && text.length <= 100)
const anyItems = fc.uniqueArray(anyItem, { maxLength: 4 })

const anySkill: fc.Arbitrary<SkillText> = fc.record({
  name: fc.stringMatching(/^[a-z0-9]{1,8}(-[a-z0-9]{1,8}){0,3}$/).map((name) => SkillName.make(name)),
  description: anyLine,
  license: fc.option(anyLine),
  compatibility: fc.option(anyLine),
  metadata: fc.dictionary(anyWord.filter((key) => key !== "author" && key !== "version"), anyLine, { maxKeys: 3 }).map(
    (one) => ({ ...one })
  ),
  allowed_tools: fc.uniqueArray(anyWord, { maxLength: 4 }),
  tags: anyItems,
  author: fc.option(anyLine),
  version: fc.option(anyLine),
  requirements: fc.record({ bins: anyItems, env: anyItems, python: anyItems, node: anyItems, platform: anyItems }),
  instructions: fc.array(anyLine, { minLength: 1, maxLength: 5 }).map((lines) => lines.join("\n"))
})

describe("SkillFile", () => {
  it.prop("reads what it has written", [anySkill], ([skill]) => {
    assert.deepStrictEqual(parsed(print(skill)), {
      text: skill,
      aliases: [],
      warnings: [],
      tools: { tools: [], warnings: [] }
    })
  })

  it.prop("answers any text with a skill or with a reason", [fc.string({ unit: "grapheme", maxLength: 200 })], (
    [text]
  ) => {
    for (const given of [text, header(text), header(...minimal, text)]) {
      const result = parse(given)
      if (Either.isLeft(result)) assert.isNotEmpty(result.left)
    }
  })

  it("reads a file with nothing but what is required", () => {
    assert.deepStrictEqual(read(header(...minimal)), {
      name: SkillName.make("weekly-report"),
      description: "Writes the report.",
      license: null,
      compatibility: null,
      metadata: {},
      allowed_tools: [],
      tags: [],
      author: null,
      version: null,
      requirements: noRequirements,
      instructions: "Do it."
    })
  })

  it("reads lists as lists and as texts, under either spelling of allowed-tools", () => {
    const asText = read(
      header(...minimal, "allowed-tools: Bash(git status:*), Read write_file", "tags: CSV, Weekly Report")
    )
    assert.deepStrictEqual(asText.allowed_tools, ["Bash(git status:*)", "Read", "write_file"])
    assert.deepStrictEqual(asText.tags, ["csv", "weekly report"])
    const asList = read(header(...minimal, "allowed_tools: [Read, write_file, Read]", "tags:\n  - CSV\n  - 2024"))
    assert.deepStrictEqual(asList.allowed_tools, ["Read", "write_file"])
    assert.deepStrictEqual(asList.tags, ["csv", "2024"])
  })

  it("keeps values as they are written, and takes author and version from the metadata too", () => {
    assert.strictEqual(read(header(...minimal, "version: 1.10")).version, "1.10")
    const skill = read(header(...minimal, "metadata:\n  author: Ann\n  version: \"2.0\"", "tags:", "requirements:"))
    assert.strictEqual(skill.author, "Ann")
    assert.strictEqual(skill.version, "2.0")
  })

  it("reads files of other systems: CRLF, a byte order mark, fields that it doesn't know", () => {
    const skill = read(`\uFEFF${header(...minimal, "model: opus", "user-invocable: true").replaceAll("\n", "\r\n")}`)
    assert.strictEqual(skill.name, "weekly-report")
  })

  it("says what is wrong", () => {
    assert.include(refused("# Only text"), "front matter")
    assert.include(refused("---\nname: x\n"), "front matter")
    assert.include(refused(header("description: Without a name.")), "name is missing")
    assert.include(refused(header("name: weekly-report")), "description is missing")
    for (const nothing of ["''", "", "~", "null"]) {
      assert.include(refused(header("name: weekly-report", `description: ${nothing}`)), "description is missing")
    }
    assert.include(refused(header(...minimal, "name: again")), "no YAML")
    assert.include(refused(header("[a", ...minimal)), "no YAML")
    assert.include(refused(header("name: weekly-report", " description: Indented.")), "name: YAML reads it")
    assert.include(refused(header("- a", "- b")), "names with values")
    assert.include(refused(`${header(...minimal)}\0`), "NUL")
  })

  it("expands no aliases, however they are nested", () => {
    const bomb = ["a: &a [x, x, x]", "b: &b [*a, *a, *a]", "metadata: {c: *b}"]
    assert.include(refused(header(...minimal, ...bomb)), "aliases")
  })

  it("puts no property on the prototype of anything", () => {
    read(header(...minimal, "metadata: {__proto__: {polluted: yes}}", "__proto__: {polluted: yes}"))
    assert.isFalse("polluted" in {})
  })

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
