import { blankTask } from "@troupe/domain/BlankTask"
import { replyWays } from "@troupe/domain/DeliveryWay"
import { UserId } from "@troupe/domain/Ids"
import { OpeningConversation } from "@troupe/domain/OpeningConversation"
import { QuestionForm } from "@troupe/domain/QuestionForm"
import { Step } from "@troupe/domain/Step"
import { Task } from "@troupe/domain/Task"
import { noUsage, Usage } from "@troupe/domain/Usage"
import { Schema, Struct } from "effect"
import { instant, timestamp } from "../../Runtime/Database/TimestampColumn.ts"
import { approvalColumns, ApprovalRow } from "./ApprovalRow.ts"
import { WaitColumns, waitColumns } from "./WaitingFor.ts"

/** What the API shows as the row has it. */
export const shown = Struct.omit(
  Task.fields,
  "title",
  "checkpoint_thread_id",
  "logs",
  "outputs",
  "webhook_payload",
  "webhook_headers",
  "celery_task_id",
  "tokens_used",
  "usage",
  "waiting_for",
  "end_label",
  "approvals"
)

export const TaskRow = Schema.Struct({
  ...shown,
  ...Usage.fields,
  title: Schema.NullOr(Schema.String),
  form: Schema.NullOr(Schema.parseJson(QuestionForm)),
  context: Schema.NullOr(Schema.String),
  conversation: Schema.NullOr(Schema.parseJson(OpeningConversation)),
  /** The number of the agent's file among the shared texts. */
  agent_text: Schema.NullOr(Schema.Int),
  reply_channel: Schema.NullOr(Schema.Literal(...replyWays)),
  reply_to: Schema.NullOr(Schema.String),
  webhook_payload: Schema.NullOr(Schema.parseJson()),
  webhook_headers: Schema.NullOr(Schema.parseJson()),
  job_id: Schema.NullOr(Schema.String),
  /** What its subtasks used; null without any. */
  of_subtasks: Schema.NullOr(Schema.Struct({ ...Usage.fields, unpriced: Schema.Int })),
  asks_approval: Schema.Boolean,
  ended_detail: Schema.NullOr(Schema.String),
  /** Null: it has asked for none. */
  approvals: Schema.NullOr(Schema.Array(ApprovalRow)),
  /** Of a task that ended before `ended_by` was stored. */
  last_step: Schema.NullOr(Schema.parseJson(Step)),
  ...WaitColumns.fields,
  /** Of a subtask, the creator and the assignee of its parent. */
  parent_people: Schema.NullOr(Schema.Array(Schema.NullOr(UserId)))
}).annotations({ identifier: "TaskRow" })
export type TaskRow = typeof TaskRow.Type

const ofSubtasks = `select json_build_object('input_tokens', sum(u.input_tokens), 'output_tokens', sum(u.output_tokens),
    'model_calls', sum(u.model_calls), 'tool_calls', sum(u.tool_calls), 'cost', sum(u.cost),
    'unpriced', count(*) filter (where u.model_calls > 0 and u.cost is null))
  from tasks s join actors u on u.task_id = s.id where s.parent_task_id = t.id having count(*) > 0`

/** The value of each column of `TaskRow` in a statement over `tasks t` and `actors a`. */
const values: Readonly<Record<keyof TaskRow, string>> = {
  id: "t.id::text",
  created_at: instant("t.created_at"),
  updated_at: instant("a.updated_at"),
  creator: "t.creator",
  assignee: "t.assignee",
  title: "t.title",
  description: "t.description",
  context: "t.context",
  conversation: "t.conversation",
  task_type: "t.task_type",
  agent_type: "t.agent_type",
  agent: "t.agent",
  agent_revision: "t.agent_revision",
  agent_text: "t.agent_text",
  parent_task_id: "t.parent_task_id::text",
  project_id: "t.project_id",
  attachments: "t.attachments",
  continued_from: "t.continued_from::text",
  token_budget: "t.token_budget",
  source: "t.source",
  schedule_id: "t.schedule_id::text",
  reply_channel: "t.reply_channel",
  reply_to: "t.reply_to",
  webhook_type: "t.webhook_type",
  webhook_payload: "t.webhook_payload",
  webhook_headers: "t.webhook_headers",
  source_ip: "t.source_ip",
  archived_at: instant("t.archived_at"),
  status: "a.status",
  progress: "a.progress",
  question: "a.question",
  choices: "coalesce(a.choices, '{}')",
  form: "case when a.status = 'waiting_input' then a.form end",
  url: "case when a.status = 'waiting_input' then a.url end",
  asks_approval: "a.asks_approval",
  approvals: `case when a.has_approvals then (
    select json_agg(p order by p.id) from (select ${approvalColumns} from approvals p where p.task_id = a.task_id) p) end`,
  plan: "(select p.plan from steps p where p.task_id = a.task_id and p.seq = a.plan_seq)",
  last_tool_call_id: "a.last_tool_call_id",
  job_id: "a.task_id || '.' || a.job_seq",
  error: "a.error",
  ended_by: "a.ended_by",
  ended_detail: "a.ended_detail",
  max_iterations: "t.max_iterations",
  max_cost: "t.max_cost",
  last_step: `case when a.ended_by is null and a.completed_at is not null then (
    select s.body from steps s where s.task_id = a.task_id and s.seq = a.seq) end`,
  ...waitColumns,
  iteration_count: "a.iteration_count",
  input_tokens: "a.input_tokens",
  output_tokens: "a.output_tokens",
  model_calls: "a.model_calls",
  tool_calls: "a.tool_calls",
  cost: "a.cost",
  of_subtasks: `case when t.task_type = 'task' then (${ofSubtasks}) end`,
  started_at: instant("a.started_at"),
  completed_at: instant("a.completed_at"),
  parent_people: "(select array[p.creator, p.assignee] from tasks p where p.id = t.parent_task_id)"
}

const columnsOf = (of: Readonly<Record<string, string>>): string =>
  Object.entries(of).map(([name, value]) => `${value} as ${name}`).join(", ")

export const taskColumns = columnsOf(values)

/** The same for lists, without what may be large. */
export const summaryColumns = columnsOf({
  ...values,
  context: "null",
  conversation: "null",
  webhook_payload: "null",
  webhook_headers: "null"
})

/** The values of some columns. */
export const columnsNamed = (...names: ReadonlyArray<keyof TaskRow>): string => columnsOf(Struct.pick(values, ...names))

/** A journalled step as `stepColumns` select it. */
export const StepRow = Schema.Struct({ seq: Schema.Int, at: Schema.String, step: Schema.parseJson(Step) })
  .annotations({ identifier: "StepRow" })

export const stepColumns = `seq, ${timestamp("at", "at")}, body as step`

/** Columns that a request does not set, with their values in a new task. */
export const unstarted = {
  ...Struct.pick(
    blankTask,
    "task_type",
    "agent_type",
    "parent_task_id",
    "webhook_payload",
    "webhook_headers",
    "archived_at",
    "status",
    "progress",
    "question",
    "choices",
    "form",
    "url",
    "plan",
    "last_tool_call_id",
    "error",
    "ended_by",
    "iteration_count",
    "started_at",
    "completed_at"
  ),
  ...noUsage,
  parent_people: null,
  ended_detail: null,
  last_step: null,
  asks_approval: false,
  approvals: null,
  job_id: null,
  wake_at: null,
  is_due: true,
  waited_seconds: 0,
  runner: null,
  queued_by: null,
  attempts: 0,
  retry_at: null,
  last_wait_step: null,
  subtasks_open: null,
  assigned_by_answer: false,
  of_subtasks: null
} satisfies Partial<TaskRow>

/** The columns that the request of a task fills and that the API shows. */
export type RequestColumns = Omit<TaskRow, keyof typeof unstarted | "conversation" | "updated_at">
