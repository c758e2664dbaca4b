import { assert, describe, it } from "@effect/vitest"
import { Preset, Rule } from "@troupe/domain/Policy"
import {
  type CallGrant,
  type CallRequester,
  classIn,
  decide,
  type Decision,
  type PolicyCall,
  type PolicyContext
} from "@troupe/domain/PolicyDecision"
import { Either, FastCheck as fc, Schema } from "effect"

const call: PolicyCall = {
  tool: "github__merge",
  class: "outside",
  args: {},
  binding: "b",
  message: null,
  isOpenWorld: true
}
const trusted: PolicyContext = { kind: "trusted", isPrivate: false }
const outside: PolicyContext = { kind: "outside", isPrivate: false }
const outsideAndPrivate: PolicyContext = { kind: "outside", isPrivate: true }
const alice: CallRequester = {
  requester: "member",
  source: "api",
  task: "t1",
  person: "alice",
  agent: null,
  project: "apollo",
  schedule: null
}

const effectOf = (
  preset: Preset,
  rules: ReadonlyArray<Rule>,
  of: Partial<PolicyCall> = {},
  context = trusted,
  by: Partial<CallRequester> = {},
  grants: ReadonlyArray<CallGrant> = []
): Decision => decide({ preset, rules }, { ...call, ...of }, context, { ...alice, ...by }, grants)

const rule = (given: unknown): Rule => Schema.decodeUnknownSync(Rule)(given)

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

describe("Rules", () => {
  const allow = rule({ effect: "allow", tool: "*" })
  const ask = rule({ effect: "ask", tool: "github__*" })
  const deny = rule({ effect: "deny", tool: "github__merge", because: "Releases are frozen." })

  it("deny beats ask beats allow, wherever they stand", () => {
    const permuted = [[allow, ask, deny], [deny, ask, allow], [ask, deny, allow], [allow, deny, ask]]
    for (const rules of permuted) {
      assert.deepStrictEqual(effectOf("quiet", rules), { effect: "deny", cause: "rule", rule: rules.indexOf(deny) })
    }
    for (const rules of [[allow, ask], [ask, allow]]) {
      assert.include(effectOf("quiet", rules), { effect: "ask", cause: "rule", rule: rules.indexOf(ask) })
    }
  })

  it("an allowing one stands in the place of the preset", () => {
    assert.include(effectOf("strict", [allow], { class: "destructive" }, outside), { effect: "allow", rule: 0 })
  })

  it("one about every tool does not open the mail to strangers, one that names the tool does", () => {
    const mail = { tool: "send_email", message: { isUnexpected: true, leaves: false } }
    assert.strictEqual(effectOf("balanced", [allow], mail).effect, "ask")
    const named = rule({ effect: "allow", tool: "send_email", when: { args: { "/to": { domain_in: ["x.org"] } } } })
    assert.strictEqual(effectOf("balanced", [named], { ...mail, args: { to: "a@x.org" } }).effect, "allow")
    assert.strictEqual(effectOf("balanced", [named], { ...mail, args: { to: "a@y.org" } }).effect, "ask")
  })

  it("say who may approve: requester and admin if they say nothing", () => {
    assert.deepInclude(effectOf("quiet", [ask]), { who: ["requester", "admin"] })
    assert.deepInclude(effectOf("quiet", [{ ...ask, who: ["bob"] }]), { who: ["bob"] })
    assert.deepInclude(effectOf("balanced", [], {}, outside), { who: ["requester", "admin"] })
  })

  it.each([
    [{ class: "outside" }, true],
    [{ class: ["read", "own"] }, false],
    [{ context: "trusted" }, true],
    [{ context: "outside" }, false],
    [{ source: "api" }, true],
    [{ source: ["email", "webhook"] }, false],
    [{ requester: "member" }, true],
    [{ requester: "guest" }, false],
    [{ agent: "sales" }, false],
    [{ project: "apollo" }, true],
    [{ project: "other" }, false],
    [{ schedule: "s1" }, false],
    [{ class: "outside", context: "outside" }, false],
    [{ class: "outside", source: "api", args: { "/branch": { is: "main" } } }, true]
  ])("apply where all of %j hold: %s", (when, applies) => {
    const decision = effectOf("quiet", [rule({ effect: "deny", tool: "*", when })], { args: { branch: "main" } })
    assert.strictEqual(decision.effect, applies ? "deny" : "allow")
  })

  const args = {
    to: ["Ada <ada@x.org>", "bob@x.org"],
    mixed: ["ada@x.org", "eve@evil.example"],
    url: "https://api.x.org:8443/v1",
    amount: 100,
    words: "100",
    nested: [{ "a/b": { "c~d": true } }],
    none: []
  }
  // Of an allowing, an asking and a denying rule: true, false, or unknown, which counts for the last two alone.
  it.each([
    ["/amount", { is: 100 }, "yes"],
    ["/amount", { is: 101 }, "no"],
    ["/amount", { in: [1, 100] }, "yes"],
    ["/amount", { in: [1] }, "no"],
    ["/amount", { over: 99.5 }, "yes"],
    ["/amount", { over: 100 }, "no"],
    ["/amount", { under: 100 }, "no"],
    ["/amount", { over: 10, under: 1000 }, "yes"],
    ["/words", { over: 10 }, "unknown"],
    ["/amount", { glob: "1*" }, "unknown"],
    ["/words", { glob: "1?0" }, "yes"],
    ["/words", { glob: "?" }, "no"],
    ["/to", { domain_in: ["x.org"] }, "yes"],
    ["/to", { domain_in: ["X.ORG", "y.org"] }, "yes"],
    ["/to", { domain_in: ["y.org"] }, "no"],
    ["/mixed", { domain_in: ["x.org"] }, "unknown"],
    ["/mixed", { glob: "*@*" }, "yes"],
    ["/url", { domain_in: ["x.org"] }, "no"],
    ["/url", { domain_in: ["*.x.org"] }, "yes"],
    ["/amount", { domain_in: ["x.org"] }, "unknown"],
    ["/none", { domain_in: ["x.org"] }, "unknown"],
    ["/missing", { is: 1 }, "unknown"],
    ["/to/0", { glob: "Ada*" }, "yes"],
    ["/to/7", { glob: "*" }, "unknown"],
    ["/nested/0/a~1b/c~0d", { is: true }, "yes"],
    ["/to", { is: ["Ada <ada@x.org>", "bob@x.org"] }, "yes"],
    ["", { glob: "*" }, "unknown"]
  ])("test %s by %j: %s", (pointer, test, expected) => {
    const decided = (["allow", "ask", "deny"] as const).map((effect) =>
      effectOf("strict", [rule({ effect, tool: "*", when: { args: { [pointer]: test } } })], { args }).effect === effect
      && effectOf("quiet", [rule({ effect, tool: "*", when: { args: { [pointer]: test } } })], { args }).effect ===
        effect
    )
    // In `strict` the preset asks, in `quiet` it allows: each of the three effects shows in one of them.
    assert.deepStrictEqual(
      decided,
      { yes: [true, true, true], no: [false, false, false], unknown: [false, true, true] }[expected]
    )
  })

  it("about arguments that are no JSON: they count for ask and deny, not for allow", () => {
    const when = { args: { "/a": { is: 1 } } }
    assert.strictEqual(
      effectOf("quiet", [rule({ effect: "deny", tool: "*", when })], { args: undefined }).effect,
      "deny"
    )
    assert.strictEqual(
      effectOf("strict", [rule({ effect: "allow", tool: "*", when })], { args: undefined }).effect,
      "ask"
    )
  })

  it.each([
    [{ effect: "allow", tool: "*", colour: 1 }],
    [{ effect: "allow", tool: "*", when: { tools: "x" } }],
    [{ effect: "allow", tool: "*", when: { args: { "/a": { equals: 1 } } } }],
    [{ effect: "allow", tool: "*", when: { args: { "/a": {} } } }],
    [{ effect: "allow", tool: "*", when: { args: { a: { is: 1 } } } }],
    [{ effect: "allow", tool: "*", when: { class: "harmless" } }],
    [{ effect: "allow", tool: "*", when: { class: [] } }],
    [{ effect: "ask", tool: "*", who: [] }],
    [{ effect: "ask", tool: "*", who: [""] }],
    [{ effect: "permit", tool: "*" }],
    [{ effect: "allow", tool: "" }],
    [{ effect: "allow" }]
  ])(
    "that can't be meant are refused: %j",
    (given) => assert.isTrue(Either.isLeft(Schema.decodeUnknownEither(Rule)(given)))
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
