import { assert, describe, it } from "@effect/vitest"
import { tokensSpent } from "@troupe/domain/Run"
import type { Step } from "@troupe/domain/Step"
import { logsOf } from "@troupe/domain/TaskLog"
import { outcomeOf } from "@troupe/domain/TaskOutcome"
import { Effect } from "effect"
import type { ModelRequest } from "../../src/Model/Model.ts"
import { dispatchSubagent } from "../../src/Tool/ParkingTools.ts"
import { textTool } from "../support/FakeTool.ts"
import { asks, asksSaying, call, costing, dies, says, type Turn } from "../support/ScriptedModel.ts"
import { echo, idOf, kinds, runLoop } from "./loop.ts"

const echoing = (id: string) => call(id, "echo", { text: "found it" })

/** The same turn, after thinking for so many tokens. */
const thinking = (tokens: number, turn: Turn): Turn => (request) =>
  Effect.map(turn(request), (answer) => ({ ...answer, outputTokens: tokens }))

const budgetLogs = (journal: ReadonlyArray<Step>) =>
  journal.flatMap((step, seq) => logsOf({ seq, at: "", step })).filter(({ event }) => event === "budget")

describe("The end of a token budget", () => {
  it.effect("fails a task that can't afford its first call, with both figures, without a call", () =>
    Effect.gen(function*() {
      const many = Array.from(
        { length: 80 },
        (_, index) =>
          textTool(
            `tool_${index}`,
            () => Effect.succeed("ok"),
            "Does something that takes long to describe. ".repeat(4)
          )
      )
      const { journal, scripted } = yield* runLoop({ turns: [], tools: many, task: { tokenBudget: 4_000 } })
      assert.isEmpty(scripted.requests)
      assert.match(
        JSON.stringify(journal),
        /"failed","error":"The first model call takes about \d+ tokens with its answer, and 4000 of the token budget of 4000/
      )
    }))

  it.effect("warns before the last call that fits, which is made without tools and asks for the answer", () =>
    Effect.gen(function*() {
      const { journal, outcomes, scripted } = yield* runLoop({
        turns: [costing(6_000, asks(echoing("1"))), costing(1_000, says("In my own words."))],
        task: { tokenBudget: 10_000 }
      })
      const [first, last] = scripted.requests
      assert.isNotEmpty(first?.tools.tools ?? [])
      assert.isEmpty(last?.tools.tools ?? ["none"])
      assert.include(last?.system, "This is the last call that the budget allows")
      assert.deepInclude(journal.at(-1), {
        end: "answered",
        endedBy: "budget",
        warning: { kind: "last", budget: 10_000, left: 4_000 }
      })
      assert.deepStrictEqual(outcomes.at(-1)?.event, { _tag: "Completed" })
      assert.deepStrictEqual(budgetLogs(journal).map(({ level, message }) => [level, message]), [
        [
          "warning",
          "4000 of 10000 budgeted tokens left, enough for one call; it is made without tools and asks for the final answer"
        ],
        ["warning", "The token budget of 10000 allowed one more call, in which the agent closed with this answer."]
      ])
    }))

  it.effect("warns once from 80% on, in the log and in every prompt", () =>
    Effect.gen(function*() {
      const { journal, scripted } = yield* runLoop({
        turns: [thinking(80_000, asks(echoing("1"))), asks(echoing("2")), says("Done.")],
        task: { tokenBudget: 100_000 }
      })
      assert.deepStrictEqual(scripted.requests.map(({ system }) => system.includes("Wrap up now")), [false, true, true])
      assert.deepStrictEqual(budgetLogs(journal).map(({ message }) => message), [
        "19990 of 100000 budgeted tokens left; the agent is asked to finish"
      ])
    }))

  it.effect("completes with the text so far and the reason when no call fits", () =>
    Effect.gen(function*() {
      const { journal, scripted } = yield* runLoop({
        turns: [costing(99_950, asksSaying("Nearly.", echoing("1"))), says("Never")],
        task: { tokenBudget: 100_000 }
      })
      assert.strictEqual(scripted.requests.length, 1)
      assert.deepInclude(journal.at(-1), { kind: "forced", output: "Nearly." })
      assert.match(
        JSON.stringify(journal.at(-1)),
        /budget of 100000 is used up: 50 are left, and another .* takes about/
      )
    }))

  it.effect("reports each tool result when the agent wrote no text", () =>
    Effect.gen(function*() {
      const { journal } = yield* runLoop({
        turns: [costing(99_999, asks(echoing("1"), call("2", "nothing")))],
        task: { tokenBudget: 100_000 }
      })
      const last = journal.at(-1)
      assert.isTrue(last?.kind === "forced" && last.reported)
      const output = last?.kind === "forced" ? last.output : ""
      assert.include(output, "The token budget of 100000 is used up")
      assert.match(output, /\n- echo: echo found it\n- nothing: Error: /)
      assert.isNull(last === undefined ? "" : outcomeOf(last))
    }))

  it.effect("lets the next call continue an answer that it cut off", () =>
    Effect.gen(function*() {
      const { journal, scripted } = yield* runLoop({
        turns: [
          (request) =>
            Effect.succeed({
              message: { role: "assistant", content: "The answer is for", tool_calls: [] },
              inputTokens: 1_000,
              outputTokens: request.maxOutputTokens ?? 0,
              cut: "Limit."
            }),
          says("ty-two.")
        ],
        task: { tokenBudget: 8_000 }
      })
      assert.deepStrictEqual(scripted.requests.at(-1)?.messages.slice(-2).map(({ role }) => role), [
        "assistant",
        "user"
      ])
      assert.deepInclude(journal[0], { cut: true })
      assert.deepInclude(journal.at(-1), { end: "answered", output: "The answer is forty-two." })
    }))

  it.effect("completes when reasoning uses all of it", () =>
    Effect.gen(function*() {
      const reasoned = (request: ModelRequest) =>
        Effect.succeed({
          message: { role: "assistant" as const, content: "", tool_calls: [] },
          inputTokens: 1_000,
          outputTokens: request.maxOutputTokens ?? 0,
          cut: "Limit."
        })
      const { journal, scripted, state } = yield* runLoop({ turns: [reasoned, reasoned], task: { tokenBudget: 8_000 } })
      assert.deepStrictEqual(kinds(journal), ["model", "model"])
      assert.deepInclude(journal.at(-1), { end: "forced", reported: true })
      assert.isAbove(tokensSpent(state()), 7_000)
      // An empty message in the conversation is refused by providers.
      assert.deepStrictEqual(scripted.requests[1]?.messages.map(({ role }) => role), ["user"])
    }))

  it.effect("differs from the model's own limit: without a budget a cut answer is the answer, and an empty one fails", () =>
    Effect.gen(function*() {
      const cutOff = (content: string) => () =>
        Effect.succeed({
          message: { role: "assistant" as const, content, tool_calls: [] },
          inputTokens: 10,
          outputTokens: 7,
          cut: "Ask for less."
        })
      const half = yield* runLoop({ turns: [cutOff("Half")] })
      assert.deepInclude(half.journal.at(-1), {
        end: "answered",
        output: "Half\n\n[The answer was cut off here: the model reached its output limit.]"
      })
      const none = yield* runLoop({ turns: [cutOff("")] })
      assert.deepStrictEqual(none.journal.at(-1), { kind: "failed", error: "Ask for less.", tokens: [10, 7] })
      assert.strictEqual(tokensSpent(none.state()), 17)
    }))

  it.effect("skips a summary that it can't afford", () =>
    Effect.gen(function*() {
      const compaction = { threshold: 3, maxRecent: 2, contextTokens: 1_000_000 }
      const turns = [costing(500, asks(echoing("1"))), costing(500, asks(echoing("2"))), says("Done.")]
      const poor = yield* runLoop({ turns, task: { tokenBudget: 8_000 }, settings: { compaction } })
      assert.notInclude(kinds(poor.journal), "compacted")
      const rich = yield* runLoop({
        turns: [turns[0] ?? dies("no turn"), turns[1] ?? dies("no turn"), says("A summary."), says("Done.")],
        task: { tokenBudget: 30_000 },
        settings: { compaction }
      })
      assert.include(kinds(rich.journal), "compacted")
      const summary = rich.scripted.requests.find(({ summarises }) => summarises !== undefined)
      assert.strictEqual(summary?.maxOutputTokens, 4_000)
    }))

  it.effect("gives subagents what the parent can spare, and each at least the minimum", () =>
    Effect.gen(function*() {
      const dispatch = (id: string) => call(id, "dispatch_subagent", { task_description: "A part" })
      const ids = [idOf(1), idOf(2)]
      const { journal } = yield* runLoop({
        turns: [costing(2_000, asks(dispatch("1"), dispatch("2"), dispatch("3"))), says("Done.")],
        tools: [echo, dispatchSubagent],
        task: { tokenBudget: 16_000 },
        dependencies: {
          subtasks: {
            newIds: (count) => Effect.succeed(ids.slice(0, count)),
            ended: (some) =>
              Effect.succeed(some.map((one) => ({
                task: one,
                tokens: 1_000,
                outcome: {
                  _tag: "Completed" as const,
                  end: { by: "answer" as const, detail: null },
                  text: "Part.",
                  files: []
                }
              })))
          }
        }
      })
      // 16,000 - 2,000 - (2,000 + 2,500) for the parent's next call.
      assert.deepStrictEqual(
        journal.flatMap((step) => step.kind === "dispatched" ? step.subtasks.map(({ budget }) => budget) : []),
        [4_750, 4_750]
      )
      assert.include(JSON.stringify(journal), "leaves 9500 tokens for subagents, and each needs at least 4000")
      assert.deepInclude(journal.at(-1), { end: "answered" })
    }))
})
