import { assert, describe, it } from "@effect/vitest"
import { ScheduleId, TaskId, UserId } from "@troupe/domain/Ids"
import { LogEvent, Task, type TaskLogEntry, TaskStatus } from "@troupe/domain/Task"
import { mayReadContent, outlineOf, outlineOfLog } from "@troupe/domain/TaskReaders"
import { noUsage } from "@troupe/domain/Usage"
import { Schema, Struct } from "effect"
import { sampleApproval, sampleTask } from "../support/Samples.ts"

const at = "2026-01-01T00:00:00.000Z"
const secret = "FOR ANN ALONE"
const [ann, bob] = [UserId.make("ann"), UserId.make("bob")]

const lineOf = (event: LogEvent, data: unknown): TaskLogEntry => ({
  id: "2.0",
  timestamp: at,
  level: "warning",
  event,
  message: `Read ${secret}`,
  data
})

const everyLine = LogEvent.literals.flatMap((event) => [
  lineOf(event, { text: secret }),
  lineOf(event, secret),
  lineOf(event, { status: secret }),
  ...TaskStatus.literals.map((status) => lineOf(event, { status, question: secret }))
])

const output = { id: "3.0", type: "text", content: "Done", filename: null, size: null, created_at: at } as const

const hidden = {
  logs: everyLine,
  description: secret,
  question: secret,
  choices: [secret],
  plan: secret,
  last_tool_call_id: secret,
  schedule_id: ScheduleId.make("00000000-0000-7000-8000-000000000004"),
  webhook_payload: { order: secret },
  webhook_headers: { "x-order": secret },
  source_ip: secret,
  error: secret,
  attachments: [secret],
  approvals: [{ ...sampleApproval, tool: secret }],
  form: { type: "object" as const, properties: { [secret]: { type: "string" as const } }, required: [] },
  url: secret
}

/** All that is not hidden: the compiler asks of a new field which of both it is. */
const visible: Omit<Task, keyof typeof hidden> = {
  ...Struct.pick(
    sampleTask(),
    "id",
    "created_at",
    "updated_at",
    "waiting_for",
    "checkpoint_thread_id",
    "celery_task_id",
    "task_type",
    "agent_type",
    "archived_at"
  ),
  agent: "writer",
  agent_revision: "0123456789ab",
  title: "Report",
  status: "completed",
  progress: 100,
  ended_by: "limit",
  end_label: "Stopped at its limit of 3 model calls",
  max_iterations: 3,
  max_cost: 0.5,
  outputs: [output],
  creator: ann,
  assignee: bob,
  source: "webhook",
  webhook_type: "orders",
  parent_task_id: TaskId.make("00000000-0000-7000-8000-000000000002"),
  project_id: "C1",
  iteration_count: 3,
  token_budget: 5_000,
  tokens_used: 7,
  usage: { ...noUsage, input_tokens: 7, total: noUsage },
  started_at: at,
  completed_at: at,
  continued_from: TaskId.make("00000000-0000-7000-8000-000000000003")
}

const task: Task = { ...visible, ...hidden }

describe("The content of a task", () => {
  it("is for its people and for admins", () => {
    const people = [ann, null]
    assert.isTrue(mayReadContent({ id: ann, role: "member" }, people))
    assert.isFalse(mayReadContent({ id: bob, role: "member" }, people))
    assert.isTrue(mayReadContent({ id: bob, role: "admin" }, people))
    assert.isTrue(mayReadContent({ id: bob, role: "owner" }, []))
  })

  it("is not in its outline, which has the same fields", () => {
    const outline = outlineOf(task)
    assert.notInclude(JSON.stringify(outline), secret)
    assert.deepStrictEqual(Struct.keys(outline).toSorted(), Struct.keys(Task.fields).toSorted())
    assert.isTrue(Schema.is(Task)(outline))
    assert.deepInclude(outline, visible)
    assert.deepInclude(outline, { description: "", question: null, error: null, schedule_id: null, attachments: [] })
  })

  it("includes the title and the outputs of a subtask: the argument and the result of a tool call of its parent", () => {
    const outputs = [{ ...output, content: secret }, { ...output, type: "file" as const, filename: secret }]
    const outline = outlineOf({ ...task, task_type: "subtask", title: secret, outputs })
    assert.notInclude(JSON.stringify(outline), secret)
    assert.deepInclude(outline, { title: "Subtask", outputs: [], status: "completed", creator: ann })
  })

  it("is not in the outline of a log line, which has its kind and time", () => {
    for (const line of everyLine) {
      const outline = outlineOfLog(line)
      assert.notInclude(JSON.stringify(outline), secret)
      assert.deepStrictEqual(Struct.omit(outline, "message"), { ...Struct.omit(line, "message"), data: null })
      assert.notStrictEqual(outline.message, "")
    }
    assert.strictEqual(outlineOfLog(lineOf("status", { status: "failed", by: secret })).message, "The task failed")
  })
})
