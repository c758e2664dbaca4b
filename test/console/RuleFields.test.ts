import { assert, describe, it } from "@effect/vitest"
import type { Rule as ClientRule } from "@troupe/client"
import { Rule } from "@troupe/domain/Policy"
import { Schema } from "effect"
import { deadReason, draftIn, moved } from "../../packages/console/src/screens/policy/PolicyContent.ts"
import {
  argumentFault,
  type ArgumentFields,
  emptyRule,
  fieldsOf,
  ruleOf
} from "../../packages/console/src/screens/policy/RuleFields.ts"

const isRule = Schema.is(Rule)

const args = (...fields: ReadonlyArray<ArgumentFields>) => ruleOf({ ...emptyRule, tool: "a", args: fields }).when?.args

const rules: ReadonlyArray<ClientRule> = [
  { effect: "deny", tool: "*" },
  { effect: "ask", tool: "crm__*", who: ["u1"], because: "It is dear" },
  { effect: "allow", tool: "send_email", when: { args: { "/to": { domain_in: ["a.example", "*.b.example"] } } } },
  { effect: "ask", tool: "a", when: { args: { "/n": { over: 1, under: 2.5 }, "/t": { glob: "x, y*" } } } },
  {
    effect: "ask",
    tool: "a",
    when: { args: { "/a": { is: "5" }, "/b": { is: 5 }, "/c": { is: null }, "/d": { is: "x, y" } } }
  },
  {
    effect: "ask",
    tool: "a",
    when: { args: { "/a": { in: ["x", "y"] }, "/b": { in: ["x, y", 3, { z: [true] }] } } }
  },
  {
    effect: "deny",
    tool: "a",
    when: { class: ["outside", "destructive"], context: "outside", source: "email", requester: ["guest", "unknown"] }
  },
  { effect: "deny", tool: "a", when: { agent: "sales", project: ["apollo", "gemini"], schedule: "s1" } }
]

describe("The form of a rule", () => {
  it.each(rules)("gives the rule back that it was given: %j", (rule) => {
    assert.isTrue(isRule(rule))
    assert.deepStrictEqual<unknown>(ruleOf(fieldsOf(rule)), rule)
  })

  it("leaves out what is empty, and the usual approvers in any order", () => {
    const rule = ruleOf({ ...emptyRule, tool: " a ", because: " ", who: ["admin", "requester"] })
    assert.deepStrictEqual(rule, { effect: "ask", tool: "a" })
    const denying = ruleOf({ ...emptyRule, effect: "deny", tool: "a", who: ["u1"] })
    assert.deepStrictEqual(denying, { effect: "deny", tool: "a" }, "nobody approves what is denied")
  })

  it("takes a name for its pointer, and joins the tests of one argument", () => {
    assert.deepStrictEqual<unknown>(
      args({ pointer: "n", operator: "over", value: "1" }, { pointer: "/n", operator: "under", value: "3" }),
      { "/n": { over: 1, under: 3 } }
    )
  })

  it("says what is wrong with a test of an argument", () => {
    assert.match(argumentFault({ pointer: "", operator: "is", value: "1" }) ?? "", /Name the argument/)
    assert.match(argumentFault({ pointer: "/a~b", operator: "is", value: "1" }) ?? "", /~0/)
    assert.match(argumentFault({ pointer: "/a", operator: "is", value: " " }) ?? "", /What must it be/)
    assert.match(argumentFault({ pointer: "/a", operator: "over", value: "many" }) ?? "", /number/)
    assert.isUndefined(argumentFault({ pointer: "/a", operator: "over", value: "1e3" }))
  })
})

describe("A draft of the policy", () => {
  it("is read back as it was stored, and is none if something else was", () => {
    const draft = { revision: 1, preset: "quiet", rules: [], classes: {} }
    assert.deepStrictEqual<unknown>(draftIn(JSON.stringify(draft)), draft)
    for (const text of ["", "{", "null", "[]", "{\"rules\": []}"]) assert.isUndefined(draftIn(text), text)
  })

  it("says why a rule never applies as long as the rule is as it was saved", () => {
    const rule = { effect: "deny", tool: "a" } as const
    const saved = { rules: [rule], dead: [{ index: 0, reason: "no known tool is named a" }] }
    assert.strictEqual(deadReason(saved, { ...rule }), "no known tool is named a")
    assert.isUndefined(deadReason(saved, { ...rule, tool: "b" }))
  })

  it("moves a rule to another place", () => {
    assert.deepStrictEqual(moved(["a", "b", "c"], 0, 1), ["b", "a", "c"])
    assert.deepStrictEqual(moved(["a", "b", "c"], 2, 0), ["c", "a", "b"])
  })
})
