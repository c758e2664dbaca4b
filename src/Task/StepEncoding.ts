import type { TaskId } from "@troupe/domain/Ids"
import { type Notice, noticesOf } from "@troupe/domain/Notification"
import { planOf } from "@troupe/domain/Plan"
import { textOf } from "@troupe/domain/Step"
import { isTerminal } from "@troupe/domain/TaskState"
import { outboxRowOf } from "../Delivery/Outbox.ts"
import { storable } from "../Runtime/StorableText.ts"
import type { StepWrite, SubtaskRow, Wake } from "./StepWrite.ts"

/** -1: the wake-up stays due; 0: nothing but a command wakes the task; else milliseconds from now. */
const wakeColumn = (wake: Wake): number =>
  wake._tag === "Keep" ? -1 : wake._tag === "Park" ? 0 : Math.max(1, wake.millis)

const clean = (text: string | null): string | null => text === null ? null : storable(text)

/** What a step does besides being appended. The statement of a group has only the parts that some step of it needs. */
export interface StepEffects {
  readonly consumes: boolean
  readonly notifies: boolean
  readonly dispatches: boolean
  readonly sends: boolean
  readonly ends: boolean
}

export interface EncodedWrite extends StepEffects {
  readonly taskId: TaskId
  readonly json: string
}

export const encodeWrite = (entry: StepWrite): EncodedWrite => {
  const notices = entry.state.type === "task" ? noticesOf(entry.step) : []
  return {
    taskId: entry.taskId,
    json: JSON.stringify(rowOf(entry, notices, planOf(entry.step))),
    consumes: entry.consumed.length > 0,
    notifies: notices.length > 0,
    dispatches: entry.subtasks !== undefined,
    sends: entry.outgoing !== undefined,
    ends: entry.state.type === "subtask" && isTerminal(entry.state.status)
  }
}

const rowOf = (entry: StepWrite, notices: ReadonlyArray<Notice>, plan: string | null) => ({
  task_id: entry.taskId,
  epoch: entry.epoch,
  seq: entry.seq,
  body: textOf(entry.step),
  status: entry.state.status,
  question: clean(entry.state.question),
  last_tool_call_id: clean(entry.state.lastToolCallId),
  error: clean(entry.state.error),
  iteration_count: entry.run?.iterationsTotal ?? null,
  input_tokens: entry.run?.inputTokens ?? null,
  output_tokens: entry.run?.outputTokens ?? null,
  model_calls: entry.run?.modelCalls ?? null,
  tool_calls: entry.run?.toolCalls ?? null,
  cost: entry.run?.cost ?? null,
  progress: entry.progress,
  attempts: entry.attempts,
  ...(entry.keepsDeaths === true ? { keeps_deaths: true } : {}),
  wake: wakeColumn(entry.wake),
  inbox_seen: entry.inboxSeen,
  ...(entry.consumed.length === 0 ? {} : { consumed: entry.consumed }),
  // All notices of a step are of one kind.
  ...(notices.length === 0 ? {} : { notices: notices.length, asks: notices[0]?.kind === "question" }),
  ...(plan === null ? {} : { plan: storable(plan) }),
  ...(entry.collects === true ? { collects: true } : {}),
  ...(entry.outgoing === undefined ? {} : { outgoing: entry.outgoing.map(outboxRowOf) }),
  ...(entry.subtasks === undefined ? {} : { subtasks: entry.subtasks.map(subtaskOf) })
})

const subtaskOf = ({ id, request, shard }: SubtaskRow) => ({
  id,
  shard,
  description: storable(request.description),
  context: clean(request.context),
  agent_type: request.agentType,
  token_budget: request.tokenBudget,
  max_iterations: request.maxIterations
})
