import type { TaskId } from "@troupe/domain/Ids"

/** Where people see a task, below the public address of the service. */
export const taskAddress = ({ href }: URL, taskId: TaskId): string =>
  new URL(`task/${taskId}`, href.endsWith("/") ? href : `${href}/`).href
