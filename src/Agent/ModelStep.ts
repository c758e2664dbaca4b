import type { Failed } from "@troupe/domain/FaultStep"
import { type Run, unfinishedText } from "@troupe/domain/Run"
import type { Modelled } from "@troupe/domain/Step"
import type { CutBy } from "@troupe/domain/Task"
import { plural } from "@troupe/domain/Text"
import { Effect } from "effect"
import type { Sandbox } from "../File/Sandbox.ts"
import { callAsText } from "../Model/CallAsText.ts"
import { type ModelResponse, tokensOf } from "../Model/Model.ts"
import { timed } from "../Runtime/HotPath.ts"
import { type PromptTextPort, type StepOutcome, withEvent, withoutEvent } from "./AgentDependencies.ts"
import { calledTwice, cutOff, filteredOff, isCutByBudget, nothingTwice, unusable } from "./AnswerFaults.ts"
import { filesOf } from "./AttachedFiles.ts"
import { budgetsOf } from "./CallBudget.ts"
import { type CompactionPlan, compactionStep, planOverflow, summaryTokens } from "./Compaction.ts"
import { conversationOf, namesImages } from "./Conversation.ts"
import { outputOf, silentReport } from "./EndReport.ts"
import type { GenerateWithImages, ImageResponse } from "./GenerateWithImages.ts"
import type { CallRecord, PromptRecord } from "./PromptRecord.ts"
import {
  type Call,
  compactionOf,
  type Decision,
  type PlanSource,
  planWithin,
  planWithoutBudget
} from "./TokenBudget.ts"

export interface ModelStepContext extends PlanSource {
  readonly generateWithImages: GenerateWithImages
  readonly sandbox: Sandbox["Type"]
  readonly onText: ((delta: string) => Effect.Effect<void>) | undefined
  readonly promptTexts: PromptTextPort
  readonly promptRecord: PromptRecord
}

/** A model call, a compaction where the conversation is too long for one, or the end of the task at a limit. */
export const modelStep = (context: ModelStepContext, run: Run): Effect.Effect<StepOutcome> => {
  const { limits } = context.task
  if (run.recursions >= limits.recursion) {
    return Effect.succeed(failed(
      `The recursion limit of ${plural(limits.recursion, "step")} was reached. Retry the task to continue, or split it.`
    ))
  }
  const said = unfinishedText(run) || run.lastText
  if (run.iterations >= limits.hard) {
    return forced(
      context,
      run,
      said,
      limited("limit", limits.hard),
      `The limit of ${plural(limits.hard, "model call")} was reached.`
    )
  }
  const take = (decision: Decision) => {
    switch (decision._tag) {
      case "Call":
        return called(context, run, decision)
      case "Compact":
        return compacted(context, run, decision.plan, decision.maySummarise)
      case "Fail":
        return Effect.succeed(failed(decision.error))
      case "Force":
        return forced(context, run, said, { endedBy: "budget" }, decision.reason)
    }
  }
  const budgets = budgetsOf(context.task, context.price, run)
  return budgets.length === 0
    ? take(planWithoutBudget(context, run))
    : Effect.flatMap(
      Effect.zip(context.tokenizer, context.ratios.of(context.model)),
      ([tokenizer, known]) => take(planWithin(budgets, context, run, tokenizer, known))
    )
}

const called = (context: ModelStepContext, run: Run, call: Call): Effect.Effect<StepOutcome> => {
  const { generateWithImages, model, onText, task } = context
  const compaction = compactionOf(context)
  const { budget, system, tools, transcript } = call
  const messages = transcript === null ? conversationOf(run) : [{ role: "user" as const, content: transcript }]
  const request = {
    system,
    messages,
    tools,
    contextTokens: compaction.contextTokens,
    ...(budget === null ? {} : { maxOutputTokens: budget.maxOutput }),
    ...(typeof task.temperature === "number" ? { temperature: task.temperature } : {}),
    ...(onText === undefined ? {} : { onText })
  }
  const generated = messages.some(namesImages)
    ? generateWithImages(model, task.creator, request)
    : model.generate(request)
  const { kept, unknown } = context.promptRecord(context, run, call)
  const answered = unknown.length === 0
    ? timed(generated)
    : Effect.zipLeft(timed(generated), context.promptTexts.store(unknown), { concurrent: true })
  return Effect.matchEffect(answered, {
    onSuccess: ([millis, answer]) => {
      const { noted: { estimate } } = call
      const next = Effect.suspend(() => routed(context, run, call, { ...answer, kept: kept() }, millis))
      // Another model may count otherwise.
      return estimate === undefined || (answer.model ?? model.name) !== model.name
        ? next
        : Effect.zipRight(context.ratios.learn(model, run, answer.inputTokens, estimate), next)
    },
    onFailure: (error) => {
      if (error._tag === "ContextOverflow" && error.contextTokens !== undefined) {
        return modelStep({ ...context, window: error.contextTokens }, run)
      }
      const smaller = error._tag === "ContextOverflow" ? planOverflow(run, compaction) : null
      return smaller === null
        ? Effect.succeed(failed(error.message, tokensOf(error)))
        : compacted(context, run, smaller, call.maySummarise(smaller))
    }
  })
}

/** A step of its own: it is journalled, then the loop checks the limits again. */
const compacted = (
  context: ModelStepContext,
  run: Run,
  plan: CompactionPlan,
  isAffordable: boolean
): Effect.Effect<StepOutcome> =>
  Effect.map(
    compactionStep(context.summariser ?? context.model, compactionOf(context), run, plan, {
      isAffordable,
      maxOutput: context.task.tokenBudget === null && context.task.maxCost === null ? null : summaryTokens
    }),
    withoutEvent
  )

const routed = (
  context: ModelStepContext,
  run: Run,
  { budget, noted }: Call,
  { cost, cut, inputTokens, isFiltered, kept, message, model, outputTokens, sentImages, thinking }:
    & ModelResponse
    & Partial<ImageResponse>
    & { readonly kept: ReturnType<CallRecord["kept"]> },
  millis: number
): Effect.Effect<StepOutcome> => {
  const { context: { shown }, task: { limits: { hard }, maxCost } } = context
  const step: Modelled = {
    kind: "model",
    message,
    tokens: [inputTokens, outputTokens],
    ...(cost === undefined ? {} : { cost }),
    ...(model === undefined ? {} : { model }),
    millis: Math.round(millis),
    ...(thinking === undefined ? {} : { thinking }),
    ...noted,
    ...(maxCost !== null && context.price === undefined && run.modelCalls === 0 ? { unlimited: true as const } : {}),
    ...sentImages,
    ...kept,
    ...(run.seen.outside === null && shown.outside !== undefined ? { shown } : {})
  }
  const said = unfinishedText(run) + message.content
  const hasCalls = message.tool_calls.length > 0
  const isLastIteration = run.iterations + 1 >= hard
  const answers = (output: string, closing: Pick<Modelled, "endedBy" | "note"> = {}) =>
    completed(context, run, {
      ...step,
      ...closing,
      end: "answered",
      ...(output === message.content ? {} : { output })
    })
  const textCall = hasCalls ? null : callAsText(said, context.toolbox.toolSet().tools.map(({ name }) => name))
  const ends = (endedBy: CutBy, note: string) => {
    const output = outputOf(run, said.trim() === "" || textCall !== null ? run.lastText : said, note)
    return completed(context, run, { ...step, note, end: "forced", ...limited(endedBy, hard), ...output })
  }

  if (budget?._tag === "Closing") {
    if (cut === undefined && !hasCalls && textCall === null && said.trim() !== "") {
      const note = `The ${budget.name} allowed one more call, in which the agent closed with this answer.`
      return answers(said, { endedBy: "budget", note })
    }
    const why = cut === undefined ? "the agent had not finished at its last call" : "the last answer was cut off"
    return ends("budget", `The ${budget.name} is used up: ${why}.`)
  }
  if (hasCalls) {
    return isLastIteration
      ? ends(
        "limit",
        `The limit of ${
          plural(hard, "model call")
        } was reached before the agent had finished: what it wanted to do next was not done.`
      )
      : Effect.succeed(withoutEvent(step))
  }
  const again = textCall !== null ? "call" : cut === undefined && said.trim() === "" ? "empty" : null
  if (again !== null) {
    if (isLastIteration) {
      return ends(
        "limit",
        `The limit of ${plural(hard, "model call")} was reached, and the last answer was ${unusable[again]}.`
      )
    }
    if (run.again === null) return Effect.succeed(withoutEvent({ ...step, again }))
    return textCall !== null || run.toolCalls === 0
      ? Effect.succeed(failed(textCall === null ? nothingTwice : calledTwice(textCall), step.tokens))
      : completed(context, run, {
        ...step,
        note: nothingTwice,
        end: "forced",
        endedBy: "limit",
        reported: true,
        output: silentReport(run, nothingTwice)
      })
  }
  if (cut === undefined) return answers(said)
  if (isCutByBudget(budget, outputTokens, message.content)) {
    return isLastIteration
      ? ends(
        "limit",
        `The limit of ${plural(hard, "model call")} was reached while the token budget cut off an answer.`
      )
      : Effect.succeed(withoutEvent({ ...step, cut: true }))
  }
  return said.trim() === ""
    ? Effect.succeed(failed(cut, step.tokens))
    : answers(`${said}\n\n${isFiltered === true ? filteredOff : cutOff}`)
}

const completed = (context: ModelStepContext, run: Run, step: Modelled): Effect.Effect<StepOutcome> =>
  run.attachments.length === 0
    ? Effect.succeed(withEvent(step, { _tag: "Completed" }))
    : Effect.map(filesOf(context, run), (files) => withEvent({ ...step, files }, { _tag: "Completed" }))

const forced = (
  context: ModelStepContext,
  run: Run,
  said: string,
  cut: Pick<Modelled, "endedBy" | "limit">,
  reason: string
): Effect.Effect<StepOutcome> =>
  Effect.map(
    filesOf(context, run),
    (files) =>
      withEvent({ kind: "forced", reason, ...cut, ...outputOf(run, said, reason), files }, { _tag: "Completed" })
  )

const limited = (endedBy: CutBy, hard: number): Pick<Modelled, "endedBy" | "limit"> =>
  endedBy === "limit" ? { endedBy, limit: hard } : { endedBy }

const failed = (error: string, tokens?: Failed["tokens"]): StepOutcome =>
  withEvent({ kind: "failed", error, ...(tokens === undefined ? {} : { tokens }) }, { _tag: "Failed", error })
