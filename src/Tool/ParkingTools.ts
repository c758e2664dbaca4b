import * as Tool from "@effect/ai/Tool"
import { shownChoice } from "@troupe/domain/Choices"
import { subagentLimits } from "@troupe/domain/Limits"
import { AgentType, minTokenBudget } from "@troupe/domain/Task"
import { plural, withChoices } from "@troupe/domain/Text"
import { Clock, Effect, Schema } from "effect"
import type { AgentTool, ToolOutcome } from "./AgentTool.ts"
import { implement } from "./ToolHandler.ts"

const questionParameters = {
  question: Schema.NonEmptyString.annotations({ description: "The question, understandable on its own" }),
  wait_for_answer: Schema.optionalWith(
    Schema.Boolean.annotations({
      description: "true pauses the task until a human answers; false only sends the message. Default: true"
    }),
    { default: () => true }
  ),
  choices: Schema.optional(
    Schema.Array(Schema.NonEmptyString.pipe(Schema.filter((text) => shownChoice(text) !== "", {
      message: () => "a choice that people can see",
      jsonSchema: {}
    }))).annotations({ description: "Answers to choose from. Default: none" })
  )
}

const description =
  "Ask the human who gave you the task. Use it when you can't go on without a decision or a fact that only "
  + "a human has. The task pauses until the answer comes, which may take days; the answer is the result."

export const AskHuman = Tool.make("ask_human", { description, parameters: questionParameters })

const AskUnknown = Tool.make("ask_human", {
  description,
  parameters: {
    ...questionParameters,
    wait_for_answer: Schema.optional(
      Schema.Literal(true).annotations({ description: "The task pauses until a human answers. Default: true" })
    )
  }
})

/** A subagent can't ask. */
const asking = { changes: "nothing", class: "own", forSubagents: [] } as const

const asked = (question: string, choices: ReadonlyArray<string>): ToolOutcome => ({
  _tag: "Asked",
  content: question,
  ...(choices.length === 0 ? {} : { choices: choices.map(shownChoice) })
})

/** For tasks that may not send what nobody answers: an unknown sender gets one mail, which is to be the result. */
export const askUnknown: AgentTool = implement(AskUnknown, {
  ...asking,
  timeout: "10 seconds",
  run: ({ choices = [], question }) => Effect.succeed(asked(question, choices))
})

/** A message without an answer is sent in the commit of the call's result, so it is sent once. */
export const askHuman: AgentTool = implement(AskHuman, {
  ...asking,
  timeout: "10 seconds",
  run: ({ choices = [], question, wait_for_answer: waits }) =>
    Effect.succeed<ToolOutcome>(
      waits
        ? asked(question, choices)
        : {
          _tag: "Answered",
          content: "The message was sent. No answer will come; go on.",
          notice: withChoices(question, choices.map(shownChoice))
        }
    )
})

/** A longer wait parks the task. */
const maxSecondsInPlace = 5

const maxSeconds = 86_400

export const Wait = Tool.make("wait", {
  description:
    "Wait before going on, for example until a job that another tool has started is done; then check whether "
    + "it is. Waiting long is cheap, checking often is not. At most one day; to do something at a set time tomorrow or "
    + "later, tell the user to schedule it.",
  parameters: {
    seconds: Schema.Number.pipe(Schema.between(0, maxSeconds)).annotations({
      description: "How many seconds to wait, 0 to 86400 (one day)"
    })
  }
})

export const wait: AgentTool = implement(Wait, {
  changes: "nothing",
  timeout: "30 seconds",
  run: ({ seconds }) => {
    const content = `Waited ${plural(seconds, "second")}.`
    return seconds <= maxSecondsInPlace
      ? Effect.as(Effect.sleep(seconds * 1_000), content)
      : Effect.map(Clock.currentTimeMillis, (now) => ({
        _tag: "Deferred",
        until: Math.ceil(now + seconds * 1_000),
        content
      }))
  }
})

const maxText = 100_000

const defaultIterations = 10

const dispatchParameters = {
  task_description: Schema.NonEmptyString.pipe(Schema.maxLength(maxText)).annotations({
    description: "What the subagent is to do, complete in itself: it does not see this conversation"
  }),
  context: Schema.optionalWith(
    Schema.String.pipe(Schema.maxLength(maxText)).annotations({
      description: "What it needs to know of what was found so far. Default: empty"
    }),
    { default: () => "" }
  ),
  agent_type: Schema.optionalWith(
    AgentType.annotations({
      description:
        "general; research (write_file and send_email are not available, nor tools of tool servers that change anything); tool-specialist (chained "
        + "calls of tools). Default: general"
    }),
    { default: () => "general" as const }
  ),
  max_iterations: Schema.optionalWith(
    Schema.Int.pipe(Schema.greaterThanOrEqualTo(1)).annotations({
      description:
        `Maximum number of its model calls, at least 1; more than ${subagentLimits.hard} counts as ${subagentLimits.hard}. `
        + `Default: ${defaultIterations}`
    }),
    { default: () => defaultIterations }
  ),
  token_budget: Schema.optional(
    Schema.Int.pipe(Schema.between(minTokenBudget, 1_000_000_000)).annotations({
      description: `How many tokens it may use, at least ${minTokenBudget}; below 15000 it can hardly use tools. `
        + "Default: no limit of its own"
    })
  )
}

const dispatchDescription =
  "Give a part of the work to a subagent that works on its own; its result is the result of this call. Call it "
  + "several times in one turn for parts that do not depend on each other: they run at the same time, and the task "
  + "goes on when all have ended. A subagent can't ask a human and can't dispatch further subagents."

const DispatchSubagent = Tool.make("dispatch_subagent", {
  description: dispatchDescription,
  parameters: dispatchParameters
})

/** `agents`: those that a subagent may be, a line each. */
export const dispatchTo = (agents: string) =>
  Tool.make("dispatch_subagent", {
    description:
      `${dispatchDescription} These agents can do it, each with instructions and tools of its own:\n${agents}`,
    parameters: {
      ...dispatchParameters,
      agent: Schema.optional(
        Schema.String.annotations({
          description:
            "The name of the agent that the subagent is; agent_type is general then. Default: none in particular"
        })
      )
    }
  })

/** The loop creates the subtask in the commit that journals the call, so it is created once. */
const dispatching = {
  // Its subagent has all tools of its type.
  changes: "outside",
  class: "own",
  effect: "read",
  forSubagents: [],
  timeout: "10 seconds"
} as const

type Dispatch = Tool.Parameters<typeof DispatchSubagent>

const dispatched = (
  { agent_type, context, max_iterations, task_description, token_budget }: Dispatch,
  agent: string
): Effect.Effect<ToolOutcome> =>
  Effect.succeed({
    _tag: "Dispatched",
    content: "",
    agent: agent.trim() === "" ? null : agent.trim(),
    request: {
      description: task_description,
      context: context.trim() === "" ? null : context,
      agentType: agent.trim() === "" ? agent_type : "general",
      maxIterations: Math.min(max_iterations, subagentLimits.hard),
      tokenBudget: token_budget ?? null
    }
  })

export const dispatchSubagent: AgentTool = implement(DispatchSubagent, {
  ...dispatching,
  run: (request) => dispatched(request, "")
})

export const dispatchSubagentTo = (agents: string): AgentTool =>
  implement(dispatchTo(agents), { ...dispatching, run: ({ agent = "", ...request }) => dispatched(request, agent) })
