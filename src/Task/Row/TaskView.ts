import type { Caller } from "@troupe/domain/Caller"
import { rounded } from "@troupe/domain/ModelPrice"
import type { JournalledStep } from "@troupe/domain/Step"
import { type Task } from "@troupe/domain/Task"
import { endLabel } from "@troupe/domain/TaskEnd"
import { logsOf } from "@troupe/domain/TaskLog"
import { endedByOf, endLabelOf, outputsOf } from "@troupe/domain/TaskOutcome"
import { mayReadContent, outlineOf } from "@troupe/domain/TaskReaders"
import { titleOf } from "@troupe/domain/Text"
import { Usage } from "@troupe/domain/Usage"
import { Option, Struct } from "effect"
import { approvalOf } from "./ApprovalRow.ts"
import { type RequestColumns, shown, type TaskRow, unstarted } from "./TaskRow.ts"
import { type Places, waitingForOf } from "./WaitingFor.ts"

const threadOf = (row: TaskRow): string | null =>
  row.started_at === null || row.status === "completed" ? null : `task-${row.id}`

/** What the view has as the row has it. */
const shownFields = Struct.keys(Struct.omit(shown, "ended_by"))
const usageFields = Struct.keys(Usage.fields)

/** Whether the reader sees more than the outline of the task; null is the service itself, and a self-hosted user. */
export const maySeeContent = (reader: Caller | null, { assignee, creator, parent_people }: TaskRow): boolean =>
  reader === null || mayReadContent(reader, [creator, assignee, ...(parent_people ?? [])])

/** The task as the API shows it to the reader; without steps (in lists) logs, outputs and webhook data are empty. */
export const taskOf = (
  row: TaskRow,
  steps: Option.Option<ReadonlyArray<JournalledStep>>,
  reader: Caller | null,
  places: Places | null
): Task => {
  const task = wholeTaskOf(row, steps, places)
  if (maySeeContent(reader, row)) return task
  // Whom a rule lists sees the calls that they decide about.
  const approvals = task.approvals.filter(({ who }) => reader !== null && who.includes(reader.id))
  const outline = outlineOf(task)
  return approvals.length === 0
    ? outline
    : { ...outline, approvals, last_tool_call_id: task.last_tool_call_id }
}

const totalOf = (row: TaskRow): Usage => {
  const { of_subtasks } = row
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

const endIn = ({ ended_by, ended_detail, last_step }: TaskRow): Pick<Task, "end_label" | "ended_by"> =>
  last_step === null
    ? { ended_by, end_label: ended_by === null ? null : endLabel({ by: ended_by, detail: ended_detail }) }
    : { ended_by: endedByOf(last_step), end_label: endLabelOf(last_step) }

// The many properties that are copied come last, here and below: to add one to a copy takes as long as the copy.
const wholeTaskOf = (
  row: TaskRow,
  steps: Option.Option<ReadonlyArray<JournalledStep>>,
  places: Places | null
): Task => {
  const { end_label, ended_by } = endIn(row)
  return {
    title: titleOf(row),
    ended_by,
    end_label,
    waiting_for: waitingForOf(row, places),
    approvals: (row.approvals ?? []).map((approval) => approvalOf(approval, row.creator)),
    checkpoint_thread_id: threadOf(row),
    logs: Option.match(steps, {
      onNone: () => [],
      onSome: (all) => all.flatMap((step) => logsOf(step, row.task_type))
    }),
    outputs: Option.match(steps, { onNone: () => [], onSome: (all) => all.flatMap(outputsOf) }),
    webhook_payload: Option.isSome(steps) ? row.webhook_payload : null,
    webhook_headers: Option.isSome(steps) ? row.webhook_headers : null,
    celery_task_id: row.job_id,
    tokens_used: row.input_tokens + row.output_tokens,
    usage: { total: totalOf(row), ...Struct.pick(row, ...usageFields) },
    ...Struct.pick(row, ...shownFields)
  }
}

/** For the one who submitted it. */
export const newTaskView = (task: RequestColumns): Task =>
  wholeTaskOf(
    {
      id: task.id,
      created_at: task.created_at,
      updated_at: task.created_at,
      creator: task.creator,
      assignee: task.assignee,
      title: task.title,
      description: task.description,
      context: task.context,
      conversation: null,
      project_id: task.project_id,
      attachments: task.attachments,
      continued_from: task.continued_from,
      token_budget: task.token_budget,
      max_iterations: task.max_iterations,
      max_cost: task.max_cost,
      agent: task.agent,
      agent_revision: task.agent_revision,
      agent_text: task.agent_text,
      source: task.source,
      schedule_id: task.schedule_id,
      reply_channel: task.reply_channel,
      reply_to: task.reply_to,
      webhook_type: task.webhook_type,
      source_ip: task.source_ip,
      ...unstarted
    },
    Option.none(),
    null
  )
