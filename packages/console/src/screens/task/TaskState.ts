import type { Task } from "@troupe/client"

export const isFinished = ({ status }: Pick<Task, "status">): boolean => status === "completed" || status === "failed"
