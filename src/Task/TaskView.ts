import type { Caller } from "@troupe/domain/Caller"
import { UserId } from "@troupe/domain/Ids"
import { rounded } from "@troupe/domain/ModelPrice"
import { type JournalledStep, Step } from "@troupe/domain/Step"
import { Task, Usage } from "@troupe/domain/Task"
import { logsOf } from "@troupe/domain/TaskLog"
import { outputsOf } from "@troupe/domain/TaskOutcome"
import { mayReadContent, outlineOf } from "@troupe/domain/TaskReaders"
import { titleOf } from "@troupe/domain/Text"
import { Option, Schema, Struct } from "effect"
import { timestamp } from "../Runtime/Database/TimestampColumn.ts"
import { WaitColumns, waitColumns, waitingForOf } from "./WaitingFor.ts"

/** What the API shows as the row has it. */
const shown = Struct.omit(
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
  "waiting_for"
)

export const TaskRow = Schema.Struct({
  ...shown,
  ...Usage.fields,
  title: Schema.NullOr(Schema.String),
  context: Schema.NullOr(Schema.String),
  reply_channel: Schema.NullOr(Schema.Literal("chat", "email")),
  reply_to: Schema.NullOr(Schema.String),
  webhook_payload: Schema.NullOr(Schema.parseJson()),
  webhook_headers: Schema.NullOr(Schema.parseJson()),
  job_id: Schema.NullOr(Schema.String),
  /** What its subtasks used; null without any. */
  of_subtasks: Schema.NullOr(Schema.Struct({ ...Usage.fields, unpriced: Schema.Int })),
  asks_approval: Schema.Boolean,
  ...WaitColumns.fields,
  /** Of a subtask, the creator and the assignee of its parent. */
  parent_people: Schema.NullOr(Schema.Array(Schema.NullOr(UserId)))
})
export type TaskRow = typeof TaskRow.Type

/** A journalled step as `stepColumns` select it. */
export const StepRow = Schema.Struct({ seq: Schema.Int, at: Schema.String, step: Schema.parseJson(Step) })

export const stepColumns = `seq, ${timestamp("at", "at")}, body as step`

const ofSubtasks = `select json_build_object('input_tokens', sum(u.input_tokens), 'output_tokens', sum(u.output_tokens),
    'model_calls', sum(u.model_calls), 'tool_calls', sum(u.tool_calls), 'cost', sum(u.cost),
    'unpriced', count(*) filter (where u.model_calls > 0 and u.cost is null))
  from tasks s join actors u on u.task_id = s.id where s.parent_task_id = t.id having count(*) > 0`

const columns = (large: string) =>
  `t.id::text, ${timestamp("t.created_at", "created_at")}, ${timestamp("a.updated_at", "updated_at")},
  t.creator, t.assignee, t.title, t.description, t.task_type, t.agent_type, t.parent_task_id::text, t.project_id,
  t.attachments, t.continued_from::text, t.token_budget, t.source, t.reply_channel, t.reply_to, t.webhook_type, ${large},
  t.source_ip, ${timestamp("t.archived_at", "archived_at")}, a.status, a.progress, a.question,
  coalesce(a.choices, '{}') as choices, a.asks_approval,
  (select p.plan from steps p where p.task_id = a.task_id and p.seq = a.plan_seq) as plan, a.last_tool_call_id,
  a.task_id || '.' || a.job_seq as job_id, a.error, ${waitColumns}, a.iteration_count, a.input_tokens, a.output_tokens, a.model_calls, a.tool_calls, a.cost,
  case when t.task_type = 'task' then (${ofSubtasks}) end as of_subtasks,
  ${timestamp("a.started_at", "started_at")}, ${timestamp("a.completed_at", "completed_at")},
  (select array[p.creator, p.assignee] from tasks p where p.id = t.parent_task_id) as parent_people`

export const taskColumns = columns("t.context, t.webhook_payload, t.webhook_headers")

export const summaryColumns = columns("null as context, null as webhook_payload, null as webhook_headers")

const threadOf = (row: TaskRow): string | null =>
  row.started_at === null || row.status === "completed" ? null : `task-${row.id}`

const shownFields = Struct.keys(shown)
const usageFields = Struct.keys(Usage.fields)

/** Whether the reader sees more than the outline of the task; null is the service itself, and a self-hosted user. */
export const maySeeContent = (reader: Caller | null, { assignee, creator, parent_people }: TaskRow): boolean =>
  reader === null || mayReadContent(reader, [creator, assignee, ...(parent_people ?? [])])

/** The task as the API shows it to the reader; without steps (in lists) logs, outputs and webhook data are empty. */
export const taskOf = (
  row: TaskRow,
  steps: Option.Option<ReadonlyArray<JournalledStep>>,
  reader: Caller | null
): Task => maySeeContent(reader, row) ? wholeTaskOf(row, steps) : outlineOf(wholeTaskOf(row, steps))

const totalOf = ({ of_subtasks, ...row }: TaskRow): Usage => {
  const own = Struct.pick(row, ...usageFields)
  if (of_subtasks === null) return own
  const isPriced = of_subtasks.unpriced === 0 && (own.cost !== null || own.model_calls === 0)
  return {
    input_tokens: own.input_tokens + of_subtasks.input_tokens,
    output_tokens: own.output_tokens + of_subtasks.output_tokens,
    model_calls: own.model_calls + of_subtasks.model_calls,
    tool_calls: own.tool_calls + of_subtasks.tool_calls,
    cost: isPriced && (own.cost !== null || of_subtasks.cost !== null)
      ? rounded((own.cost ?? 0) + (of_subtasks.cost ?? 0))
      : null
  }
}

const wholeTaskOf = (row: TaskRow, steps: Option.Option<ReadonlyArray<JournalledStep>>): Task => ({
  ...Struct.pick(row, ...shownFields),
  title: titleOf(row),
  waiting_for: waitingForOf(row),
  checkpoint_thread_id: threadOf(row),
  logs: Option.match(steps, { onNone: () => [], onSome: (all) => all.flatMap((step) => logsOf(step, row.task_type)) }),
  outputs: Option.match(steps, { onNone: () => [], onSome: (all) => all.flatMap(outputsOf) }),
  webhook_payload: Option.isSome(steps) ? row.webhook_payload : null,
  webhook_headers: Option.isSome(steps) ? row.webhook_headers : null,
  celery_task_id: row.job_id,
  tokens_used: row.input_tokens + row.output_tokens,
  usage: { ...Struct.pick(row, ...usageFields), total: totalOf(row) }
})

const unstarted = {
  task_type: "task",
  agent_type: null,
  parent_task_id: null,
  parent_people: null,
  webhook_payload: null,
  webhook_headers: null,
  archived_at: null,
  status: "pending",
  progress: 0,
  question: null,
  choices: [],
  asks_approval: false,
  plan: null,
  last_tool_call_id: null,
  job_id: null,
  error: null,
  wake_at: null,
  is_due: true,
  waited_seconds: 0,
  runner: null,
  queued_by: null,
  attempts: 0,
  retry_at: null,
  subtasks_open: null,
  assigned_by_answer: false,
  iteration_count: 0,
  input_tokens: 0,
  output_tokens: 0,
  model_calls: 0,
  tool_calls: 0,
  cost: null,
  of_subtasks: null,
  started_at: null,
  completed_at: null
} satisfies Partial<TaskRow>

export type TaskFacts = Omit<TaskRow, keyof typeof unstarted | "updated_at">

/** For the one who submitted it. */
export const newTaskView = (task: TaskFacts): Task =>
  wholeTaskOf({ ...task, ...unstarted, updated_at: task.created_at }, Option.none())
