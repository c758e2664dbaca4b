import type { TaskId } from "@troupe/domain/Ids"

/** An address below the public one, which may have a path, with or without a slash at its end. */
export const addressBelow = ({ href }: URL, path: string): URL => new URL(path, href.endsWith("/") ? href : `${href}/`)

/** Where people open the console of the service at the address. */
export const consoleAddress = (publicUrl: URL): URL => addressBelow(publicUrl, "console/")

/** Where people see a task. */
export const taskAddress = (console: URL, taskId: TaskId): string => addressBelow(console, `tasks/${taskId}`).href
