import { assert, describe, it } from "@effect/vitest"
import { makeTextStyle } from "@troupe/cli/Format"
import { policyOf, policyText, testText } from "@troupe/cli/PolicyCommands"
import { TaskId, ToolCallId } from "@troupe/domain/Ids"
import { Effect } from "effect"

const plain = makeTextStyle(false)

const none = { tasks: 3, calls: 12, allowed: 10, asked: 1, denied: 1, changed: [], left_out: null }

const changed = {
  task_id: TaskId.make("0199f0c2-7d5a-7c3e-9b1f-2f6a4c8d1e55"),
  tool_call_id: ToolCallId.make("c1"),
  tool: "crm__post\u001b[2J",
  before: "allow" as const,
  after: "deny" as const,
  rule: 1
}

describe("troupe policy", () => {
  it("shows rules as sentences, which of them never apply, and the classes that were set", () => {
    const text = policyText({
      revision: 4,
      preset: "balanced",
      rules: [{ effect: "deny", tool: "send_mail" }, {
        effect: "ask",
        tool: "crm__*",
        who: ["admin"],
        because: "sold\u001b[2J"
      }],
      classes: { "crm__get_*": "read" },
      dead: [{ index: 0, reason: "no known tool is named send_mail" }]
    }, plain)
    assert.strictEqual(
      text,
      `Revision 4, preset balanced. Deny beats ask beats allow.
  1. Deny send_mail.
     Never applies: no known tool is named send_mail.
  2. Ask an owner or admin before crm__*, because sold\u241b[2J.
Classes that were set:
     crm__get_* is read
`
    )
    const empty = { revision: 0, preset: "quiet" as const, rules: [], classes: {}, dead: [] }
    assert.strictEqual(policyText(empty, plain), "Revision 0, preset quiet, no rules.\n")
  })

  it("shows what a test found: totals, a line for each changed call, and what was left out", () => {
    assert.strictEqual(
      testText(none, plain),
      "Of 12 calls of 3 tasks, these rules allow 10, ask about 1 and deny 1.\nEach is decided as it was.\n"
    )
    const found = testText({ ...none, changed: [changed, { ...changed, rule: null }], left_out: "Older ones." }, plain)
    assert.match(
      found,
      /\n2 calls decided otherwise:\nTASK +CALL OF +WAS +IS +BY\n0199f0c2-\S+ +crm__post␛\[2J +allow +deny +rule 2\n/
    )
    assert.match(found, / deny +preset\nOlder ones\.\n$/)
    const many = testText({ ...none, changed: Array.from({ length: 60 }, () => changed) }, plain)
    assert.include(many, "\n10 more: --json lists them.\n")
  })

  it.effect("reads the files of POLICY_FILE and of policy show --json", () =>
    Effect.gen(function*() {
      const rules = [{ effect: "deny", tool: "crm__*" }]
      assert.deepStrictEqual(yield* policyOf("a.json", JSON.stringify({ rules })), { rules } as object)
      const shown = { revision: 2, preset: "quiet", rules, classes: {}, dead: [] }
      assert.deepStrictEqual(yield* policyOf("a.json", JSON.stringify(shown)), shown as object)
    }))

  it.effect("says what is wrong in a file, and where", () =>
    Effect.gen(function*() {
      const wrong = { ruels: [], rules: [{ effect: "maybe", tool: "a" }, { effect: "ask", tool: "a", unless: {} }] }
      const { message, reason } = yield* Effect.flip(policyOf("a.json", JSON.stringify(wrong)))
      assert.strictEqual(reason, "usage")
      for (const place of ["ruels: ", "rules.0.effect: ", "rules.1.unless: "]) assert.include(message, place)
      const broken = yield* Effect.flip(policyOf("a.json", "{\"rules\": ["))
      assert.match(broken.message, /^a\.json is no policy\. .*It is JSON of the form/s)
    }))
})
