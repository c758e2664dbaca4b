import { plural } from "@troupe/domain/Plural"
import { type Run, unfinishedText } from "@troupe/domain/Run"
import type { Modelled } from "@troupe/domain/Step"
import { Effect } from "effect"
import type { Sandbox } from "../File/Sandbox.ts"
import { tokensOf } from "../Model/Model.ts"
import { timed } from "../Runtime/Timed.ts"
import { type Call, type PlanSource, planStep } from "./CallPlan.ts"
import { type CompactionPlan, compactionStep, planOverflow } from "./Compaction.ts"
import { completed, failed, forced, outputOf } from "./Completion.ts"
import { conversationOf } from "./Conversation.ts"
import { goesOn, type StepOutcome } from "./LoopPorts.ts"
import type { GenerateWithPictures, PictureResponse } from "./Pictures.ts"
import { summaryTokens } from "./TokenBudget.ts"

export interface ModelStepContext extends PlanSource {
  readonly generate: GenerateWithPictures
  readonly sandbox: Sandbox["Type"]
  readonly onText: ((delta: string) => Effect.Effect<void>) | undefined
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
    return forced(context, run, said, `The limit of ${plural(limits.hard, "iteration")} was reached.`)
  }
  return Effect.flatMap(planStep(context, run), (decision) => {
    switch (decision._tag) {
      case "Call":
        return called(context, run, decision)
      case "Compact":
        return compacted(context, run, decision.plan, decision.maySummarise)
      case "Fail":
        return Effect.succeed(failed(decision.error))
      case "Force":
        return forced(context, run, said, decision.reason)
    }
  })
}

const called = (context: ModelStepContext, run: Run, call: Call): Effect.Effect<StepOutcome> => {
  const { budget, system, tools, transcript } = call
  const generated = Effect.suspend(() =>
    context.generate(context.task.userId, {
      system,
      messages: transcript === null ? conversationOf(run) : [{ role: "user", content: transcript }],
      tools,
      ...(budget === null ? {} : { maxOutputTokens: budget.maxOutput }),
      ...(context.onText === undefined ? {} : { onText: context.onText })
    })
  )
  return timed(generated).pipe(
    Effect.flatMap(([millis, answer]) => routed(context, run, call, answer, millis)),
    Effect.catchTag("ContextOverflow", (error) => {
      const smaller = planOverflow(run, context.settings.compaction)
      return smaller === null ? error : compacted(context, run, smaller, call.maySummarise(smaller))
    }),
    Effect.catchAll((error) => Effect.succeed(failed(error.message, tokensOf(error))))
  )
}

/** A step of its own: it is journalled, then the loop checks the limits again. */
const compacted = (
  { model, settings, task }: ModelStepContext,
  run: Run,
  plan: CompactionPlan,
  isAffordable: boolean
): Effect.Effect<StepOutcome> =>
  Effect.map(
    compactionStep(model, settings.compaction, run, plan, {
      isAffordable,
      maxOutput: task.tokenBudget === null ? null : summaryTokens
    }),
    goesOn
  )

const routed = (
  context: ModelStepContext,
  run: Run,
  { budget, noted }: Call,
  { pictures, response }: PictureResponse,
  millis: number
): Effect.Effect<StepOutcome> => {
  const { cut, inputTokens, message, outputTokens } = response
  const { limits: { hard }, tokenBudget } = context.task
  const step: Modelled = {
    kind: "model",
    message,
    tokens: [inputTokens, outputTokens],
    millis: Math.round(millis),
    ...noted,
    ...pictures
  }
  const said = unfinishedText(run) + message.content
  const hasCalls = message.tool_calls.length > 0
  const isLastIteration = run.iterations + 1 >= hard
  const answers = (output: string) =>
    completed(context, run, { ...step, end: "answered", ...(output === message.content ? {} : { output }) })
  const ends = (note: string) => {
    const output = outputOf(run, said.trim() === "" ? run.lastText : said, note)
    return completed(context, run, { ...step, note, end: "forced", ...output })
  }

  if (budget?._tag === "Closing") {
    if (cut === undefined && !hasCalls && said.trim() !== "") return answers(said)
    const why = cut === undefined ? "the agent had not finished at its last call" : "the last answer was cut off"
    return ends(`The token budget of ${tokenBudget} is used up: ${why}.`)
  }
  if (hasCalls) {
    return isLastIteration
      ? ends(`The limit of ${plural(hard, "iteration")} was reached; the tool calls asked for last were not run.`)
      : Effect.succeed(goesOn(step))
  }
  if (cut === undefined) return answers(said.trim() === "" ? run.lastText || nothingSaid : said)
  if (isCutByBudget(budget, outputTokens, message.content)) {
    return isLastIteration
      ? ends(`The limit of ${plural(hard, "iteration")} was reached while the token budget cut off an answer.`)
      : Effect.succeed(goesOn({ ...step, cut: true }))
  }
  return said.trim() === "" ? Effect.succeed(failed(cut, step.tokens)) : answers(`${said}\n\n${cutOff}`)
}

const nothingSaid = "The agent ended the task without an answer."

const cutOff = "[The answer was cut off here: the model reached its output limit.]"

/** The model's own output limit may be the lower one. Where nothing was said, the task must not fail for its budget. */
const isCutByBudget = (budget: Call["budget"], output: number, content: string): boolean =>
  budget !== null && (output >= budget.maxOutput * 0.9 || content.trim() === "")
