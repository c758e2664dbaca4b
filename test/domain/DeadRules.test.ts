import { assert, describe, it } from "@effect/vitest"
import { deadRules } from "@troupe/domain/DeadRules"

const tools = [
  {
    name: "mail__send",
    parameters: {
      type: "object",
      properties: {
        to: { anyOf: [{ type: "string" }, { type: "array", items: { type: "string" } }] },
        parts: { type: "array", items: { type: "object", properties: { "a/b": { type: "number" } } } },
        headers: { type: "object", additionalProperties: { type: "string" } },
        options: { $ref: "#/$defs/options" }
      }
    }
  },
  { name: "mail__list", parameters: { type: "object", properties: {}, additionalProperties: false } },
  { name: "open__any", parameters: { type: "object" } }
]

const reasons = (tool: string, ...pointers: ReadonlyArray<string>) =>
  deadRules([{ tool, when: { args: Object.fromEntries(pointers.map((pointer) => [pointer, { is: 1 }])) } }], tools)
    .map(({ reason }) => reason)

describe("A rule is dead", () => {
  it.each([
    ["mail__sned", [], "no known tool is named mail__sned"],
    ["github__*", [], "no known tool is named github__*"],
    ["Mail__send", [], "no known tool is named Mail__send"],
    ["mail__send", ["/too"], "mail__send has no argument /too"],
    ["mail__send", ["/to/address"], "mail__send has no argument /to/address"],
    ["mail__send", ["/parts/0/c"], "mail__send has no argument /parts/0/c"],
    ["mail__send", ["/headers/from/x"], "mail__send has no argument /headers/from/x"],
    ["mail__list", ["/to"], "mail__list has no argument /to"],
    ["mail__*", ["/too"], "none of the 2 tools named mail__* has an argument /too"]
  ])("that is about %s with %j", (tool, pointers, reason) => {
    assert.deepStrictEqual(reasons(tool, ...pointers), [reason])
  })
})

describe("A rule is not dead", () => {
  it.each([
    ["*", []],
    ["mail__send", [""]],
    ["mail__send", ["/to"]],
    ["mail__send", ["/to/0"]],
    ["mail__send", ["/parts/3/a~1b"]],
    ["mail__send", ["/headers/from"]],
    ["mail__send", ["/options/anything"]],
    ["mail__*", ["/to"]],
    ["open__any", ["/whatever/is/there"]]
  ])("that is about %s with %j", (tool, pointers) => {
    assert.deepStrictEqual(reasons(tool, ...pointers), [])
  })
})

it("Dead rules are named by their places", () => {
  assert.deepStrictEqual(deadRules([{ tool: "*" }, { tool: "x" }], tools), [
    { index: 1, reason: "no known tool is named x" }
  ])
})
