import type { Task, TaskOutput } from "@troupe/domain/Task"
import type { ResourceLink, ToolAnswer } from "./McpTool.ts"
import { outputUri } from "./OutputUri.ts"

/** Maximum length of a result in an answer; the whole text is a resource. */
const maxResult = 20_000

const resultOf = ({ outputs }: Task): string | null => {
  const text = outputs.findLast(({ type }) => type === "text")?.content ?? null
  return text === null || text.length <= maxResult
    ? text
    : `${text.slice(0, maxResult)}\n[cut after ${maxResult} characters; the output's resource has the whole text]`
}

export const linkOf = ({ id, title }: Task, output: TaskOutput): ResourceLink => ({
  uri: outputUri(id, output.id),
  name: output.filename ?? `Result of ${title}`,
  ...(output.type === "text" ? { mimeType: "text/markdown" } : {}),
  ...(output.size === null ? {} : { size: output.size })
})

/** A task in a list. */
export const summaryOf = (task: Task) => ({
  task_id: task.id,
  title: task.title,
  status: task.status,
  progress: task.progress,
  question: task.question,
  creator: task.creator,
  created_at: task.created_at,
  completed_at: task.completed_at
})

/** A task with its result and its newest `logs` log lines; its outputs are links to resources. */
export const reportOf = (task: Task, logs = 0): ToolAnswer => ({
  content: {
    ...summaryOf(task),
    plan: task.plan,
    result: resultOf(task),
    error: task.error,
    tokens_used: task.tokens_used,
    outputs: task.outputs.map(({ filename, id, size, type }) => ({
      uri: outputUri(task.id, id),
      type,
      filename,
      size
    })),
    ...(logs === 0 ? {} : {
      logs: task.logs.slice(-logs).map(({ level, message, timestamp }) => ({ timestamp, level, message }))
    })
  },
  links: task.outputs.map((output) => linkOf(task, output))
})
