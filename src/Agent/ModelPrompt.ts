import { isBudgetLow } from "@troupe/domain/Limits"
import { type Run, tokensSpent } from "@troupe/domain/Run"
import type { ToolSet } from "../Model/Model.ts"
import type { Skill } from "../Skill/Skill.ts"
import type { Toolbox } from "../Tool/Toolbox.ts"
import type { AgentTask, LoopSettings } from "./AgentLoop.ts"
import type { Briefing } from "./Briefings.ts"
import { memoryContext } from "./MemoryContext.ts"
import { skillsContext } from "./SkillsContext.ts"
import { systemPrompt, type WrapUp } from "./SystemPrompt.ts"
import { selectTools, surplus } from "./ToolSelection.ts"

/** The facts that a task's system prompts are made of. */
export interface PromptSource {
  readonly settings: LoopSettings
  readonly briefing: Briefing
  /** The skills that fit the task. */
  readonly skills: ReadonlyArray<Skill>
  readonly task: AgentTask
}

/** The system prompt of the next call; `isLastCall` when the token budget allows no other one. */
export const promptOf = (source: PromptSource, run: Run, isLastCall: boolean): string => {
  const { briefing, settings, skills, task } = source
  return systemPrompt({
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
    wrapUp: wrapUpOf(task, run, isLastCall)
  })
}

const wrapUpOf = ({ limits, tokenBudget }: AgentTask, run: Run, isLastCall: boolean): WrapUp | null => {
  const used = tokensSpent(run)
  if (run.iterations < limits.soft && !isBudgetLow(tokenBudget, used) && !isLastCall) return null
  return {
    iteration: run.iterations,
    hardLimit: limits.hard,
    remainingTokens: tokenBudget === null ? null : tokenBudget - used,
    isLastCall
  }
}

/** The tools bound to the task's calls. */
export const toolsOf = (toolbox: Toolbox, skills: ReadonlyArray<Skill>, { prepared }: Run): ToolSet => {
  const matched = prepared?.tools ?? null
  const all = toolbox.toolSet()
  return matched === null && surplus(all.tools).length === 0 ? all : toolbox.toolSet(selectTools({
    available: all.tools.map(({ name }) => name),
    required: skills.flatMap(({ allowed_tools }) => allowed_tools),
    matched
  }))
}
