import { assert } from "@effect/vitest"
import type { TaskId } from "@troupe/domain/Ids"
import type { Message } from "@troupe/domain/Message"
import { tokensLeft, tokensSpent } from "@troupe/domain/Run"
import type { Step } from "@troupe/domain/Step"
import { outcomeOf, resultOf } from "@troupe/domain/TaskOutcome"
import { Effect, FastCheck as fc, Layer } from "effect"
import { AgentLoop } from "../../src/Agent/AgentLoop.ts"
import { IntentPreprocessing } from "../../src/Agent/IntentPreprocessing.ts"
import type { TokenCounter } from "../../src/Agent/TokenEstimate.ts"
import { workStepsRequest } from "../../src/Agent/WorkSteps.ts"
import { Model, type ModelRequest, type ModelResponse } from "../../src/Model/Model.ts"
import { dispatchSubagent } from "../../src/Tool/ParkingTools.ts"
import { textTool } from "../support/FakeTool.ts"
import { noPreprocessing } from "../support/PromptContexts.ts"
import { call } from "../support/ScriptedModel.ts"
import { agentLayer, idOf, makeLoop, tool } from "./loop.ts"

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

export const cases = fc.record({
  budget: fc.integer({ min: 4_000, max: 60_000 }),
  words: fc.nat(2_000),
  tools: fc.nat(25),
  result: fc.nat(4_000),
  share: fc.double({ min: 0, max: 1, noNaN: true }),
  // Providers count texts about as the tokenizer does, and tools in a form of their own, shorter than JSON.
  textFactor: fc.double({ min: 0.95, max: 1.05, noNaN: true }),
  toolsFactor: fc.double({ min: 0.5, max: 1.05, noNaN: true }),
  /** Images of the request that the model can't see. */
  unseen: fc.nat(3),
  threshold: fc.constantFrom(4, 12, 1_000),
  /** How long summaries would be. */
  summary: fc.nat(6_000),
  extracts: fc.boolean(),
  intents
})

/** How a provider counts that takes several tokens for one of the tokenizer, and what it has counted before. */
export interface Counting {
  readonly times: number
  /** Whether the process has run another task with this model. */
  readonly isKnown: boolean
}

type Case = typeof cases extends fc.Arbitrary<infer A> ? A : never

/** Runs a task, and checks that it keeps to its budget, uses it, and ends in the agent's own words. */
export const holds = (
  tokenizer: TokenCounter,
  given: Case,
  { isKnown, times }: Counting = { isKnown: false, times: 1 }
) =>
  Effect.gen(function*() {
    const warmUp = isKnown
      ? [{ reasoning: 0, words: 20, calls: 1, dispatches: 0 }, { reasoning: 0, words: 20, calls: 0, dispatches: 0 }]
      : []
    const provider = honestProvider(tokenizer, [...warmUp, ...given.intents], {
      ...given,
      textFactor: given.textFactor * times,
      toolsFactor: given.toolsFactor * times
    })
    const input = `Find the answer${" word".repeat(given.words)}`
    const preparing = given.extracts
      ? Layer.succeed(IntentPreprocessing, {
        prepare: (_task, _tools, mayExtractSteps) => {
          const request = workStepsRequest(input)
          const tokens = [provider.count(request), 1_500] as const
          return Effect.map(mayExtractSteps, (may) =>
            may ? { kind: "prepared" as const, skills: [], steps: ["a", "b", "c"], tokens, millis: 1 } : null)
        },
        skillsOf: () =>
          Effect.succeed([])
      })
      : noPreprocessing
    let made = 0
    const tools = [
      reading(given.result),
      dispatchSubagent,
      ...Array.from(
        { length: given.tools },
        (_, index) => tool(`tool_${index}_with_a_long_name_and_description`, "read", Effect.succeed("ok"))
      )
    ]
    const settings = { compaction: { threshold: given.threshold, maxRecent: 3, contextTokens: 1_000_000 } }
    const agent = yield* Effect.provide(
      AgentLoop,
      agentLayer({ preparation: preparing, tools, settings }, provider.layer)
    )
    if (isKnown) {
      yield* makeLoop({ turns: [], agent, input, task: { tokenBudget: 10_000_000, limits: unlimited, input } }).run
    }
    const warmUps = provider.requests.length
    const inPreparation = given.extracts ? provider.count(workStepsRequest(input)) : 0
    const loop = makeLoop({
      turns: [],
      agent,
      input,
      images: Array.from({ length: given.unseen }, (_, index) => ({
        path: `${index}.png`,
        media_type: "image/png",
        size: null,
        digest: null
      })),
      task: { tokenBudget: given.budget, limits: unlimited, input },
      dependencies: {
        subtasks: {
          newIds: (count) => Effect.sync(() => Array.from({ length: count }, () => idOf(made++))),
          ended: (ids) =>
            Effect.sync(() =>
              ids.map((id) => ({
                task: id,
                tokens: Math.floor((budgetOf(loop.journal, id) ?? 0) * given.share),
                outcome: {
                  _tag: "Completed" as const,
                  end: { by: "answer" as const, detail: null },
                  text: "A part. ".repeat(given.result / 10),
                  files: []
                }
              }))
            )
        }
      }
    })
    yield* loop.run
    const run = loop.state()
    const last = loop.journal.at(-1)
    assert.isDefined(last)
    const requests = provider.requests.slice(warmUps)
    const inputs = requests.reduce((sum, request) => sum + provider.count(request), 0)
    // Nothing has shown yet how the provider counts what it gets first.
    const [first] = requests
    const unforeseen = isKnown ? 0 : (first === undefined ? 0 : provider.count(first)) + inPreparation
    assert.isAtMost(tokensSpent(run), given.budget + 0.05 * inputs + unforeseen * (1 - 1 / times), "overspent")
    if (last.kind === "failed") {
      assert.isEmpty(requests)
      assert.match(last.error, /^The first model call takes about \d+ tokens .* of the token budget of \d+ are left\./)
      return
    }
    assert.notStrictEqual(resultOf(last) ?? "", "")
    // How well the rest is used depends on how the provider counts.
    if (times !== 1) return
    assert.isNotNull(outcomeOf(last), "the report of the service instead of the agent's own words")
    assert.include(outcomeOf(last), resultOf(last))
    if (last.kind === "forced") {
      const prompt = times * tokenizer.ofText(requests.at(-1)?.system ?? "")
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

const budgetOf = (journal: ReadonlyArray<Step>, id: TaskId): number | null =>
  journal.flatMap((step) => step.kind === "dispatched" ? step.subtasks : []).find((one) => one.task === id)?.budget
    ?? null
