import { TaskId, UserId } from "@troupe/domain/Ids"
import { type JournalledStep, Step } from "@troupe/domain/Step"
import { AgentType, type Task, TaskSourceKind, TaskStatus, TaskType, type Usage } from "@troupe/domain/Task"
import { logsOf } from "@troupe/domain/TaskLog"
import { outputsOf } from "@troupe/domain/TaskOutcome"
import { titleOf } from "@troupe/domain/Text"
import { Option, Schema } from "effect"
import { timestamp } from "../Runtime/TimestampColumn.ts"

const Nullable = <A, I>(schema: Schema.Schema<A, I>) => Schema.NullOr(schema)

export const TaskRow = Schema.Struct({
  id: TaskId,
  created_at: Schema.String,
  updated_at: Schema.String,
  creator: UserId,
  assignee: Nullable(UserId),
  title: Nullable(Schema.String),
  description: Schema.String,
  context: Nullable(Schema.String),
  task_type: TaskType,
  agent_type: Nullable(AgentType),
  parent_task_id: Nullable(TaskId),
  project_id: Nullable(Schema.String),
  attachments: Schema.Array(Schema.String),
  continued_from: Nullable(TaskId),
  token_budget: Nullable(Schema.Int),
  source: Nullable(TaskSourceKind),
  reply_channel: Nullable(Schema.Literal("chat", "email")),
  reply_to: Nullable(Schema.String),
  webhook_type: Nullable(Schema.String),
  webhook_payload: Nullable(Schema.parseJson()),
  webhook_headers: Nullable(Schema.parseJson()),
  source_ip: Nullable(Schema.String),
  archived_at: Nullable(Schema.String),
  status: TaskStatus,
  progress: Schema.Int,
  question: Nullable(Schema.String),
  plan: Nullable(Schema.String),
  last_tool_call_id: Nullable(Schema.String),
  job_id: Nullable(Schema.String),
  error: Nullable(Schema.String),
  iteration_count: Schema.Int,
  input_tokens: Schema.Int,
  output_tokens: Schema.Int,
  model_calls: Schema.Int,
  tool_calls: Schema.Int,
  cost: Nullable(Schema.Finite),
  started_at: Nullable(Schema.String),
  completed_at: Nullable(Schema.String)
})
export type TaskRow = typeof TaskRow.Type

/** A journalled step as `stepColumns` select it. */
export const StepRow = Schema.Struct({ seq: Schema.Int, at: Schema.String, step: Schema.parseJson(Step) })

export const stepColumns = `seq, ${timestamp("at", "at")}, body as step`

const columns = (large: string) =>
  `t.id::text, ${timestamp("t.created_at", "created_at")}, ${timestamp("a.updated_at", "updated_at")},
  t.creator, t.assignee, t.title, t.description, t.task_type, t.agent_type, t.parent_task_id::text, t.project_id,
  t.attachments, t.continued_from::text, t.token_budget, t.source, t.reply_channel, t.reply_to, t.webhook_type, ${large},
  t.source_ip, ${timestamp("t.archived_at", "archived_at")}, a.status, a.progress, a.question,
  (select p.plan from steps p where p.task_id = a.task_id and p.seq = a.plan_seq) as plan, a.last_tool_call_id,
  a.task_id || '.' || a.job_seq as job_id, a.error, a.iteration_count, a.input_tokens, a.output_tokens, a.model_calls, a.tool_calls, a.cost,
  ${timestamp("a.started_at", "started_at")}, ${timestamp("a.completed_at", "completed_at")}`

export const taskColumns = columns("t.context, t.webhook_payload, t.webhook_headers")

export const summaryColumns = columns("null as context, null as webhook_payload, null as webhook_headers")

const threadOf = (row: TaskRow): string | null =>
  row.started_at === null || row.status === "completed" ? null : `task-${row.id}`

const usageOf = (row: TaskRow): Usage => ({
  input_tokens: row.input_tokens,
  output_tokens: row.output_tokens,
  model_calls: row.model_calls,
  tool_calls: row.tool_calls,
  cost: row.cost
})

/** The task as the API shows it; without steps (in lists) logs, outputs and webhook data are empty. */
export const taskOf = (row: TaskRow, steps: Option.Option<ReadonlyArray<JournalledStep>>): Task => ({
  id: row.id,
  title: titleOf(row),
  description: row.description,
  status: row.status,
  created_at: row.created_at,
  updated_at: row.updated_at,
  progress: row.progress,
  question: row.question,
  plan: row.plan,
  last_tool_call_id: row.last_tool_call_id,
  checkpoint_thread_id: threadOf(row),
  logs: Option.match(steps, { onNone: () => [], onSome: (all) => all.flatMap(logsOf) }),
  outputs: Option.match(steps, { onNone: () => [], onSome: (all) => all.flatMap(outputsOf) }),
  creator: row.creator,
  assignee: row.assignee,
  source: row.source,
  webhook_type: row.webhook_type,
  webhook_payload: Option.isSome(steps) ? row.webhook_payload : null,
  webhook_headers: Option.isSome(steps) ? row.webhook_headers : null,
  source_ip: row.source_ip,
  celery_task_id: row.job_id,
  parent_task_id: row.parent_task_id,
  task_type: row.task_type,
  agent_type: row.agent_type,
  token_budget: row.token_budget,
  tokens_used: row.input_tokens + row.output_tokens,
  error: row.error,
  archived_at: row.archived_at,
  project_id: row.project_id,
  attachments: row.attachments,
  iteration_count: row.iteration_count,
  usage: usageOf(row),
  started_at: row.started_at,
  completed_at: row.completed_at,
  continued_from: row.continued_from
})

export type TaskFacts = Pick<
  TaskRow,
  | "id"
  | "created_at"
  | "creator"
  | "assignee"
  | "title"
  | "description"
  | "context"
  | "project_id"
  | "attachments"
  | "continued_from"
  | "token_budget"
  | "source"
  | "reply_channel"
  | "reply_to"
  | "webhook_type"
  | "source_ip"
>

export const newTaskView = (task: TaskFacts): Task =>
  taskOf({
    id: task.id,
    created_at: task.created_at,
    updated_at: task.created_at,
    creator: task.creator,
    assignee: task.assignee,
    title: task.title,
    description: task.description,
    context: task.context,
    task_type: "task",
    agent_type: null,
    parent_task_id: null,
    project_id: task.project_id,
    attachments: task.attachments,
    continued_from: task.continued_from,
    token_budget: task.token_budget,
    source: task.source,
    reply_channel: task.reply_channel,
    reply_to: task.reply_to,
    webhook_type: task.webhook_type,
    webhook_payload: null,
    webhook_headers: null,
    source_ip: task.source_ip,
    archived_at: null,
    status: "pending",
    progress: 0,
    question: null,
    plan: null,
    last_tool_call_id: null,
    job_id: null,
    error: null,
    iteration_count: 0,
    input_tokens: 0,
    output_tokens: 0,
    model_calls: 0,
    tool_calls: 0,
    cost: null,
    started_at: null,
    completed_at: null
  }, Option.none())
