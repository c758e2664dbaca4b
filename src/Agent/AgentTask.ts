import type { TaskId, UserId } from "@troupe/domain/Ids"
import type { Limits } from "@troupe/domain/Limits"
import type { ModelPrices } from "@troupe/domain/ModelPrice"
import type { AgentType, TaskType, ToolAccess } from "@troupe/domain/Task"
import type { CompactionSettings } from "./Compaction.ts"

export interface AgentTask {
  readonly id: TaskId
  readonly userId: UserId
  readonly type: TaskType
  readonly agentType: AgentType | null
  readonly toolAccess: ToolAccess
  readonly input: string
  readonly projectId: string | null
  readonly limits: Limits
  readonly tokenBudget: number | null
}

export interface LoopSettings {
  readonly specialization: string
  readonly additionalInstructions: string | null
  readonly maxParallelToolCalls: number
  readonly compaction: CompactionSettings
  readonly prices: ModelPrices
}
