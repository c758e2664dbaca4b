import type { AgentNotFound, AgentText } from "@troupe/domain/Agent"
import { TaskRequestInvalid } from "@troupe/domain/Task"
import { Effect, Either, Option } from "effect"
import type { Agent } from "../../Agent/Definition/Agent.ts"
import { parse } from "../../Agent/Definition/AgentFile.ts"
import { Agents } from "../../Agent/Definition/Agents.ts"
import { agentOfTask } from "../../Agent/Definition/TaskAgent.ts"
import { LargestIterations } from "../../Agent/LargestIterations.ts"
import { asService, outsideTransaction } from "../../Runtime/Database/Isolation.ts"
import { makePromptTexts } from "../Journal/PromptTexts.ts"
import type { NewTask } from "../Row/NewTask.ts"
import type { TaskRequest } from "./Tasks.ts"

type AgentColumns = Pick<NewTask, "agent" | "agent_revision" | "agent_text">

/** The agent of a new task, and the limits that it sets. */
export interface ChosenAgent {
  readonly columns: AgentColumns
  readonly limits: Pick<AgentText, "max_cost" | "max_iterations" | "max_tokens_total">
}

const none: ChosenAgent = {
  columns: { agent: null, agent_revision: null, agent_text: null },
  limits: { max_tokens_total: null, max_iterations: null, max_cost: null }
}

/**
 * Chooses the agent of a new task, whichever door it came by: the one that the request names, else that of the task that it
 * continues, else the one that claims the channel, webhook or mailbox. The task keeps the revision that the agent has now. A
 * continuation of a task whose agent is gone goes on with that one's text and limits.
 */
export const makeAgentOfRequest = Effect.gen(function*() {
  const agents = yield* Agents
  const texts = yield* makePromptTexts
  const largestIterations = yield* LargestIterations

  const limitsOf = ({ max_cost, max_iterations, max_tokens_total }: ChosenAgent["limits"]): ChosenAgent["limits"] => ({
    max_cost,
    max_iterations: max_iterations === null ? null : Math.min(max_iterations, largestIterations()),
    max_tokens_total
  })

  const chosen = (agent: Agent): Effect.Effect<ChosenAgent> =>
    Effect.map(agentOfTask(agent, texts), (of) => ({
      columns: { agent: of.agent, agent_revision: of.agentRevision, agent_text: of.agentText },
      limits: limitsOf(agent)
    }))

  /** As the text says that the task before it was made with. */
  const kept = (columns: AgentColumns): Effect.Effect<ChosenAgent> =>
    columns.agent_text === null
      ? Effect.succeed({ ...none, columns })
      : Effect.map(asService(outsideTransaction(texts.textOf(columns.agent_text))), (source) => ({
        columns,
        limits: Either.match(parse(source, columns.agent ?? undefined), {
          onLeft: () => none.limits,
          onRight: ({ text }) => limitsOf(text)
        })
      }))

  return (
    { agent, source }: Pick<TaskRequest, "agent" | "source">,
    continued: AgentColumns | null
  ): Effect.Effect<ChosenAgent, TaskRequestInvalid> => {
    if (agent !== null && agent !== undefined) {
      return Effect.flatMap(Effect.mapError(agents.find(agent), unknownAgent), chosen)
    }
    if (continued !== null && continued.agent !== null) {
      return Effect.matchEffect(agents.find(continued.agent), {
        onFailure: () => kept(continued),
        onSuccess: chosen
      })
    }
    return source?.claim === undefined
      ? Effect.succeed(none)
      : Effect.flatMap(
        agents.claimant(source.claim),
        Option.match({ onNone: () => Effect.succeed(none), onSome: chosen })
      )
  }
})

export const unknownAgent = (error: AgentNotFound): TaskRequestInvalid =>
  new TaskRequestInvalid({ path: "agent", reason: `${error.message.charAt(0).toLowerCase()}${error.message.slice(1)}` })
