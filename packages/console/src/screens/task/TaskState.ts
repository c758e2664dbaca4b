import type { Task } from "@troupe/client"

/** Whether it failed because its token budget is too small: a retry has the same one. */
export const isOverBudget = ({ error, status, token_budget }: Task): boolean =>
  status === "failed" && token_budget !== null && error?.includes("token budget") === true &&
  !error.startsWith("Cancelled")

export const isFinished = ({ status }: Pick<Task, "status">): boolean => status === "completed" || status === "failed"
