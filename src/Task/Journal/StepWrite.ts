import type { AskedCall } from "@troupe/domain/Approval"
import type { TaskId } from "@troupe/domain/Ids"
import { notificationsOf } from "@troupe/domain/Notification"
import type { Run } from "@troupe/domain/Run"
import type { Shown } from "@troupe/domain/Shown"
import type { Step } from "@troupe/domain/Step"
import { stepText } from "@troupe/domain/StepText"
import { eventOfChange } from "@troupe/domain/Subscription"
import type { SubtaskRequest } from "@troupe/domain/Subtask"
import { endDetailOf, endedByOf, planOf } from "@troupe/domain/TaskOutcome"
import { isTerminal, type TaskState } from "@troupe/domain/TaskState"
import { type Audience, noticesOf } from "../../Delivery/Audience.ts"
import { type OutboxEntry, storableEntry } from "../../Delivery/Outbox.ts"
import { storable, storableOrNull } from "../../Runtime/Database/StorableText.ts"

export type Wake =
  /** The actor continues: the task stays due, so that the owner of the shard claims it if this process ends. */
  | { readonly _tag: "Keep" }
  /** The task waits or has ended: only a command wakes it. */
  | { readonly _tag: "Park" }
  /** Milliseconds from now by the database's clock, because the runners' clocks may differ. */
  | { readonly _tag: "After"; readonly millis: number }

export interface SubtaskRow {
  readonly id: TaskId
  readonly shard: number
  readonly request: SubtaskRequest
  /** What the parent has seen: the subtask's text may have any of it. */
  readonly shown: Shown
}

/** One step of one task, to be appended under the writer's epoch as number `seq`. */
export interface StepWrite {
  readonly taskId: TaskId
  readonly epoch: number
  readonly seq: number
  readonly step: Step
  readonly state: TaskState
  /** Null before the run is restored: the row keeps its counts. */
  readonly run: Run | null
  readonly progress: number
  readonly wake: Wake
  /** Attempts at the step after this one, without those that ended with their process. */
  readonly attempts: number
  /** True for a step that is no progress: the process deaths stay counted. */
  readonly keepsDeaths?: boolean | undefined
  /** How many commands the writer has read; a newer one overrides `Park`. */
  readonly inboxSeen: number
  readonly consumed: ReadonlyArray<string>
  readonly subtasks?: ReadonlyArray<SubtaskRow> | undefined
  readonly outgoing?: ReadonlyArray<OutboxEntry> | undefined
  /** True for the step that reads the results of all awaited subtasks. */
  readonly collects?: boolean | undefined
  /** Whom its notifications may reach; if that has changed meanwhile, the step is not appended. */
  readonly audience: Audience
}

/** -1: the wake-up stays due; 0: nothing but a command wakes the task; else milliseconds from now. */
const wakeColumn = (wake: Wake): number =>
  wake._tag === "Keep" ? -1 : wake._tag === "Park" ? 0 : Math.max(1, wake.millis)

export interface EncodedWrite {
  readonly taskId: TaskId
  readonly json: string
  /** It has notifications. */
  readonly notifies: boolean
  /** It notifies people, or changes the status, for which there may be subscriptions. */
  readonly tells: boolean
  /** It asks for approval, acts on commands, sends messages, dispatches subtasks or is the end of one. */
  readonly acts: boolean
  readonly endsSubtask: boolean
}

export const encodeWrite = (entry: StepWrite): EncodedWrite => {
  // Of a subtask, people hear what it waits for.
  const isTold = entry.state.type === "task" || (entry.step.kind === "results" && entry.step.paused !== undefined)
  const notifications = isTold ? notificationsOf(entry.step) : []
  // Only a running task is written.
  const event = entry.state.type === "task" ? eventOfChange("running", entry.state.status) : null
  const endsSubtask = entry.state.type === "subtask" && isTerminal(entry.state.status)
  return {
    taskId: entry.taskId,
    json: JSON.stringify(rowOf(entry, notifications.length, event)),
    notifies: notifications.length > 0,
    tells: notifications.length > 0 || event !== null,
    acts: asksApprovalOf(entry.step) || entry.consumed.length > 0 || entry.subtasks !== undefined
      || entry.outgoing !== undefined || endsSubtask,
    endsSubtask
  }
}

/** JSON leaves out what is undefined. */
const rowOf = (
  entry: StepWrite,
  notifications: number,
  event: ReturnType<typeof eventOfChange>,
  asked = entry.step.kind === "results" ? entry.step.asked : undefined
) => ({
  task_id: entry.taskId,
  event: event ?? undefined,
  epoch: entry.epoch,
  seq: entry.seq,
  body: stepText(entry.step),
  status: entry.state.status,
  question: storableOrNull(entry.state.question),
  last_tool_call_id: storableOrNull(entry.state.lastToolCallId),
  choices: asked?.choices?.map(storable),
  form: storableOrNull(asked?.form ?? null) ?? undefined,
  url: storableOrNull(asked?.url ?? null) ?? undefined,
  asks_approval: asksApprovalOf(entry.step) ? true : undefined,
  approvals: entry.step.kind === "results" ? entry.step.asking?.map(approvalOf) : undefined,
  error: storableOrNull(entry.state.error),
  ended_by: endedByOf(entry.step) ?? undefined,
  ended_detail: storableOrNull(endDetailOf(entry.step)) ?? undefined,
  iteration_count: entry.run?.iterationsTotal ?? null,
  input_tokens: entry.run?.inputTokens ?? null,
  output_tokens: entry.run?.outputTokens ?? null,
  model_calls: entry.run?.modelCalls ?? null,
  tool_calls: entry.run?.toolCalls ?? null,
  cost: entry.run?.cost ?? null,
  outside_since: entry.run?.seen.outside?.since,
  private_since: entry.run?.seen.privateSince ?? undefined,
  progress: entry.progress,
  attempts: entry.attempts,
  retry_in: entry.step.kind === "model_failed" && entry.step.next === undefined ? entry.step.pause : undefined,
  keeps_deaths: entry.keepsDeaths,
  wake: wakeColumn(entry.wake),
  inbox_seen: entry.inboxSeen,
  consumed: entry.consumed.length === 0 ? undefined : entry.consumed,
  ...(notifications === 0 ? {} : {
    audience: entry.audience,
    notices: noticesOf(notifications, asksOf(entry.step), entry.audience)
  }),
  plan: storableOrNull(planOf(entry.step)) ?? undefined,
  collects: entry.collects,
  outgoing: entry.outgoing?.map(storableEntry),
  subtasks: entry.subtasks?.map(subtaskOf)
})

/** All notifications of a step are of one kind. */
const asksOf = (step: Step) => {
  if (step.kind !== "results") return null
  return asksApprovalOf(step) ? "approval" : "question"
}

const asksApprovalOf = (step: Step): boolean => step.kind === "results" && step.asking !== undefined

const approvalOf = (asked: AskedCall) => ({
  id: asked.approval,
  tool_call_id: asked.id,
  tool: storable(asked.tool),
  server: asked.server,
  class: asked.class,
  outside_since: asked.outsideSince,
  outside_because: storableOrNull(asked.outsideBecause ?? null),
  private_since: asked.privateSince,
  arguments: storable(asked.arguments),
  parameters: storable(asked.parameters),
  files: JSON.stringify(asked.files.map((file) => ({ ...file, path: storable(file.path) }))),
  rule: asked.rule,
  because: asked.because,
  cause: asked.cause ?? null,
  preset: asked.preset,
  binding: asked.binding,
  who: asked.who
})

const subtaskOf = ({ id, request, shard, shown }: SubtaskRow) => ({
  id,
  shown: Object.keys(shown).length === 0 ? undefined : JSON.stringify(shown),
  shard,
  description: storable(request.description),
  context: storableOrNull(request.context),
  agent_type: request.agentType,
  agent: request.agent?.name ?? null,
  agent_revision: request.agent?.revision ?? null,
  agent_text: request.agent?.text ?? null,
  token_budget: request.tokenBudget,
  max_iterations: request.maxIterations,
  max_cost: request.maxCost ?? null
})
