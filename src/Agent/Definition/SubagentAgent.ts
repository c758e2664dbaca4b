import type { AgentNotFound } from "@troupe/domain/Agent"
import type { SubtaskRequest } from "@troupe/domain/Subtask"
import { plainLine } from "@troupe/domain/Text"
import { Effect } from "effect"
import { memoized } from "../../Runtime/Cache.ts"
import type { AgentTask, PromptTextPort } from "../AgentDependencies.ts"
import type { Agent } from "./Agent.ts"
import type { Agents } from "./Agents.ts"
import { agentOfTask } from "./TaskAgent.ts"

export type AsAgent = (
  dispatched: { readonly agent: string | null; readonly request: SubtaskRequest }
) => Effect.Effect<SubtaskRequest, AgentNotFound>

/**
 * The request of a subtask as the agent that it names, within that agent's limits. Without a name it works as the agent of the task
 * that dispatches it, so that it has no tool which that one has not.
 */
export const makeAsAgent = (
  agents: Agents["Type"],
  { agent: name, agentRevision: revision, agentText: text }: AgentTask,
  texts: PromptTextPort
): AsAgent =>
({ agent, request }) => {
  if (agent === null) {
    return Effect.succeed(
      name === null || revision === null || text === null ? request : { ...request, agent: { name, revision, text } }
    )
  }
  return Effect.flatMap(agents.find(agent), (found) =>
    Effect.map(agentOfTask(found, texts), (own) => ({
      ...request,
      maxIterations: Math.min(request.maxIterations, found.max_iterations ?? request.maxIterations),
      tokenBudget: smaller(request.tokenBudget, found.max_tokens_total),
      maxCost: smaller(request.maxCost ?? null, found.max_cost),
      agent: { name: own.agent, revision: own.agentRevision, text: own.agentText }
    })))
}

/** The smaller of two limits, of which each may be none. */
export const smaller = (one: number | null, other: number | null): number | null =>
  one === null ? other : other === null ? one : Math.min(one, other)

const maxListed = 20

/** The agents for the description of `dispatch_subagent`, a line each. */
export const agentLines: (agents: ReadonlyArray<Agent>) => string = memoized((agents: ReadonlyArray<Agent>) =>
  agents.slice(0, maxListed).map(({ description, name }) => `- ${name}: ${plainLine(description, 200)}`).join("\n")
)
