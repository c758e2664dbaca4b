import { assert, describe, it } from "@effect/vitest"
import { Either } from "effect"
import { toolsIn, withScripts } from "../../src/Skill/ScriptTool.ts"
import { parse } from "../../src/Skill/SkillFile.ts"

const found = (...lines: ReadonlyArray<string>) => toolsIn(["name: a", "description: A.", ...lines].join("\n"))

const parsedTools = (...lines: ReadonlyArray<string>) =>
  Either.getOrThrow(parse(["---", "name: a", "description: A.", ...lines, "---", "Do it."].join("\n"), "a")).tools

const schema = "{type: object, properties: {city: {type: string}}, required: [city]}"

describe("The tools that a SKILL.md lists", () => {
  it("have their name, description, script, parameters and class", () => {
    const { tools, warnings } = found(
      "tools:",
      "  - name: now",
      "    description: The weather now.",
      "    script: scripts/now.py",
      "    class: read",
      "    parameters:",
      "      type: object",
      "      properties:",
      "        days: {type: integer, minimum: 1, default: 3}",
      "      additionalProperties: false"
    )
    assert.deepStrictEqual(tools, [{
      name: "now",
      description: "The weather now.",
      script: "now.py",
      class: "read",
      parameters: {
        type: "object",
        properties: { days: { type: "integer", minimum: 1, default: 3 } },
        additionalProperties: false
      }
    }])
    assert.deepStrictEqual(warnings, [])
  })

  it("take no arguments and have effects outside unless they say otherwise", () => {
    const { tools } = found("tools:", "- {name: ping, description: Ping., script: ./scripts/ping.sh}")
    assert.deepInclude(tools[0], { class: "outside", script: "ping.sh" })
    assert.deepInclude(tools[0]?.parameters, { type: "object", additionalProperties: false })
  })

  it("are none in a skill without the field, or with an empty one", () => {
    for (const lines of [[], ["tools:"], ["tools: []"]]) {
      assert.deepStrictEqual(found(...lines), { tools: [], warnings: [] })
    }
  })

  const broken: ReadonlyArray<readonly [line: string, reason: RegExp]> = [
    ["{description: D., script: a.py}", /^tools\.0 is left out: its name is not 1 to 64 letters/],
    ["{name: has space, description: D., script: a.py}", /its name is not/],
    ["{name: x, script: a.py}", /^tools\.0 \(x\) is left out: description is missing/],
    ["{name: x, description: D.}", /script is missing/],
    ["{name: x, description: D., script: a.py, class: readonly}", /class is none of read, own, outside, destructive/],
    ["{name: x, description: D., script: a.py, parameters: {city: {type: string}}}", /no JSON Schema of an object/],
    ["{name: x, description: D., script: a.py, parameters: {type: string}}", /no JSON Schema of an object/],
    ["{name: x, description: D., script: a.py, parameters: [city]}", /parameters: they are no map/],
    [
      "{name: x, description: D., script: a.py, parameters: {type: object, properties: {a: {type: text}}}}",
      /parameters: /
    ],
    [
      "{name: x, description: D., script: a.py, parameters: {type: object, properties: {a: {pattern: '('}}}}",
      /parameters: /
    ],
    [
      "{name: x, description: D., script: a.py, parameters: {type: object, properties: {a: {$ref: 'http://a/b'}}}}",
      /parameters: /
    ],
    ["now.py", /^tools\.0 is left out: it is no map/]
  ]

  it("are left out with the reason when they can't be used, and the others stay", () => {
    for (const [line, reason] of broken) {
      const { tools, warnings } = found(
        "tools:",
        `- ${line}`,
        `- {name: good, description: D., script: b.py, parameters: ${schema}}`
      )
      assert.deepStrictEqual(tools.map(({ name }) => name), ["good"], line)
      assert.strictEqual(warnings.length, 1, line)
      assert.match(warnings[0] ?? "", reason, line)
    }
  })

  it("are none where the field is no list", () => {
    for (const line of ["tools: Read, Grep", "tools: {now: scripts/now.py}"]) {
      const { tools, warnings } = found(line)
      assert.deepStrictEqual([tools.length, warnings.length], [0, 1])
      assert.match(warnings[0] ?? "", /^tools: expected a list/)
    }
  })

  it("have a name that no tool before them has, and fields that are known", () => {
    const tool = (rest: string) => `- {name: now, description: D., script: a.py${rest}}`
    assert.match(found("tools:", tool(""), tool("")).warnings[0] ?? "", /^tools\.1 \(now\) is left out: another tool/)
    const { tools, warnings } = found("tools:", tool(", input_schema: {}"))
    assert.deepStrictEqual([tools.length, warnings], [1, [
      "tools.0 (now): input_schema is none of name, description, script, parameters, class; it is not used"
    ]])
  })

  it("are read where a description is no YAML, with or without indentation", () => {
    for (const indentation of ["", "  "]) {
      const { tools, warnings } = parsedTools(
        "tools:",
        ...[
          "- name: one",
          "  description: Use when: asked",
          "  script: one.py",
          "  parameters:",
          "    type: object",
          "    properties:",
          "      city: {type: string}",
          "- name: two",
          "  description: \"Two\" of them",
          "  script: two.py"
        ].map((line) => indentation + line)
      )
      assert.deepStrictEqual(tools.map(({ description, name }) => [name, description]), [
        ["one", "Use when: asked"],
        ["two", "\"Two\" of them"]
      ])
      assert.deepInclude(tools[0]?.parameters, { properties: { city: { type: "string" } } })
      assert.deepStrictEqual(warnings, [])
    }
  })

  it("need a script that the skill has", () => {
    const listed = found(
      "tools:",
      "- {name: now, description: D., script: now.py}",
      "- {name: no, description: D., script: ../no.py}"
    )
    assert.deepStrictEqual(withScripts(listed, ["now.py", "other.py"]), {
      tools: listed.tools.slice(0, 1),
      warnings: ["tools (no) is left out: there is no file scripts/../no.py"]
    })
  })
})
