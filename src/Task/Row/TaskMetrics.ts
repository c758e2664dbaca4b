import type { TaskStatus } from "@troupe/domain/Task"
import { counter, gauge, histogram, open, secondsUpTo } from "../../Runtime/Telemetry/Metrics.ts"

export const actorsActive = gauge("troupe_actors_active", "Tasks that have an actor in this process.")

const actorsWoken = counter("troupe_actors_woken", "Due tasks that this process has claimed.", {
  reason: ["first", "resume", "recovery"]
})

const wakeUpSeconds = histogram(
  "troupe_wake_up_delay_seconds",
  "Time from when a task became due to its claim, except for recovered tasks.",
  secondsUpTo(300)
)

const actorsParked = counter("troupe_actors_parked", "Actors that ended because their task waits.", {
  reason: ["human", "subtasks", "timer"]
})

export const actorsFenced = counter(
  "troupe_actors_fenced",
  "Actors that ended because another claim or a command had taken their task."
)

export const actorsCrashed = counter("troupe_actors_crashed", "Crashes of actors.")

export const tasksEnded = counter("troupe_tasks_ended", "Tasks and subtasks that have ended.", {
  outcome: ["completed", "failed", "cancelled"]
})

const steps = counter("troupe_steps", "Steps that actors journalled.", { kind: open })

export const commitSeconds = histogram(
  "troupe_journal_commit_seconds",
  "Duration of the commit of a group of steps.",
  secondsUpTo(30)
)

export const groupSteps = histogram(
  "troupe_journal_group_steps",
  "Steps committed together.",
  [1, 2, 4, 8, 16, 32, 64, 128, 256]
)

export const shardsHeld = gauge("troupe_shards_held", "Shards whose tasks this process runs.")

export const claimed = (reason: "first" | "resume" | "recovery", waited: number): void => {
  actorsWoken(1, { reason })
  if (reason !== "recovery") wakeUpSeconds(waited)
}

/** `parks`: whether the step ends the run of the task, which then waits. */
export const journalled = (kind: string, status: TaskStatus, parks: boolean): void => {
  steps(1, { kind })
  if (status === "completed" || status === "failed") return tasksEnded(1, { outcome: status })
  if (!parks) return
  actorsParked(1, {
    reason: status === "waiting_input" ? "human" : status === "waiting_subagents" ? "subtasks" : "timer"
  })
}
