import { assert, describe, it } from "@effect/vitest"
import { noRequirements, SkillName, type SkillText } from "@troupe/domain/Skill"
import { Either, FastCheck as fc } from "effect"
import { parse, print } from "../../src/Skill/SkillFile.ts"
import { header, minimal, parsed, read } from "./skillFiles.ts"

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
})
