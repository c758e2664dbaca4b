import { assert, describe, it } from "@effect/vitest"
import { callsOf, decidedAgain, type PastCall, type ReadCalls, type ToolNow } from "@troupe/domain/PastCalls"
import type { Policy } from "@troupe/domain/Policy"
import type { CallRequester } from "@troupe/domain/PolicyDecision"
import { openingContext, policyContextOf } from "@troupe/domain/SeenContext"
import { Step } from "@troupe/domain/Step"
import { Schema } from "effect"

const decode = Schema.decodeUnknownSync(Step)

const calling = (...names: ReadonlyArray<string>) => ({
  kind: "model",
  tokens: [1, 1],
  millis: 1,
  message: { content: "", tool_calls: names.map((name) => ({ id: name, name, arguments: "{}" })) }
})

const results = (names: ReadonlyArray<string>, more: object = {}) => ({
  kind: "results",
  results: names.map((name) => ({ message: { tool_call_id: name, name, content: "done" }, millis: 1 })),
  ...more
})

const decided = (...calls: ReadonlyArray<object>) => ({
  decided: {
    revision: 1,
    preset: "balanced",
    calls: calls.map((call) => ({ class: "outside", effect: "allow", cause: "preset", ...call }))
  }
})

const callsIn = (...steps: ReadonlyArray<object>): ReadonlyArray<PastCall> => {
  let state: ReadCalls = { seen: openingContext({}, ["Do it"]), open: [] }
  return steps.flatMap((step, at) => {
    const [next, calls] = callsOf(state, { seq: at + 1, step: decode(step) })
    state = next
    return calls
  })
}

const effects = (calls: ReadonlyArray<PastCall>) => calls.map(({ before, id }) => [id, before])

const alice: CallRequester = {
  requester: "member",
  source: "api",
  task: "t1",
  person: "alice",
  agent: null,
  project: null,
  schedule: null
}

const balanced = { preset: "balanced", rules: [], classes: {} } as const

const again = (
  policy: Pick<Policy, "classes" | "preset" | "rules">,
  call: PastCall | undefined,
  tool?: ToolNow
) => call === undefined ? assert.fail("no call") : decidedAgain(policy, call, {}, tool, alice)

describe("The calls of a journal", () => {
  it("have what was decided first: one that was approved later has asked", () => {
    const calls = callsIn(
      calling("a__one", "a__two"),
      results(["a__one"], decided({ id: "a__one" }, { id: "a__two", effect: "ask" })),
      results(["a__two"], decided({ id: "a__two", cause: "approval" })),
      calling("a__three"),
      results(["a__three"], decided({ id: "a__three", cause: "approval" }))
    )
    assert.deepStrictEqual(effects(calls), [["a__one", "allow"], ["a__two", "ask"], ["a__three", "ask"]])
  })

  it("have the context in which they were decided, not that of their own results", () => {
    const calls = callsIn(
      calling("a__one"),
      results(["a__one"], { ...decided({ id: "a__one" }), shown: { outside: "the result of a__one" } }),
      calling("a__two"),
      results(["a__two"], decided({ id: "a__two" }))
    )
    assert.deepStrictEqual(calls.map(({ seen }) => policyContextOf(seen).kind), ["trusted", "outside"])
  })

  it("are those of each turn, though a provider numbers the calls of each turn anew", () => {
    const turn = [calling("a__one"), results(["a__one"], decided({ id: "a__one" }))]
    assert.lengthOf(callsIn(...turn, ...turn), 2)
  })

  it("are read from journals without decisions: those with a result were allowed, a mail that asked has asked", () => {
    const asked = { id: "send_email", question: "May it?", choices: ["Send", "Don't send"], digest: "d" }
    const calls = callsIn(
      calling("a__one", "send_email", "ask_human"),
      results(["a__one"], { asked }),
      results([], { approved: ["send_email"] }),
      results(["send_email"], { asked: { id: "ask_human", question: "Which?", choices: ["A", "B"] } }),
      results(["ask_human"])
    )
    assert.deepStrictEqual(effects(calls), [["a__one", "allow"], ["send_email", "ask"], ["ask_human", "allow"]])
    assert.deepStrictEqual(calls[1]?.message, { isUnexpected: true, leaves: false })
  })

  it("without a decision are none, though their turn has others", () => {
    const calls = callsIn(calling("a__one", "wrong"), results(["a__one", "wrong"], decided({ id: "a__one" })))
    assert.deepStrictEqual(effects(calls), [["a__one", "allow"]])
  })
})

describe("A past call is decided again", () => {
  const [call] = callsIn(calling("a__one"), results(["a__one"], decided({ id: "a__one" })))
  const [granted] = callsIn(
    calling("a__one"),
    results(["a__one"], decided({ id: "a__one", cause: "grant", grant: "g", rule: 0 }))
  )
  const ask = { ...balanced, rules: [{ effect: "ask", tool: "a__*" }] } as const

  it("by the tested rules, with the place of the one that decides", () => {
    assert.deepStrictEqual(again(balanced, call), { effect: "allow", rule: null })
    const deny = { ...ask, rules: [...ask.rules, { effect: "deny", tool: "a__one" }] } as const
    assert.deepStrictEqual(again(ask, call), { effect: "ask", rule: 0 })
    assert.deepStrictEqual(again(deny, call), { effect: "deny", rule: 1 })
  })

  it("with the class that the tested classes give it, else that of its hints", () => {
    const destructive = { ...balanced, classes: { "a__*": "destructive" } } as const
    assert.deepStrictEqual(again(destructive, call), { effect: "ask", rule: null })
    const now: ToolNow = { server: "a", class: "destructive", isOpenWorld: true }
    assert.deepStrictEqual(again(balanced, call, now), { effect: "ask", rule: null })
    assert.deepStrictEqual(again({ ...balanced, classes: { "a__*": "read" } }, call, now), {
      effect: "allow",
      rule: null
    })
  })

  it("without classes for built-in tools and scripts, which have their own", () => {
    const script: ToolNow = { server: null, class: "outside", isOpenWorld: false }
    const destructive = { ...balanced, classes: { "*": "destructive" } } as const
    assert.deepStrictEqual(again(destructive, call, script), { effect: "allow", rule: null })
  })

  it("as a grant would, which lifts an ask, unless the call is destructive now", () => {
    assert.deepStrictEqual(again(ask, granted), { effect: "allow", rule: 0 })
    assert.deepStrictEqual(again({ ...ask, classes: { "a__*": "destructive" } }, granted), { effect: "ask", rule: 0 })
    const deny = { ...balanced, rules: [{ effect: "deny", tool: "*" }] } as const
    assert.deepStrictEqual(again(deny, granted), { effect: "deny", rule: 0 })
  })

  it("as a mail to somebody new, which asks in every preset", () => {
    const [mail] = callsIn(
      calling("send_email"),
      results([], decided({ id: "send_email", effect: "ask", cause: "mail" }))
    )
    assert.deepStrictEqual(again({ ...balanced, preset: "quiet" }, mail), { effect: "ask", rule: null })
    const allow = { ...balanced, rules: [{ effect: "allow", tool: "send_email" }] } as const
    assert.deepStrictEqual(again(allow, mail), { effect: "allow", rule: 0 })
  })

  it("as one that leaves the team, if the step has it, also where the preset of then did not ask", () => {
    const message = { isUnexpected: false, leaves: true }
    const [mail] = callsIn(
      calling("a__one"),
      results(["a__one"], { ...decided({ id: "a__one" }), shown: { outside: "the result of a__one", private: true } }),
      calling("send_email"),
      results(["send_email"], decided({ id: "send_email", message }))
    ).slice(1)
    assert.deepStrictEqual(again(balanced, mail), { effect: "ask", rule: null })
    assert.deepStrictEqual(again({ ...balanced, preset: "quiet" }, mail), { effect: "allow", rule: null })
  })

  it("not at all where the model has made up the tool, before there were rules", () => {
    const [invented] = callsIn(calling("do_magic"), results(["do_magic"]))
    assert.isUndefined(again(balanced, invented))
  })
})
