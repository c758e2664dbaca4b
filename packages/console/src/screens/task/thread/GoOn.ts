import type { NewTask, Task } from "@troupe/client"
import { isCut } from "../../../parts/EndedBy.ts"

/** What a task that was stopped needs to go on: more model calls, or more tokens. */
export interface More {
  readonly unit: "model calls" | "tokens"
  /** What is proposed: twice as many as it had. */
  readonly proposed: number
}

/** AGENT_MAX_ITERATIONS, unless it is set otherwise. */
export const usualMostCalls = 200

/** Null for a task that was not stopped, or by what no request sets, such as the cost limit of its agent. */
export const moreOf = (
  { end_label, ended_by, iteration_count, max_iterations, token_budget }: Task,
  mostCalls = usualMostCalls
): More | null => {
  if (ended_by === "limit") {
    const [, limit] = / (\d{1,6}) model calls?$/.exec(end_label ?? "") ?? []
    const had = limit === undefined ? max_iterations ?? iteration_count : Number(limit)
    return { unit: "model calls", proposed: Math.max(1, Math.min(had * 2, mostCalls)) }
  }
  return ended_by === "budget" && token_budget !== null ? { unit: "tokens", proposed: token_budget * 2 } : null
}

/**
 * The task that goes on after this one. One that was stopped starts where it stopped, unless its words say otherwise. `more`: how
 * many model calls or tokens it gets.
 */
export const continuationOf = (
  task: Task,
  { attachments, isWhole, message, more }: {
    readonly message: string
    readonly attachments: ReadonlyArray<string>
    /** Whether the agent sees the whole conversation instead of requests and outcomes. */
    readonly isWhole: boolean
    readonly more: number | null
  }
): NewTask => {
  const unit = moreOf(task)?.unit
  const isStopped = isCut(task.ended_by)
  return {
    // Without words of its own it stays the same work, under the same name.
    ...(isStopped && message.trim() === "" ? { message: "Go on.", title: task.title } : { message }),
    attachments,
    continue_task_id: task.id,
    continue_from: isWhole || isStopped ? "conversation" : "outcome",
    live: true,
    ...(more === null || unit === undefined
      ? {}
      : unit === "model calls"
      ? { max_iterations: more }
      : { max_tokens_total: more })
  }
}
