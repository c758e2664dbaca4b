import { assert, describe, it } from "@effect/vitest"
import { Preset } from "@troupe/domain/Policy"
import {
  type CallGrant,
  type CallRequester,
  classIn,
  type PolicyCall,
  type PolicyContext
} from "@troupe/domain/PolicyDecision"
import { FastCheck as fc } from "effect"
import { call, effectOf, outside, rule, trusted } from "./policyCalls.ts"

const outsideAndPrivate: PolicyContext = { kind: "outside", isPrivate: true }

describe("Without a rule the preset decides", () => {
  const contexts = { trusted, outside }
  const columns = ["read", "own", "outside in trusted", "outside in outside", "destructive", "destructive in outside"]
  const cases = [
    ["read", "outside"],
    ["own", "outside"],
    ["outside", "trusted"],
    ["outside", "outside"],
    ["destructive", "trusted"],
    ["destructive", "outside"]
  ] as const
  it.each(
    [
      ["quiet", "allow allow allow allow allow allow"],
      ["balanced", "allow allow allow ask ask ask"],
      ["strict", "allow allow ask ask ask ask"]
    ] as const
  )("as %s says", (preset, expected) => {
    const found = cases.map(([ofTool, context]) => effectOf(preset, [], { class: ofTool }, contexts[context]).effect)
    assert.deepStrictEqual(
      Object.fromEntries(columns.map((name, at) => [name, found[at]])),
      Object.fromEntries(columns.map((name, at) => [name, expected.split(" ")[at]]))
    )
  })

  it.each(Preset.literals)("mail to somebody whom nobody named asks in %s", (preset) => {
    const decision = effectOf(preset, [], { tool: "send_email", message: { isUnexpected: true, leaves: false } })
    assert.include(decision, { effect: "ask", cause: "mail" })
  })

  it.each(
    [
      ["quiet", outsideAndPrivate, "allow"],
      ["balanced", outsideAndPrivate, "ask"],
      ["strict", outsideAndPrivate, "ask"],
      ["balanced", { kind: "trusted", isPrivate: true }, "allow"]
    ] as const
  )(
    "what leaves in %s with %j: %s",
    (preset, context, effect) =>
      assert.strictEqual(
        effectOf(preset, [], { message: { isUnexpected: false, leaves: true } }, context).effect,
        effect
      )
  )

  it.each(
    [
      ["balanced", outsideAndPrivate, true, "allow"],
      ["strict", outsideAndPrivate, true, "ask"],
      ["strict", outsideAndPrivate, false, "allow"],
      ["strict", outside, true, "allow"],
      ["strict", { kind: "trusted", isPrivate: true }, true, "allow"]
    ] as const
  )(
    "a read of a server in %s with %j, open world %s: %s",
    (preset, context, isOpenWorld, effect) =>
      assert.strictEqual(effectOf(preset, [], { class: "read", isOpenWorld }, context).effect, effect)
  )
})

describe("Grants", () => {
  const grant: CallGrant = {
    id: "g1",
    tool: call.tool,
    binding: "b",
    covers: { scope: "task", task: "t1" },
    values: {},
    by: "alice",
    isByAdmin: false
  }
  const ask = rule({ effect: "ask", tool: "*" })
  const deny = rule({ effect: "deny", tool: "*" })
  const inOutside = (of: Partial<PolicyCall>, grants: ReadonlyArray<CallGrant>, by: Partial<CallRequester> = {}) =>
    effectOf("balanced", [], of, outside, by, grants).effect

  it("lift an ask of the preset and of a rule, and say which did", () => {
    assert.deepStrictEqual(effectOf("balanced", [], {}, outside, {}, [grant]), {
      effect: "allow",
      cause: "grant",
      rule: null,
      grant: "g1"
    })
    assert.include(effectOf("quiet", [ask], {}, trusted, {}, [grant]), { effect: "allow", cause: "grant", rule: 0 })
  })

  it.each(
    [
      [["admin"], {}, "ask"],
      [["admin", "bob"], {}, "ask"],
      [["admin"], { isByAdmin: true }, "allow"],
      [["bob"], { isByAdmin: true }, "ask"],
      [["alice"], {}, "allow"],
      [["requester", "bob"], {}, "allow"]
    ] as const
  )("lift an ask about which %j decide, given %j: %s", (who, given, effect) => {
    const asked = rule({ effect: "ask", tool: "*", who })
    assert.strictEqual(effectOf("quiet", [asked], {}, trusted, {}, [{ ...grant, ...given }]).effect, effect)
  })

  it("lift no deny", () => assert.strictEqual(effectOf("quiet", [deny], {}, trusted, {}, [grant]).effect, "deny"))

  it("are never for a destructive call", () => assert.strictEqual(inOutside({ class: "destructive" }, [grant]), "ask"))

  it.each([
    [{ tool: "github__other" }],
    [{ binding: "of another schema, address or credentials" }]
  ])("are for the tool as it was, not for %j", (of) => assert.strictEqual(inOutside(of, [grant]), "ask"))

  it("need the values that were to stay the same", () => {
    const same = { ...grant, values: { "/repo": "acme/site", "/labels": ["a"] } }
    assert.strictEqual(inOutside({ args: { repo: "acme/site", labels: ["a"], title: "x" } }, [same]), "allow")
    assert.strictEqual(inOutside({ args: { repo: "acme/other", labels: ["a"] } }, [same]), "ask")
    assert.strictEqual(inOutside({ args: { repo: "acme/site" } }, [same]), "ask")
  })

  it.each(
    [
      [{ scope: "task", task: "t1" }, {}, "allow"],
      [{ scope: "task", task: "t2" }, {}, "ask"],
      [{ scope: "schedule", schedule: "s1" }, { schedule: "s1" }, "allow"],
      [{ scope: "schedule", schedule: "s1" }, {}, "ask"],
      [{ scope: "agent", agent: "sales", person: null, project: null }, { agent: "sales" }, "allow"],
      [{ scope: "agent", agent: "sales", person: null, project: null }, {}, "ask"],
      [{ scope: "agent", agent: null, person: "alice", project: "apollo" }, {}, "allow"],
      [{ scope: "agent", agent: null, person: "alice", project: "apollo" }, { project: null }, "ask"],
      [{ scope: "agent", agent: null, person: "alice", project: "apollo" }, { person: "bob" }, "ask"],
      [{ scope: "agent", agent: null, person: "alice", project: "apollo" }, { agent: "sales" }, "ask"]
    ] as const
  )(
    "cover %j for a task with %j: %s",
    (covers, by, effect) => assert.strictEqual(inOutside({}, [{ ...grant, covers }], by), effect)
  )
})

it.each(
  [
    [{}, "outside"],
    [{ "github__*": "destructive" }, "destructive"],
    [{ "*": "read", "github__*": "destructive" }, "destructive"],
    [{ "github__merge": "read", "github__*": "destructive" }, "read"],
    [{ "jira__*": "read" }, "outside"]
  ] as const
)(
  "Of an admin's classes %j the longest glob decides: %s",
  (classes, expected) => assert.strictEqual(classIn(classes, "github__merge", "outside"), expected)
)

it.prop(
  "A decision is total: any arguments and pointers have one",
  {
    args: fc.jsonValue(),
    pointer: fc.oneof(fc.constant(""), fc.string().map((text) => `/${text.replaceAll("~", "~0")}`)),
    value: fc.jsonValue(),
    effect: fc.constantFrom("allow", "ask", "deny")
  },
  ({ args, effect, pointer, value }) => {
    const tests = [{ is: value }, { glob: "*a?" }, { domain_in: ["x.org"] }, { over: 1 }, { in: [value] }]
    for (const test of tests) {
      const decided = effectOf("balanced", [rule({ effect, tool: "*", when: { args: { [pointer]: test } } })], { args })
      assert.include(["allow", "ask", "deny"], decided.effect)
    }
  }
)
