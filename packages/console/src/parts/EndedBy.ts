import type { Task } from "@troupe/client"

/** What completed a task before its agent was done. */
export type CutBy = "limit" | "budget"

export const isCut = (endedBy: Task["ended_by"]): endedBy is CutBy => endedBy === "limit" || endedBy === "budget"
