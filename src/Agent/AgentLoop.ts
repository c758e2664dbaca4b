import { settingsModel } from "@troupe/domain/LanguageModel"
import { costOf, type ModelPrice, priceOf } from "@troupe/domain/ModelPrice"
import type { Run } from "@troupe/domain/Run"
import type { Step } from "@troupe/domain/Step"
import { Clock, Context, Effect, Layer } from "effect"
import { Sandbox } from "../File/Sandbox.ts"
import { OnModelCut } from "../Model/CutCalls.ts"
import { chosen, type ChosenModel, Model, type UsedTokens } from "../Model/Model.ts"
import { Policies } from "../Policy/Policies.ts"
import { inSpan, scopedWith } from "../Runtime/HotPath.ts"
import type { Skill } from "../Skill/Skill.ts"
import { makeReadableFiles } from "../Skill/SkillFiles.ts"
import { Skills } from "../Skill/Skills.ts"
import type { Toolbox } from "../Tool/Toolbox.ts"
import { Toolboxes } from "../Tool/Toolboxes.ts"
import {
  type AgentDependencies,
  type AgentTask,
  type LoopSettings,
  type StepOutcome,
  withoutEvent
} from "./AgentDependencies.ts"
import { Agents } from "./Definition/Agents.ts"
import { agentLines, makeAsAgent } from "./Definition/SubagentAgent.ts"
import { makeTaskAgents } from "./Definition/TaskAgent.ts"
import { makeGenerateWithImages } from "./GenerateWithImages.ts"
import { IntentPreprocessing } from "./IntentPreprocessing.ts"
import { modelStep } from "./ModelStep.ts"
import { type ContextFacts, PromptContext } from "./PromptContext.ts"
import { makePromptRecord } from "./PromptRecord.ts"
import { costIn, countCost, modelIn, pausedOutcome, SpendingLimit, stoppedOutcome, usualCost } from "./Spending.ts"
import { mayExtractSteps } from "./TokenBudget.ts"
import { loadTokenizer } from "./TokenEstimate.ts"
import { makeTokenRatios } from "./TokenRatios.ts"
import { surplus } from "./ToolSelection.ts"
import { toolStep } from "./ToolStep.ts"

/**
 * Alternates model steps and tool steps, each journalled before the next, until the task ends, sleeps or is handed
 * over.
 */
export class AgentLoop extends Context.Tag("troupe/Agent/AgentLoop")<AgentLoop, {
  readonly run: <E>(task: AgentTask, start: Run, dependencies: AgentDependencies<E>) => Effect.Effect<void, E>
}>() {
  static readonly layer = (
    settings: LoopSettings
  ): Layer.Layer<
    AgentLoop,
    never,
    Agents | Policies | Model | Toolboxes | Sandbox | Skills | PromptContext | IntentPreprocessing
  > =>
    Layer.effect(
      this,
      Effect.gen(function*() {
        const models = yield* Model
        const toolboxes = yield* Toolboxes
        const policies = yield* Policies
        const sandbox = yield* Sandbox
        const promptContext = yield* PromptContext
        const spending = yield* SpendingLimit
        const preprocessing = yield* IntentPreprocessing
        const priceFor = ({ model, price }: ChosenModel) => price ?? priceOf(settings.prices, model)
        const generateWithImages = makeGenerateWithImages(makeReadableFiles(sandbox, yield* Skills))
        // An interruption while it loads would be kept as its result.
        const tokenizer = yield* Effect.cached(Effect.uninterruptible(loadTokenizer))
        const ratios = makeTokenRatios()
        const agents = yield* Agents
        const asAgent = makeTaskAgents()

        const run = <E>(task: AgentTask, start: Run, dependencies: AgentDependencies<E>): Effect.Effect<void, E> =>
          Effect.flatMap(asAgent(task, dependencies.promptTexts), (task) => runTask(task, start, dependencies))

        const runTask = <E>(
          task: AgentTask,
          start: Run,
          dependencies: AgentDependencies<E>
        ): Effect.Effect<void, E> => {
          const { agent, creator, requester } = task
          const spender = { creator, agent, source: requester.source === "api" ? null : requester.source }
          const spend = (model: string, cost: number | null) => {
            countCost({ model, ...spender }, cost)
            spending.spent({ model, ...spender }, cost)
          }
          const cut = (tokens: UsedTokens, model: ChosenModel) => {
            const price = priceFor(model)
            const cost = price === undefined ? {} : { cost: costOf(price, tokens) }
            spend(nameOf(model), cost.cost ?? null)
            return dependencies.cut({ kind: "interrupted", tokens, ...cost })
          }
          // Asked for each step: the models may change while a task runs.
          const model = chosen(models, task.model)
          const summaryModel = task.summaryModel ?? settings.summaryModel ?? null
          const summariser = summaryModel === null ? null : chosen(models, summaryModel)
          /** With its cost by the price of the model that was called, if there were calls and their cost is not known. */
          const paid = (outcome: StepOutcome, model: ChosenModel): StepOutcome => {
            const priced = withCost(priceFor(model), outcome)
            const cost = costIn(priced.step)
            if (cost !== undefined) spend(modelIn(priced.step) ?? unnamedOf(priced.step, model), cost)
            return priced
          }
          const unnamedOf = ({ kind }: Step, model: ChosenModel) =>
            kind === "failed" ? nameOf(model) : models.ofSettings ?? models.model
          const begin = (toolbox: Toolbox, context: ContextFacts): Effect.Effect<void, E> => {
            const source = { settings, context, task, tokenizer, ratios, toolbox }
            const { promptTexts } = dependencies
            const promptRecord = makePromptRecord(promptTexts)
            const tools = {
              toolbox,
              policies,
              settings,
              task,
              record: dependencies.record,
              subtasks: dependencies.subtasks,
              asAgent: makeAsAgent(agents, task, promptTexts)
            }
            const modelStepBy = (
              model: ChosenModel,
              run: Run,
              skills: ReadonlyArray<Skill>,
              summariser?: ChosenModel
            ): Effect.Effect<StepOutcome> => {
              const calledIn = ({ step }: StepOutcome) => step.kind === "compacted" ? summariser ?? model : model
              return withStepSpan(
                "model step",
                Effect.map(
                  // Named one by one: to spread objects takes longer than all else here.
                  modelStep({
                    settings,
                    context,
                    task,
                    tokenizer,
                    ratios,
                    toolbox,
                    promptTexts,
                    promptRecord,
                    model,
                    summariser,
                    price: priceFor(model),
                    skills,
                    generateWithImages,
                    sandbox,
                    onText: dependencies.onText()
                  }, run),
                  (outcome) => paid(outcome, calledIn(outcome))
                )
              )
            }
            const modelStepOf = (model: ChosenModel, run: Run): Effect.Effect<StepOutcome> =>
              summariser === null && (run.prepared === null || run.prepared.skills.length === 0)
                ? modelStepBy(model, run, [])
                : Effect.flatMap(
                  Effect.all([preprocessing.skillsOf(run.prepared), summariser ?? Effect.succeed(undefined)]),
                  ([skills, summariser]) => modelStepBy(model, run, skills, summariser)
                )
            const stepOf = (run: Run): Effect.Effect<StepOutcome, E> =>
              run.turn !== null
                ? withStepSpan("tool step", toolStep(tools, run, run.turn))
                : Effect.flatMap(model, (model) => {
                  const permission = spending.reserve(spender, () => usualCost(run, priceFor(model)))
                  switch (permission._tag) {
                    case "Granted":
                      return permission.reservation === null
                        ? modelStepOf(model, run)
                        : Effect.ensuring(modelStepOf(model, run), Effect.sync(permission.reservation.release))
                    case "Paused":
                      return Effect.map(Clock.currentTimeMillis, (now) => pausedOutcome(task, permission, now))
                    case "Stopped":
                      return Effect.succeed(stoppedOutcome(run, permission.reason))
                  }
                })
            const next = (run: Run): Effect.Effect<void, E> =>
              !dependencies.mayContinue() ?
                Effect.void :
                Effect.flatMap(
                  stepOf(run),
                  (outcome) =>
                    Effect.flatMap(dependencies.record(outcome), ({ isReopened, run }) =>
                      !isReopened && (outcome.event !== null || outcome.sleepUntil !== null)
                        ? Effect.void
                        : next(run))
                )
            if (!needsPreprocessing(task, start, toolbox) || !dependencies.mayContinue()) {
              return next(start)
            }
            const prepared = inSpan("preparation", () => ({}), () =>
              Effect.flatMap(model, (model) =>
                Effect.map(
                  preprocessing.prepare(
                    { ...task, input: requestIn(task, start) },
                    toolbox.toolSet().tools,
                    Effect.suspend(() => mayExtractSteps({ ...source, model, price: priceFor(model) }, start)),
                    model
                  ),
                  (prepared) => prepared === null ? null : paid(withoutEvent(prepared), model)
                )))
            return Effect.flatMap(
              prepared,
              (outcome) =>
                outcome === null ? next(start) : Effect.flatMap(dependencies.record(outcome), ({ run }) => next(run))
            )
          }
          const opened = task.type === "task"
            ? Effect.flatMap(agents.list, (all) => toolboxes.open({ agents: agentLines(all), ...task }))
            : toolboxes.open(task)
          return scopedWith(
            Context.make(OnModelCut, cut),
            Effect.flatMap(
              opened,
              (toolbox) => Effect.flatMap(promptContext.of(task), (context) => begin(toolbox, context))
            )
          )
        }
        return AgentLoop.of({ run })
      })
    )
}

/** The name under which spending counts a model: the provider's name of the model for the model of the settings. */
const nameOf = ({ model, name = settingsModel }: ChosenModel): string => name === settingsModel ? model : name

/** The cost of the step's model calls by the price of the model, if there were any and their cost is not known. */
const withCost = (price: ModelPrice | undefined, outcome: StepOutcome): StepOutcome => {
  const { step } = outcome
  if (price === undefined || !("tokens" in step) || step.tokens === undefined || step.cost !== undefined) return outcome
  const [input, output] = step.tokens
  // These steps are calls also where the provider counted nothing; zero tokens of others mean that no call was made.
  const isCall = step.kind === "model" || step.kind === "prepared"
  return input + output === 0 && !isCall
    ? outcome
    : { ...outcome, step: { ...step, cost: costOf(price, step.tokens) } }
}

const withStepSpan = <E, R>(name: string, work: Effect.Effect<StepOutcome, E, R>): Effect.Effect<StepOutcome, E, R> =>
  inSpan(name, () => ({}), (span) =>
    span === null ? work : Effect.tap(work, ({ step }) => {
      span.attribute("step", step.kind)
      if (step.kind === "failed") span.attribute("error.type", step.kind)
    }))

/** What skills and memories are chosen by: after an earlier conversation also what was asked there ("Go on."). */
const requestIn = ({ input }: AgentTask, { messages }: Run): string =>
  messages.length === 1
    ? input
    : messages.flatMap(({ content, role }) => role === "user" ? [content] : []).slice(-maxRequests).join("\n\n")

const maxRequests = 5

/** A subtask is preprocessed only where there are more tools than can be bound. */
const needsPreprocessing = ({ type }: AgentTask, { modelCalls, prepared }: Run, toolbox: Toolbox): boolean =>
  prepared === null && modelCalls === 0 && (type === "task" || surplus(toolbox.toolSet().tools).length > 0)
