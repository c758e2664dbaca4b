import { budgetState } from "@troupe/domain/Limits"
import { type Run, shown, tokensLeft, tokensSpent } from "@troupe/domain/Run"
import type { Modelled } from "@troupe/domain/Step"
import { Effect } from "effect"
import type { Sandbox } from "../File/Sandbox.ts"
import type { Model, ToolSet } from "../Model/Model.ts"
import type { Skill } from "../Skill/Skill.ts"
import type { Toolbox } from "../Tool/Toolbox.ts"
import type { AgentTask, LoopSettings, StepOutcome } from "./AgentLoop.ts"
import type { Briefing } from "./Briefings.ts"
import { type CompactionPlan, compactionStep, planCompaction, planOverflow } from "./Compaction.ts"
import { conversationOf } from "./Conversation.ts"
import { memoryContext } from "./MemoryContext.ts"
import type { AskSeeing, Seen } from "./Pictures.ts"
import { skillsContext } from "./SkillsContext.ts"
import { systemPrompt, type WrapUp } from "./SystemPrompt.ts"
import { tokensOfMessage, tokensOfText, tokensOfTools } from "./TokenEstimate.ts"
import { selectTools } from "./ToolSelection.ts"

const nothingSaid = "The task reached its limit before the agent wrote an answer."

interface Context {
  readonly model: Model["Type"]
  readonly ask: AskSeeing
  readonly toolbox: Toolbox
  readonly sandbox: Sandbox["Type"]
  readonly settings: LoopSettings
  readonly briefing: Briefing
  /** The skills that fit the task. */
  readonly skills: ReadonlyArray<Skill>
  readonly task: AgentTask
  readonly onText: ((delta: string) => Effect.Effect<void>) | undefined
}

/**
 * One model call and the routing after it; or the end of the task, when a limit forbids another call; or, where the
 * conversation has grown too long for one, its compaction.
 */
export const modelStep = (context: Context, run: Run): Effect.Effect<StepOutcome> => {
  const { limits, tokenBudget } = context.task
  if (run.recursions >= limits.recursion) {
    return Effect.succeed(failed(
      `The recursion limit of ${limits.recursion} steps was reached. Retry the task to go on, or split it.`
    ))
  }
  const left = tokensLeft(tokenBudget, run)
  if (left !== null && left <= 0) {
    return forced(context, run, `The token budget of ${tokenBudget} is used up.`)
  }
  if (run.iterations >= limits.hard) {
    return forced(context, run, `The limit of ${limits.hard} iterations was reached.`)
  }
  const system = prompt(context, run)
  const tools = toolsOf(context, run)
  const fixed = tokensOfText(system) + tokensOfTools(tools)
  const reserved = left === null ? null : reservation(run, fixed, left)
  if (reserved?.forOutput === null) {
    return forced(
      context,
      run,
      `Of the token budget of ${tokenBudget} ${left} are left; another model call takes about ${reserved.forInput}.`
    )
  }
  const { compaction } = context.settings
  const plan = planCompaction(run, compaction, fixed)
  if (plan !== null) return compacted(context, run, plan)
  return Effect.clockWith((clock) => {
    const before = clock.unsafeCurrentTimeMillis()
    const asked = context.ask(context.task.userId, {
      system,
      messages: conversationOf(run),
      tools,
      ...(reserved === null || reserved.forOutput === null ? {} : { maxOutputTokens: reserved.forOutput }),
      ...(context.onText === undefined ? {} : { onText: context.onText })
    })
    return Effect.flatMap(asked, (seen) => routed(context, run, seen, clock.unsafeCurrentTimeMillis() - before))
  }).pipe(
    Effect.catchTag("ContextOverflow", (error) => {
      const smaller = planOverflow(run, compaction)
      return smaller === null ? error : compacted(context, run, smaller)
    }),
    Effect.catchAll((error) => Effect.succeed(failed(error.message)))
  )
}

/** Less is no answer. Providers take no smaller limit either. */
const smallestAnswer = 16

/**
 * What a call of a task with a budget takes of it before it is made: about what its input needs, and the rest is the
 * limit of the answer, so that it does not spend more than it was given. Null when that would leave no answer.
 */
const reservation = (run: Run, fixed: number, left: number) => {
  const forInput = shown(run).reduce((sum, message) => sum + tokensOfMessage(message), fixed)
  return { forInput, forOutput: left - forInput < smallestAnswer ? null : left - forInput }
}

/** Compaction is a step of its own: it is journalled, then the loop looks again at the limits. */
const compacted = ({ model, settings }: Context, run: Run, plan: CompactionPlan): Effect.Effect<StepOutcome> =>
  Effect.map(compactionStep(model, settings.compaction, run, plan), (step) => ({
    step,
    event: null,
    sleepUntil: null
  }))

const routed = (
  context: Context,
  run: Run,
  { response, seen }: Seen,
  millis: number
): Effect.Effect<StepOutcome> => {
  const { message } = response
  const step: Modelled = {
    kind: "model",
    message,
    tokens: [response.inputTokens, response.outputTokens],
    millis: Math.round(millis),
    ...seen
  }
  const text = message.content.trim() === "" ? run.lastText : message.content
  if (message.tool_calls.length === 0) {
    return completed(context, run, { ...step, end: "answered", ...outputOf(message.content, text) })
  }
  const { hard } = context.task.limits
  if (run.iterations + 1 < hard) return Effect.succeed({ step, event: null, sleepUntil: null })
  return completed(context, run, {
    ...step,
    note: `The limit of ${hard} iterations was reached; the tool calls asked for last were not run.`,
    end: "forced",
    ...outputOf(message.content, text)
  })
}

/** The journal keeps the result only where it is not the message itself. */
const outputOf = (said: string, text: string): { readonly output?: string } =>
  text === "" ? { output: nothingSaid } : text === said ? {} : { output: text }

const completed = (context: Context, run: Run, step: Modelled): Effect.Effect<StepOutcome> =>
  run.attachments.length === 0
    ? Effect.succeed({ step, event: { _tag: "Completed" }, sleepUntil: null })
    : Effect.map(filesOf(context, run), (files) => ({
      step: { ...step, files },
      event: { _tag: "Completed" },
      sleepUntil: null
    }))

const forced = (context: Context, run: Run, reason: string): Effect.Effect<StepOutcome> =>
  Effect.map(filesOf(context, run), (files) => ({
    step: { kind: "forced", reason, output: run.lastText === "" ? nothingSaid : run.lastText, files },
    event: { _tag: "Completed" },
    sleepUntil: null
  }))

const failed = (error: string): StepOutcome => ({
  step: { kind: "failed", error },
  event: { _tag: "Failed", error },
  sleepUntil: null
})

/** The attached files with their sizes; one that is gone by now is named all the same. */
const filesOf = (context: Context, run: Run) =>
  Effect.forEach(run.attachments, (filename) =>
    context.sandbox.stat(context.task.userId, filename).pipe(
      Effect.map(({ size }) => ({ filename, size })),
      Effect.orElseSucceed(() => ({ filename, size: null }))
    ))

const toolsOf = ({ skills, toolbox }: Context, { prepared }: Run): ToolSet => {
  const matched = prepared?.tools ?? null
  return matched === null ? toolbox.toolSet() : toolbox.toolSet(selectTools({
    available: toolbox.toolSet().tools.map(({ name }) => name),
    required: skills.flatMap(({ allowed_tools }) => allowed_tools),
    matched
  }))
}

const prompt = ({ briefing, settings, skills, task }: Context, run: Run): string =>
  systemPrompt({
    specialization: briefing.persona?.specialization ?? settings.specialization,
    persona: briefing.persona,
    input: task.input,
    requester: task.userId,
    requesterInfo: briefing.requester,
    team: briefing.team,
    additionalInstructions: briefing.persona?.instructions ?? settings.additionalInstructions,
    projectContext: briefing.projectContext,
    skills: skillsContext(skills),
    teamContext: briefing.teamContext,
    memories: memoryContext(run.prepared?.memories ?? []),
    wrapUp: wrapUpOf(task, run)
  })

const wrapUpOf = ({ limits, tokenBudget }: AgentTask, run: Run): WrapUp | null => {
  const used = tokensSpent(run)
  if (run.iterations < limits.soft && budgetState(tokenBudget, used) === "ample") return null
  return {
    iteration: run.iterations,
    hardLimit: limits.hard,
    remainingTokens: tokenBudget === null ? null : tokenBudget - used
  }
}
