import { assert, describe, it } from "@effect/vitest"
import { Rule } from "@troupe/domain/Policy"
import { Either, Schema } from "effect"
import { effectOf, outside, rule } from "./policyCalls.ts"

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
