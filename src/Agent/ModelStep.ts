import { type Run, unfinishedText } from "@troupe/domain/Run"
import type { Modelled } from "@troupe/domain/Step"
import { Effect } from "effect"
import type { Sandbox } from "../File/Sandbox.ts"
import type { ModelError } from "../Model/Model.ts"
import type { StepOutcome } from "./AgentLoop.ts"
import { type Call, type PlanSource, planStep } from "./CallPlan.ts"
import { type CompactionPlan, compactionStep, planOverflow } from "./Compaction.ts"
import { completed, failed, forced, outputOf } from "./Completion.ts"
import { conversationOf } from "./Conversation.ts"
import type { AskSeeing, Seen } from "./Pictures.ts"
import { summaryTokens } from "./TokenBudget.ts"

export interface ModelStepContext extends PlanSource {
  readonly ask: AskSeeing
  readonly sandbox: Sandbox["Type"]
  readonly onText: ((delta: string) => Effect.Effect<void>) | undefined
}

/**
 * One model call and the routing after it; or the end of the task, when a limit forbids another call; or, where the
 * conversation has grown too long for one, its compaction.
 */
export const modelStep = (context: ModelStepContext, run: Run): Effect.Effect<StepOutcome> => {
  const { limits } = context.task
  if (run.recursions >= limits.recursion) {
    return Effect.succeed(failed(
      `The recursion limit of ${limits.recursion} steps was reached. Retry the task to go on, or split it.`
    ))
  }
  // The best that a task can answer with when no other call is made.
  const said = unfinishedText(run) || run.lastText
  if (run.iterations >= limits.hard) {
    return forced(context, run, said, `The limit of ${limits.hard} iterations was reached.`)
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

const called = (context: ModelStepContext, run: Run, call: Call): Effect.Effect<StepOutcome> =>
  Effect.clockWith((clock) => {
    const before = clock.unsafeCurrentTimeMillis()
    const { budget, system, tools, transcript } = call
    const asked = context.ask(context.task.userId, {
      system,
      messages: transcript === null ? conversationOf(run) : [{ role: "user", content: transcript }],
      tools,
      ...(budget === null ? {} : { maxOutputTokens: budget.maxOutput }),
      ...(context.onText === undefined ? {} : { onText: context.onText })
    })
    return Effect.flatMap(asked, (seen) => routed(context, run, call, seen, clock.unsafeCurrentTimeMillis() - before))
  }).pipe(
    Effect.catchTag("ContextOverflow", (error) => {
      const smaller = planOverflow(run, context.settings.compaction)
      return smaller === null ? error : compacted(context, run, smaller, call.maySummarise(smaller))
    }),
    Effect.catchAll((error) => Effect.succeed(failed(error.message, tokensOf(error))))
  )

/** Compaction is a step of its own: it is journalled, then the loop checks the limits again. */
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
    (step) => ({ step, event: null, sleepUntil: null })
  )

const routed = (
  context: ModelStepContext,
  run: Run,
  { budget, noted }: Call,
  { response, seen }: Seen,
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
    ...seen
  }
  const said = unfinishedText(run) + message.content
  const hasCalls = message.tool_calls.length > 0
  const isLastIteration = run.iterations + 1 >= hard
  const goesOn = (more: Partial<Modelled>): Effect.Effect<StepOutcome> =>
    Effect.succeed({ step: { ...step, ...more }, event: null, sleepUntil: null })
  const answers = (output: string) =>
    // The journal keeps the result only where it is not the message itself.
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
      ? ends(`The limit of ${hard} iterations was reached; the tool calls asked for last were not run.`)
      : goesOn({})
  }
  if (cut === undefined) return answers(said.trim() === "" ? run.lastText || nothingSaid : said)
  if (isCutByBudget(budget, outputTokens, message.content)) {
    return isLastIteration
      ? ends(`The limit of ${hard} iterations was reached while the token budget cut off an answer.`)
      : goesOn({ cut: true })
  }
  return said.trim() === "" ? Effect.succeed(failed(cut, step.tokens)) : answers(`${said}\n\n${cutOff}`)
}

/** What a call cost that brought no answer. */
const tokensOf = (error: ModelError) => error._tag === "ContextOverflow" ? undefined : error.tokens

const nothingSaid = "The agent ended the task without an answer."

const cutOff = "[The answer was cut off here: the model reached its output limit.]"

/** The model's own output limit may be the lower one. Where nothing was said, the task must not fail for its budget. */
const isCutByBudget = (budget: Call["budget"], output: number, content: string): boolean =>
  budget !== null && (output >= budget.maxOutput * 0.9 || content.trim() === "")
