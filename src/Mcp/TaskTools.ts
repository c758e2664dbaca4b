import * as Tool from "@effect/ai/Tool"
import { TaskQuery } from "@troupe/api/TaskFilter"
import { ChatRequest, humanResponseFields, MessageRequest } from "@troupe/api/TaskRequests"
import { TaskId } from "@troupe/domain/Ids"
import { TaskStatus } from "@troupe/domain/Task"
import { Context, Effect, Option, Schema, Struct } from "effect"
import { answering, filterOf, sending } from "../People/User/Access.ts"
import { Users } from "../People/User/Users.ts"
import { nextCursor } from "../Runtime/Database/Page.ts"
import { chatTask } from "../Task/UseCase/ChatTask.ts"
import { taskIdOf, Tasks } from "../Task/UseCase/Tasks.ts"
import { count, implement, type McpTool, readOnly } from "./McpTool.ts"
import { reportAfter, taskReport, taskSummary } from "./TaskReport.ts"

const maxWaitSeconds = 300

const wait_seconds = count(0, maxWaitSeconds, {
  default: 0,
  description: "Wait up to this many seconds until the task ends or asks a question. Default: 0, answer at once"
})
const logs = count(0, 200, { default: 0, description: "Newest log lines to return. Default: 0" })
const limit = count(1, 100, { default: 20, description: "Tasks per page, 1 to 100. Default: 20" })
const task_id = Schema.String.annotations({ description: "The id of the task" })
const changes = Context.make(Tool.Destructive, false)

const CreateTask = Tool.make("create_task", {
  description: "Create a task for an agent, which works on it with tools, files and subagents until it is finished. "
    + "Returns the task with its id. Waiting is optional: get_task returns the state and the result later. A task whose "
    + "status is waiting_input asks its question, with choices if it offers some; answer it with answer_task.",
  parameters: {
    ...Struct.omit(ChatRequest.fields, "live"),
    idempotency_key: Schema.optional(
      Schema.String.pipe(Schema.minLength(1), Schema.maxLength(255)).annotations({
        description: "The same key and arguments return the same task for 24 hours, so that a repeated call is safe"
      })
    ),
    wait_seconds
  }
}).annotate(Tool.Title, "Create a task").annotateContext(changes)

const GetTask = Tool.make("get_task", {
  description:
    "The state of a task: its status, progress, question, result, error and outputs. ended_by limit or budget: the task was "
    + "completed before the agent was done, with the results so far; end_label says it in words. "
    + "With wait_seconds it waits for the end or the next question.",
  parameters: {
    task_id,
    wait_seconds,
    logs
  }
}).annotate(Tool.Title, "Get a task").annotateContext(readOnly)

const ListTasks = Tool.make("list_tasks", {
  description: "Tasks, newest first, without results. next_cursor continues the list.",
  parameters: {
    status: Schema.optional(TaskStatus.annotations({ description: "Only tasks with this status" })),
    creator: TaskQuery.fields.creator,
    q: Schema.optional(
      Schema.String.annotations({ description: "Text in the title, or in the request of a task that you may read" })
    ),
    limit,
    cursor: Schema.optional(TaskId.annotations({ description: "next_cursor of the previous page" }))
  }
}).annotate(Tool.Title, "List tasks").annotateContext(readOnly)

const AnswerTask = Tool.make("answer_task", {
  description:
    "Answer the question of a task whose status is waiting_input; the task then continues. A question whether "
    + "calls may be made (approvals in the task) is for people, who decide in the console, the chat, by mail or on the command line: "
    + "you can neither approve nor deny them, unless a rule of the policy lists your user. Any other answer to it is a message to "
    + "the task's agent.",
  parameters: {
    task_id,
    response: humanResponseFields.response,
    fields: humanResponseFields.fields,
    user_id: humanResponseFields.user_id,
    tool_call_id: humanResponseFields.tool_call_id,
    wait_seconds
  }
}).annotate(Tool.Title, "Answer a task").annotateContext(changes)

const SendMessage = Tool.make("send_message", {
  description: "Send a message to the agent of a running task: it reads the message before its next step. A finished "
    + "task is continued by a new one. Returns the task that got the message.",
  parameters: { task_id, ...MessageRequest.fields, wait_seconds }
}).annotate(Tool.Title, "Send a message").annotateContext(changes)

const CancelTask = Tool.make("cancel_task", {
  description: "Stop a task and its subtasks. It fails with the reason.",
  parameters: {
    task_id,
    reason: Schema.optional(
      Schema.String.pipe(Schema.maxLength(1000)).annotations({ description: "Why it is stopped" })
    )
  }
}).annotate(Tool.Title, "Cancel a task").annotate(Tool.OpenWorld, false)

/** The tools for tasks, each one a use-case of `Tasks`. Their reports link to the console, where it is known. */
export const taskTools = (
  console: URL | null
): Effect.Effect<ReadonlyArray<McpTool>, never, Tasks | Users> =>
  Effect.map(
    Effect.all([Tasks, Users]),
    ([tasks, users]) => [
      implement(
        CreateTask,
        ({ idempotency_key, wait_seconds, ...request }, report) =>
          chatTask({ tasks, users }, request, idempotency_key).pipe(
            // Not in the request's digest, so that a repeated call may ask for progress or not.
            Effect.flatMap((task) => tasks.submit({ ...task, live: report !== null && wait_seconds > 0 })),
            Effect.flatMap(({ id }) => reportAfter(tasks, id, wait_seconds, report, { console, isNew: true }))
          )
      ),
      implement(
        GetTask,
        ({ logs, task_id, wait_seconds }, report) =>
          Effect.flatMap(taskIdOf(task_id), (id) => reportAfter(tasks, id, wait_seconds, report, { console, logs }))
      ),
      implement(ListTasks, (query) =>
        Effect.map(Effect.flatMap(filterOf(users, query), tasks.list), (found) => ({
          content: { tasks: found.items.map(taskSummary), next_cursor: nextCursor(found) }
        }))),
      implement(
        AnswerTask,
        ({ fields, response, task_id, tool_call_id: call, user_id, wait_seconds }, report) =>
          taskIdOf(task_id).pipe(
            Effect.zip(answering(users, user_id)),
            Effect.flatMap(([id, userId]) => tasks.answer(id, response, userId, { call, fields })),
            Effect.flatMap(({ id }) => reportAfter(tasks, id, wait_seconds, report, { console }))
          )
      ),
      implement(SendMessage, ({ message, task_id, user_id, wait_seconds }, report) =>
        taskIdOf(task_id).pipe(
          Effect.zip(sending(users, user_id)),
          Effect.flatMap(([id, userId]) => tasks.message(id, message, userId)),
          Effect.flatMap(({ id }) => reportAfter(tasks, id, wait_seconds, report, { console }))
        )),
      implement(CancelTask, ({ reason, task_id }) =>
        taskIdOf(task_id).pipe(
          Effect.flatMap((id) => tasks.cancel(id, Option.fromNullable(reason))),
          Effect.map((task) => taskReport(task, console))
        ))
    ]
  )
