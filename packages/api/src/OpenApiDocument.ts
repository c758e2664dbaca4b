import type { Task, TaskLogEntry, TaskOutput, Usage } from "@troupe/domain/Task"
import { Predicate, Record } from "effect"
import { parameterExamples, requestExamples, schemaExamples } from "./Examples.ts"
import { problemMediaType } from "./Problem.ts"

const task: Record<keyof Task, string> = {
  id: "Task id: time-sortable",
  title: "Title",
  description: "The request",
  status: "Status of the task",
  created_at: "When it was created",
  updated_at: "When it last changed",
  progress: "0 to 100",
  question: "The pending question, when status is waiting_input",
  plan: "The agent's plan",
  last_tool_call_id: "The waiting tool call: its id, or a JSON array of ids as text",
  checkpoint_thread_id: "Thread of the saved state: task-<id> from the first run until the task is completed",
  logs: "Log lines; empty in lists",
  outputs: "Results and files; empty in lists",
  creator: "The owner",
  assignee: "The user who answers its questions",
  source: "What made it: team chat, mail, a schedule or a webhook; null for a request to the API",
  webhook_type: "The type of webhook that created it",
  webhook_payload: "The payload of the webhook; null in lists",
  webhook_headers: "The webhook's headers, secrets redacted; null in lists",
  source_ip: "Where the webhook came from",
  celery_task_id: "Id of the wake-up that started the current run",
  parent_task_id: "The task that dispatched this subtask",
  task_type: "task or subtask",
  agent_type: "The kind of subagent",
  token_budget: "Tokens it may use; null: no limit",
  tokens_used: "Tokens used so far",
  error: "Why it failed, and what to do about it",
  archived_at: "When it was archived",
  project_id: "Channel or project it belongs to",
  attachments: "Names of the files that came with it",
  iteration_count: "Model steps so far",
  usage: "Tokens and calls so far",
  started_at: "When a worker first took it",
  completed_at: "When it ended",
  continued_from: "The task that it follows up"
}

const logEntry: Record<keyof TaskLogEntry, string> = {
  id: "Orders the lines and resumes an event stream",
  timestamp: "When it happened",
  level: "debug, info, warning or error",
  event: "What kind of thing happened",
  message: "What happened, in words",
  data: "Its facts"
}

const output: Record<keyof TaskOutput, string> = {
  id: "Output id",
  type: "text or file",
  content: "The text",
  filename: "The file, in the user's sandbox",
  size: "Bytes of the file",
  created_at: "When it was created"
}

const usage: Record<keyof Usage, string> = {
  input_tokens: "Tokens sent to the model",
  output_tokens: "Tokens the model wrote",
  model_calls: "Calls of the model",
  cost: "Cost of the model calls by MODEL_PRICES; null while a call has no price, and without calls",
  tool_calls: "Calls of tools"
}

const described: Record<string, Record<string, string>> = {
  Task: task,
  TaskLogEntry: logEntry,
  TaskOutput: output,
  Usage: usage,
  UserUsage: {
    ...usage,
    user_id: "User id",
    tasks: "Tasks of the user, without subtasks",
    unpriced_tasks: "Tasks and subtasks without a cost, because a model call had no price"
  }
}

const anyProblem = {
  description:
    "Any other problem: the request is invalid, not allowed, too large or too frequent, or the service is unavailable",
  content: { [problemMediaType]: { schema: { $ref: "#/components/schemas/Problem" } } }
}

const isObject = Predicate.isReadonlyRecord
const at = (value: unknown, key: string): Record.ReadonlyRecord<string, unknown> => {
  const inner = isObject(value) ? value[key] : undefined
  return isObject(inner) ? inner : {}
}

/** Facts of a problem, by the name of the field. */
const facts: Record<string, string> = {
  reason: "Why",
  id: "The id of the request",
  path: "The field of the request",
  key: "The idempotency key",
  because: "What was different about the earlier request",
  status: "The status of the task",
  wanted: "What its status does not allow",
  name: "The name of the request",
  user_id: "The user of the request",
  email: "The e-mail address of the request",
  max_users: "Number of seats",
  limit: "Maximum number"
}

const isFacts = (schema: unknown) => "_tag" in at(schema, "properties")

const withDescriptions = (name: string, schema: unknown): unknown => {
  if (!isObject(schema) || !isObject(schema["properties"])) return schema
  const names = isFacts(schema) ? facts : described[name] ?? {}
  const example = schemaExamples[name]
  return {
    ...schema,
    ...(example === undefined ? {} : { examples: [example] }),
    properties: Record.map(
      schema["properties"],
      (field, key) => isObject(field) && names[key] !== undefined ? { description: names[key], ...field } : field
    )
  }
}

const isProblemStatus = (status: string) => /^[45]/.test(status)

/** Errors of one status are one content, under the type that all of them have. */
const withMediaType = (response: unknown): unknown =>
  isObject(response)
    ? { ...response, content: { [problemMediaType]: Object.values(at(response, "content"))[0] } }
    : response

const withExample = (parameter: unknown): unknown =>
  isObject(parameter) && parameter["in"] === "path"
    ? { ...parameter, example: parameterExamples[String(parameter["name"])] }
    : parameter

const withExamples = (operation: Record.ReadonlyRecord<string, unknown>) => {
  const { parameters, requestBody } = operation
  const example = Object.entries(requestExamples).find(([id]) => id === operation["operationId"])?.[1]
  return {
    ...operation,
    ...(Array.isArray(parameters) ? { parameters: parameters.map(withExample) } : {}),
    ...(isObject(requestBody) && example !== undefined
      ? {
        requestBody: {
          ...requestBody,
          content: Record.map(at(requestBody, "content"), (body) => (isObject(body) ? { ...body, example } : body))
        }
      }
      : {})
  }
}

const completed = (operation: unknown): unknown => {
  if (!isObject(operation)) return operation
  const { 400: _, ...declared } = at(operation, "responses")
  return {
    ...withExamples(operation),
    summary: summaryOf(operation["description"]),
    responses: {
      ...Record.map(declared, (response, status) => isProblemStatus(status) ? withMediaType(response) : response),
      default: anyProblem
    }
  }
}

/** What viewers list: the description up to its first details. */
const summaryOf = (description: unknown) => /^[^;:.(]+/.exec(String(description))?.[0].trim() ?? ""

/** Completes the derived document with descriptions of the domain's fields, examples and the default problem. */
export const document = (spec: { readonly [key: string]: unknown }) => {
  const { HttpApiDecodeError: _, Issue: __, ...schemas } = at(at(spec, "components"), "schemas")
  return {
    ...spec,
    paths: Record.map(at(spec, "paths"), (path) => (isObject(path) ? Record.map(path, completed) : path)),
    components: {
      ...at(spec, "components"),
      schemas: Record.map(schemas, (schema, name) => withDescriptions(name, schema))
    }
  }
}
