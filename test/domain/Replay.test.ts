import { assert, describe, it } from "@effect/vitest"
import { ToolCallId } from "@troupe/domain/Ids"
import { advance, replay } from "@troupe/domain/Replay"
import { conversation, emptyRun, openCalls } from "@troupe/domain/Run"
import type { Modelled, Step } from "@troupe/domain/Step"
import { FastCheck as fc } from "effect"
import { isPaired } from "../support/Conversations.ts"

const callId = (turn: number, call: number) => ToolCallId.make(`t${turn}c${call}`)

const modelStep = (turn: number, calls: number, content = ""): Modelled => ({
  kind: "model",
  message: {
    role: "assistant",
    content,
    tool_calls: Array.from({ length: calls }, (_, call) => ({
      id: callId(turn, call),
      name: "read_file",
      arguments: "{}"
    }))
  },
  tokens: [10, 5],
  millis: 1
})

const resultStep = (turn: number, calls: ReadonlyArray<number>): Step => ({
  kind: "results",
  results: calls.map((call) => ({
    message: { role: "tool", tool_call_id: callId(turn, call), name: "read_file", content: `r${call}` },
    millis: 1
  }))
})

/** Journals in which each turn's results come in any order and in any number of steps; the last may be cut short. */
const anyJournal: fc.Arbitrary<ReadonlyArray<Step>> = fc.array(
  fc.record({ calls: fc.integer({ min: 1, max: 5 }), order: fc.array(fc.nat(), { minLength: 5, maxLength: 5 }) }),
  { maxLength: 6 }
).chain((turns) => {
  const steps = turns.flatMap(({ calls, order }, turn) => {
    const shuffled = Array.from({ length: calls }, (_, call) => call)
      .sort((a, b) => (order[a] ?? 0) - (order[b] ?? 0))
    const half = Math.ceil(shuffled.length / 2)
    return [modelStep(turn, calls), resultStep(turn, shuffled.slice(0, half)), resultStep(turn, shuffled.slice(half))]
  })
  return fc.nat(steps.length).map((length) => steps.slice(0, length))
})

describe("Replay", () => {
  it.prop("never separates a call from its results in what the model sees", [anyJournal], ([steps]) => {
    const run = replay(emptyRun("go"), steps)
    if (run.turn === null) assert.isTrue(isPaired(run.messages))
    else assert.strictEqual(run.messages.at(-1)?.role, "assistant")
  })

  it.prop("counts what the steps used", [anyJournal], ([steps]) => {
    const run = replay(emptyRun("go"), steps)
    const models = steps.filter((step) => step.kind === "model").length
    assert.deepStrictEqual([run.iterations, run.modelCalls, run.inputTokens, run.outputTokens], [
      models,
      models,
      models * 10,
      models * 5
    ])
  })

  it("shows the results of an open turn without closing it", () => {
    const run = replay(emptyRun("go"), [modelStep(0, 3), resultStep(0, [2]), resultStep(0, [0])])
    assert.deepStrictEqual(run.turn === null ? [] : openCalls(run.turn).map((call) => call.id), [callId(0, 1)])
    assert.deepStrictEqual(conversation(run).map((message) => message.role), ["user", "assistant", "tool", "tool"])
    assert.strictEqual(run.messages.length, 2)
  })

  it("adds a message after the results of its turn, and resets the iterations", () => {
    const steered: Step = { kind: "steered", messages: [{ text: "Faster", by: null }] }
    const open = replay(emptyRun("go"), [modelStep(0, 2), resultStep(0, [0]), steered])
    assert.deepStrictEqual([open.iterations, open.messages.length, conversation(open).at(-1)?.content], [
      0,
      2,
      "Faster"
    ])
    const closed = advance(open, resultStep(0, [1]))
    assert.deepStrictEqual(closed.messages.map(({ role }) => role), ["user", "assistant", "tool", "tool", "user"])
    assert.strictEqual(advance(closed, steered).messages.length, 6)
  })

  it("adds up the costs of all calls, and has none once a call had no price", () => {
    const priced: Step = { ...modelStep(0, 1), cost: 0.1 }
    const compacted: Step = { kind: "compacted", because: "messages", upto: 1, summary: "s", tokens: [1, 1], millis: 1 }
    const run = replay(emptyRun("go"), [priced, { ...compacted, cost: 0.2 }])
    assert.strictEqual(run.cost, 0.3)
    assert.strictEqual(advance(run, { ...compacted, tokens: [0, 0], summary: null }).cost, 0.3, "no call was made")
    const unpriced = advance(run, compacted)
    assert.isNull(unpriced.cost)
    assert.isNull(advance(unpriced, { ...compacted, cost: 0.2 }).cost)
  })

  it("counts all iterations beside those since the last message or retry", () => {
    const steered: Step = { kind: "steered", messages: [{ text: "Faster", by: null }] }
    const run = replay(emptyRun("go"), [modelStep(0, 1), resultStep(0, [0]), steered, modelStep(1, 1)])
    assert.deepStrictEqual([run.iterations, run.iterationsTotal], [1, 2])
    const retried = advance(run, { kind: "retried" })
    assert.deepStrictEqual([retried.iterations, retried.recursions, retried.iterationsTotal], [0, 0, 2])
    assert.deepStrictEqual(retried.messages, run.messages)
  })
})
