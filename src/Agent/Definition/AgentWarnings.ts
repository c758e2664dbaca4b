import type { AgentSummary } from "@troupe/domain/Agent"
import { Effect } from "effect"
import { KnownModels } from "../../Model/Models.ts"
import { asService } from "../../Runtime/Database/Isolation.ts"
import { Skills } from "../../Skill/Skills.ts"
import { builtInNames } from "../../Tool/BuiltIns.ts"
import { boundScripts } from "../../Tool/ScriptTools.ts"
import { ToolServerRepo } from "../../ToolServer/ToolServerRepo.ts"
import { LargestIterations } from "../LargestIterations.ts"
import type { Agent } from "./Agent.ts"
import { claimWarnings } from "./AgentClaims.ts"
import { Agents } from "./Agents.ts"
import { toolWarnings } from "./AgentTools.ts"

/** Warnings about names in an agent: unknown tools, skills and models, and channels and the like that another agent claims. */
export const makeAgentWarnings: Effect.Effect<
  Effect.Effect<(agent: Agent) => AgentSummary["warnings"]>,
  never,
  Agents | Skills | ToolServerRepo
> = Effect.map(
  Effect.all([Agents, Skills, ToolServerRepo, KnownModels, LargestIterations]),
  ([agents, skills, servers, models, largestIterations]) =>
    Effect.map(
      Effect.all([agents.list, skills.list, asService(servers.listed)]),
      ([all, allSkills, listed]) => {
        const tools = [
          ...builtInNames,
          ...boundScripts(skills.scriptTools()).map(({ name }) => name),
          ...listed.flatMap(({ tools }) =>
            tools.filter(({ state }) => state === "usable").map(({ bound_name }) => bound_name)
          )
        ]
        const skillNames = new Set(allSkills.flatMap(({ aliases, name }): ReadonlyArray<string> => [name, ...aliases]))
        return (agent) => [
          ...toolWarnings(agent, tools),
          ...(agent.skills ?? []).filter((name) => !skillNames.has(name)).map((name) =>
            `skills: there is no skill ${name} here`
          ),
          ...modelWarnings(agent, models()),
          ...iterationWarnings(agent, largestIterations()),
          ...claimWarnings(agent, all)
        ]
      }
    )
)

const iterationWarnings = ({ max_iterations }: Pick<Agent, "max_iterations">, largest: number) =>
  (max_iterations ?? 0) > largest ? [`max_iterations: ${largest} (AGENT_MAX_ITERATIONS) is the most; it has that`] : []

const modelWarnings = (agent: Pick<Agent, "model" | "summary_model">, models: ReadonlyArray<string>) =>
  (["model", "summary_model"] as const).flatMap((field) => {
    const name = agent[field]
    return name === null || models.includes(name)
      ? []
      : [`${field}: there is no model ${name} here; the default model answers`]
  })
