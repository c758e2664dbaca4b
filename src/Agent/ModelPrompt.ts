import { isBudgetLow } from "@troupe/domain/Limits"
import { type Run, tokensSpent } from "@troupe/domain/Run"
import type { ToolSet } from "../Model/Model.ts"
import type { Skill } from "../Skill/Skill.ts"
import type { Toolbox } from "../Tool/Toolbox.ts"
import type { AgentTask, LoopSettings } from "./AgentTask.ts"
import { memoryContext } from "./MemoryContext.ts"
import type { ContextFacts } from "./PromptContext.ts"
import { skillsContext } from "./SkillsContext.ts"
import { systemPrompt, type WrapUp } from "./SystemPrompt.ts"
import { selectTools, surplus } from "./ToolSelection.ts"

export interface PromptSource {
  readonly settings: LoopSettings
  readonly context: ContextFacts
  readonly skills: ReadonlyArray<Skill>
  readonly task: AgentTask
}

export const promptOf = ({ context, settings, skills, task }: PromptSource, run: Run, isLastCall: boolean): string =>
  systemPrompt({
    context,
    specialization: context.persona?.specialization ?? settings.specialization,
    type: task.type,
    input: task.input,
    requester: task.userId,
    additionalInstructions: context.persona?.instructions ?? settings.additionalInstructions,
    skills: skillsContext(skills),
    memories: memoryContext(run.prepared?.memories ?? []),
    wrapUp: wrapUpOf(task, run, isLastCall)
  })

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

export const toolsOf = (toolbox: Toolbox, skills: ReadonlyArray<Skill>, { prepared }: Run): ToolSet => {
  const matched = prepared?.tools ?? null
  const all = toolbox.toolSet()
  return matched === null && surplus(all.tools).length === 0 ? all : toolbox.toolSet(selectTools({
    available: all.tools.map(({ name }) => name),
    required: skills.flatMap(({ allowed_tools }) => allowed_tools),
    matched
  }))
}
