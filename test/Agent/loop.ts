import { assert } from "@effect/vitest"
import { TaskId, ToolCallId, UserId } from "@troupe/domain/Ids"
import { parentLimits } from "@troupe/domain/Limits"
import type { ImageReference, ToolMessage } from "@troupe/domain/Message"
import { advance, replay } from "@troupe/domain/Replay"
import { dropSummarised, emptyRun, type Run } from "@troupe/domain/Run"
import type { SeenContext } from "@troupe/domain/SeenContext"
import { SkillName } from "@troupe/domain/Skill"
import type { Step } from "@troupe/domain/Step"
import { unmarked } from "@troupe/domain/Text"
import { Effect, Layer } from "effect"
import type { AgentDependencies, AgentTask, LoopSettings, StepOutcome } from "../../src/Agent/AgentDependencies.ts"
import { AgentLoop } from "../../src/Agent/AgentLoop.ts"
import { Agents } from "../../src/Agent/Definition/Agents.ts"
import type { IntentPreprocessing } from "../../src/Agent/IntentPreprocessing.ts"
import { type ContextFacts, PromptContext, promptTime } from "../../src/Agent/PromptContext.ts"
import { Sandbox } from "../../src/File/Sandbox.ts"
import type { Model } from "../../src/Model/Model.ts"
import { Policies } from "../../src/Policy/Policies.ts"
import type { Skill } from "../../src/Skill/Skill.ts"
import { blank } from "../../src/Skill/SkillFile.ts"
import type { AgentTool, ToolFailed, ToolOutcome } from "../../src/Tool/AgentTool.ts"
import { Toolboxes } from "../../src/Tool/Toolboxes.ts"
import { fakeTool, textTool } from "../support/FakeTool.ts"
import { contextAt, noPreprocessing, noSkills, timeOnly } from "../support/PromptContexts.ts"
import { type ScriptedModel, scriptedModel, type Turn } from "../support/ScriptedModel.ts"

const input = "Find the answer"

export const idOf = (number: number): TaskId =>
  TaskId.make(`019a0000-0000-7000-8000-${String(number + 2).padStart(12, "0")}`)

export const task: AgentTask = {
  taskId: TaskId.make("019a0000-0000-7000-8000-000000000001"),
  creator: UserId.make("alice"),
  requester: {
    requester: "member",
    source: "api",
    task: "019a0000-0000-7000-8000-000000000001",
    person: "alice",
    agent: null,
    project: null,
    schedule: null
  },
  type: "task",
  agentType: null,
  toolAccess: "all",
  input,
  projectId: null,
  limits: parentLimits,
  tokenBudget: null,
  maxCost: null,
  agent: null,
  agentRevision: null,
  agentText: null
}

export const settings: LoopSettings = {
  specialization: "testing",
  additionalInstructions: null,
  maxParallelToolCalls: 5,
  compaction: { threshold: 1000, maxRecent: 8, contextTokens: 1_000_000 },
  prices: {},
  recordsContent: false
}

export const skill: Skill = {
  ...blank(SkillName.make("reports"), "Write reports.", "Begin with a summary."),
  source: "custom",
  folder: "/skills/reports",
  file: "SKILL.md",
  aliases: [],
  warnings: [],
  scripts: ["count.mjs"],
  tools: [],
  files: [],
  createdAt: 0,
  updatedAt: 0
}

export interface LoopOptions {
  readonly turns: ReadonlyArray<Turn>
  readonly tools?: ReadonlyArray<AgentTool>
  readonly task?: Partial<AgentTask>
  readonly settings?: Partial<LoopSettings>
  /** What the journal holds already when the loop begins. */
  readonly journal?: ReadonlyArray<Step>
  readonly dependencies?: Partial<Omit<AgentDependencies<never>, "record">>
  readonly sandbox?: Sandbox["Type"]
  readonly agents?: Layer.Layer<Agents>
  readonly context?: Partial<ContextFacts>
  readonly preparation?: Layer.Layer<IntentPreprocessing>
  /** Another model than the scripted one. */
  readonly model?: Layer.Layer<Model>
  /** Without it, those of a new service. */
  readonly policies?: Layer.Layer<Policies>
  /** What the model saw before the first step. */
  readonly seen?: SeenContext
  /** The request, as the conversation begins with it. */
  readonly input?: string
  readonly images?: ReadonlyArray<ImageReference>
  /** The loop of a process that has run other tasks; by default each task has its own. */
  readonly agent?: AgentLoop["Type"]
}

/** A loop whose journal is a list: what a real one keeps of each step, and nothing else, is carried on. */
export interface Loop {
  readonly run: Effect.Effect<void>
  readonly scripted: ScriptedModel
  /** The whole journal, what it began with included. */
  readonly journal: ReadonlyArray<Step>
  /** What this loop recorded. */
  readonly outcomes: ReadonlyArray<StepOutcome>
  /** As the actor keeps it, without the messages that a summary replaced. */
  readonly state: () => Run
}

export const makeLoop = (options: LoopOptions): Loop => {
  const journal = [...options.journal ?? []]
  const outcomes: Array<StepOutcome> = []
  const scripted = scriptedModel(...options.turns)
  let state = dropSummarised(replay(emptyRun(options.input ?? input, options.images, options.seen), journal))
  const record = (outcome: StepOutcome) =>
    Effect.sync(() => {
      journal.push(outcome.step)
      outcomes.push(outcome)
      state = dropSummarised(advance(state, outcome.step))
      return { run: state, isReopened: false }
    })
  const played = Effect.flatMap(AgentLoop, (loop) =>
    loop.run({ ...task, ...options.task }, state, {
      record,
      mayContinue: () => true,
      onText: () => undefined,
      cut: () => {},
      subtasks: { newIds: () => Effect.succeed([]), ended: () => Effect.succeed([]) },
      // Without a number, no step has a prompt.
      promptTexts: {
        numberOf: () => undefined,
        store: () => Effect.void,
        keep: () => Effect.succeed(1),
        textOf: () => Effect.dieMessage("There is no text")
      },
      ...options.dependencies
    }))
  const run = options.agent === undefined
    ? Effect.provide(played, agentLayer(options, scripted.layer))
    : Effect.provideService(played, AgentLoop, options.agent)
  return { run, scripted, journal, outcomes, state: () => state }
}

/** The agent loop of a process. */
export const agentLayer = (options: Omit<LoopOptions, "turns">, model: Layer.Layer<Model>): Layer.Layer<AgentLoop> =>
  AgentLoop.layer({ ...settings, ...options.settings }).pipe(
    Layer.provide([
      options.policies ?? Policies.layerOf(),
      options.model ?? model,
      contextOf(options.context),
      options.preparation ?? noPreprocessing,
      noSkills,
      options.agents ?? noAgents,
      Toolboxes.layer(options.tools ?? [echo])
    ]),
    Layer.provide(
      // No disk: it answers in its own time, and then tests of what happens meanwhile would have to wait for it.
      options.sandbox === undefined ? Layer.mock(Sandbox, {}) : Layer.succeed(Sandbox, options.sandbox)
    )
  )

const noAgents = Layer.mock(Agents, { list: Effect.succeed([]) })

const contextOf = (context: LoopOptions["context"]) =>
  context === undefined ? timeOnly : Layer.succeed(PromptContext, {
    of: () => Effect.succeed({ ...contextAt(promptTime(0, null)), ...context })
  })

/** Runs the loop until it ends or sleeps. */
export const runLoop = (options: LoopOptions): Effect.Effect<Loop> => {
  const loop = makeLoop(options)
  return Effect.as(loop.run, loop)
}

/** Answers with what it is given. */
export const echo = textTool("echo", (text) => Effect.succeed(`echo ${text}`), "Says it again")

/** A tool of any effect that does what the test says. */
export const tool = (
  name: string,
  effect: "read" | "idempotent" | "outside",
  run: Effect.Effect<string | ToolOutcome, ToolFailed>
): AgentTool => fakeTool(name, run, { effect })

/** The tool results of a conversation, in the order in which the model sees them, without their marks. */
export const resultsIn = (
  messages: ReadonlyArray<{ readonly role: string }>
): ReadonlyArray<readonly [string, string]> =>
  messages.filter((message): message is ToolMessage => message.role === "tool").map((message) => [
    message.tool_call_id,
    unmarked(message.content)
  ])

export const id = ToolCallId.make

export const kinds = (steps: ReadonlyArray<Step>): ReadonlyArray<Step["kind"]> => steps.map((step) => step.kind)

/** The results that were journalled, in the order in which they were. */
export const answered = (steps: ReadonlyArray<Step>): ReadonlyArray<readonly [string, string]> =>
  steps.flatMap((step) => step.kind === "results" ? resultsIn(step.results.map(({ message }) => message)) : [])

/** Lets the other fibers run until it is so, for half a minute if need be, and does `each` in between. */
export const settle = (condition: () => boolean, each: Effect.Effect<void> = Effect.void): Effect.Effect<void> =>
  Effect.suspend(() => {
    const end = performance.now() + 30_000
    return Effect.whileLoop({
      while: () => !condition() && performance.now() < end,
      body: () => Effect.zipRight(each, aTurnOfTheEventLoop),
      step: () => {}
    })
  }).pipe(Effect.zipRight(Effect.sync(() => assert.isTrue(condition()))))

const aTurnOfTheEventLoop = Effect.promise(() => new Promise<void>((resolve) => setImmediate(resolve)))
