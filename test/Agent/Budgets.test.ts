import { assert, describe, it } from "@effect/vitest"
import { TaskId } from "@troupe/domain/Ids"
import type { Message } from "@troupe/domain/Message"
import { tokensLeft, tokensSpent } from "@troupe/domain/Run"
import type { Step } from "@troupe/domain/Step"
import { logsOf } from "@troupe/domain/TaskLog"
import { outcomeOf, resultOf } from "@troupe/domain/TaskOutcome"
import { Effect, FastCheck as fc, Layer } from "effect"
import { IntentPreprocessing } from "../../src/Agent/IntentPreprocessing.ts"
import { loadTokenizer, type TokenCounter } from "../../src/Agent/TokenEstimate.ts"
import { workStepsRequest } from "../../src/Agent/WorkSteps.ts"
import { Model, type ModelRequest, type ModelResponse } from "../../src/Model/Model.ts"
import { dispatchSubagent } from "../../src/Tool/DispatchSubagent.ts"
import { textTool } from "../support/FakeTool.ts"
import { noPreprocessing } from "../support/PromptContexts.ts"
import { asks, asksSaying, call, costing, dies, says, type Turn } from "../support/ScriptedModel.ts"
import { echo, kinds, makeLoop, runLoop, task, tool } from "./loop.ts"

const unlimited = { soft: 900, hard: 1_000, recursion: 10_000 }

/** What the agent means to do in a call: think, say something, ask for tools. Lengths in words. */
interface Intent {
  readonly reasoning: number
  readonly words: number
  readonly calls: number
  readonly dispatches: number
}

/**
 * A provider that counts all it gets, a little differently than it was estimated, and never answers longer than it may:
 * what is too long is cut off. Without tools it answers in words.
 */
const honestProvider = (
  { ofText }: TokenCounter,
  intents: ReadonlyArray<Intent>,
  given: { readonly textFactor: number; readonly toolsFactor: number; readonly summary: number }
) => {
  const left = [...intents]
  const requests: Array<ModelRequest> = []
  let number = 0
  const sizeOf = (message: Message) =>
    4 + ofText(message.content) + (message.role !== "assistant" ? 0 : message.tool_calls.reduce(
      (sum, one) => sum + 4 + ofText(one.name) + ofText(one.arguments),
      0
    ))
  const count = ({ messages, system, tools }: ModelRequest): number =>
    Math.round(
      given.textFactor * (ofText(system) + messages.reduce((sum, message) => sum + sizeOf(message), 0))
        + given.toolsFactor * (tools.tools.length === 0 ? 0 : ofText(JSON.stringify(tools.tools)))
    )
  const answer = (request: ModelRequest): ModelResponse => {
    requests.push(request)
    const inputTokens = count(request)
    const allowed = request.maxOutputTokens ?? Number.POSITIVE_INFINITY
    const isSummary = request.summarises !== undefined
    const plain = { reasoning: 0, words: isSummary ? given.summary : 30, calls: 0, dispatches: 0 }
    const intent = (isSummary ? undefined : left.shift()) ?? plain
    const hasTools = request.tools.tools.length > 0
    const reasoning = hasTools ? intent.reasoning : 0
    // " word" is one token of the tokenizer.
    const words = Math.max(hasTools && intent.calls + intent.dispatches + reasoning > 0 ? 0 : 1, intent.words)
    const calls = hasTools
      ? [
        ...Array.from({ length: intent.calls }, () => call(`c${number++}`, "echo", { text: "again" })),
        ...Array.from(
          { length: intent.dispatches },
          () => call(`c${number++}`, "dispatch_subagent", { task_description: "Do a part" })
        )
      ]
      : []
    const said = Math.min(words, Math.max(0, allowed - reasoning))
    const wanted = reasoning + words + calls.length * 30
    return {
      message: { role: "assistant", content: " word".repeat(said), tool_calls: wanted > allowed ? [] : calls },
      inputTokens,
      outputTokens: Math.min(wanted, allowed),
      ...(wanted > allowed ? { cut: "The model reached its output limit." } : {})
    }
  }
  const model = Model.of({
    provider: "offline",
    model: "honest",
    sees: () => false,
    probe: Effect.void,
    generate: (request) => Effect.sync(() => answer(request))
  })
  return { layer: Layer.succeed(Model, model), requests, count }
}

/** Results of any length, as they are after truncation. */
const reading = (characters: number) =>
  textTool("echo", () => Effect.succeed("lorem ipsum ".repeat(characters / 12)), "Says it again")

const intents: fc.Arbitrary<ReadonlyArray<Intent>> = fc.array(
  fc.record({
    reasoning: fc.oneof(fc.constant(0), fc.nat(6_000)),
    words: fc.oneof(fc.constant(0), fc.nat(50), fc.nat(8_000)),
    calls: fc.nat(4),
    dispatches: fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, fc.integer({ min: 1, max: 3 }))
  }),
  { maxLength: 12 }
)

const cases = fc.record({
  budget: fc.integer({ min: 4_000, max: 60_000 }),
  words: fc.nat(2_000),
  tools: fc.nat(25),
  result: fc.nat(4_000),
  share: fc.double({ min: 0, max: 1, noNaN: true }),
  // Providers count texts about as the tokenizer does, and tools in a form of their own, shorter than JSON.
  textFactor: fc.double({ min: 0.95, max: 1.05, noNaN: true }),
  toolsFactor: fc.double({ min: 0.5, max: 1.05, noNaN: true }),
  /** Pictures of the request that the model can't see. */
  pictures: fc.nat(3),
  threshold: fc.constantFrom(4, 12, 1_000),
  /** How long summaries would be. */
  summary: fc.nat(6_000),
  extracts: fc.boolean(),
  intents
})

describe("A token budget", () => {
  it.effect(
    "is not exceeded, is used, and ends with the agent's own answer, for any task",
    () =>
      Effect.gen(function*() {
        const tokenizer = yield* loadTokenizer
        const check = fc.asyncProperty(cases, (given) => Effect.runPromise(holds(tokenizer, given)))
        yield* Effect.promise(() => fc.assert(check, { numRuns: 60 }))
      }),
    120_000
  )
})

const holds = (tokenizer: TokenCounter, given: typeof cases extends fc.Arbitrary<infer A> ? A : never) =>
  Effect.gen(function*() {
    const provider = honestProvider(tokenizer, given.intents, given)
    const input = `Find the answer${" word".repeat(given.words)}`
    const preparing = given.extracts
      ? Layer.succeed(IntentPreprocessing, {
        prepare: (_task, _tools, mayExtractSteps) => {
          const request = workStepsRequest(input)
          const tokens = [provider.count(request), 1_500] as const
          return Effect.succeed(
            mayExtractSteps
              ? { kind: "prepared" as const, skills: [], steps: ["a", "b", "c"], tokens, millis: 1 }
              : null
          )
        },
        skillsOf: () => Effect.succeed([])
      })
      : noPreprocessing
    let made = 0
    const loop = makeLoop({
      turns: [],
      model: provider.layer,
      preparation: preparing,
      input,
      images: Array.from({ length: given.pictures }, (_, index) => ({
        path: `${index}.png`,
        media_type: "image/png",
        size: null,
        digest: null
      })),
      tools: [
        reading(given.result),
        dispatchSubagent,
        ...Array.from(
          { length: given.tools },
          (_, index) => tool(`tool_${index}_with_a_long_name_and_description`, "read", Effect.succeed("ok"))
        )
      ],
      task: { tokenBudget: given.budget, limits: unlimited, input },
      settings: {
        compaction: { threshold: given.threshold, maxRecent: 3, contextTokens: 1_000_000, contextShare: 0.75 }
      },
      ports: {
        subtasks: {
          newIds: (count) => Effect.sync(() => Array.from({ length: count }, () => idOf(made++))),
          ended: (ids) =>
            Effect.sync(() =>
              ids.map((id) => ({
                task: id,
                tokens: Math.floor((budgetOf(loop.journal, id) ?? 0) * given.share),
                outcome: { _tag: "Completed" as const, text: "A part. ".repeat(given.result / 10), files: [] }
              }))
            )
        }
      }
    })
    yield* loop.run
    const run = loop.state()
    const last = loop.journal.at(-1)
    assert.isDefined(last)
    const inputs = provider.requests.reduce((sum, request) => sum + provider.count(request), 0)
    assert.isAtMost(tokensSpent(run), given.budget + 0.05 * inputs, "overspent")
    if (last.kind === "failed") {
      assert.isEmpty(provider.requests)
      assert.match(last.error, /^The first model call takes about \d+ tokens .* of the token budget of \d+ are left\./)
      return
    }
    assert.notStrictEqual(resultOf(last) ?? "", "")
    assert.strictEqual(outcomeOf(last), resultOf(last), "the report of the service instead of the agent's own words")
    if (last.kind === "forced") {
      const prompt = tokenizer.ofText(provider.requests.at(-1)?.system ?? "")
      assert.isBelow(
        tokensLeft(given.budget, run) ?? 0,
        (prompt + 1_024) * 1.05 + 100,
        "another call would have fitted"
      )
    }
    if (last.kind === "model" && last.end === "forced") {
      assert.isBelow(tokensLeft(given.budget, run) ?? 0, 0.1 * given.budget + 512)
    }
  })

const idOf = (number: number): TaskId => TaskId.make(`019a0000-0000-7000-8000-${String(number + 2).padStart(12, "0")}`)

const budgetOf = (journal: ReadonlyArray<Step>, id: TaskId): number | null =>
  journal.flatMap((step) => step.kind === "dispatched" ? step.subtasks : []).find((one) => one.task === id)?.budget
    ?? null

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
        warning: { kind: "last", budget: 10_000, left: 4_000 }
      })
      assert.deepStrictEqual(outcomes.at(-1)?.event, { _tag: "Completed" })
      assert.deepStrictEqual(budgetLogs(journal).map(({ level, message }) => [level, message]), [[
        "warning",
        "4000 of 10000 budgeted tokens left, enough for one call; it is made without tools and asks for the final answer"
      ]])
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
      const compaction = { threshold: 3, maxRecent: 2, contextTokens: 1_000_000, contextShare: 0.75 }
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
        ports: {
          subtasks: {
            newIds: (count) => Effect.succeed(ids.slice(0, count)),
            ended: (some) =>
              Effect.succeed(some.map((one) => ({
                task: one,
                tokens: 1_000,
                outcome: { _tag: "Completed" as const, text: "Part.", files: [] }
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

describe("Without a token budget", () => {
  it.effect("no tokenizer is needed and no answer is limited", () =>
    Effect.gen(function*() {
      const { scripted } = yield* runLoop({ turns: [says("Done.")], task: { ...task, tokenBudget: null } })
      assert.notProperty(scripted.requests[0], "maxOutputTokens")
    }))
})
