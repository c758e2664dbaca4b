import { counter, gauge, histogram, open, secondsUpTo } from "../Runtime/Metrics.ts"
import type { StepWrite } from "./StepWrite.ts"

export const actorsActive = gauge("troupe_actors_active", "Tasks that have an actor in this process.")

const actorsWoken = counter("troupe_actors_woken", "Due tasks that this process has claimed.", {
  reason: ["first", "resume", "recovery"]
})

const wakeUpSeconds = histogram(
  "troupe_wake_up_delay_seconds",
  "From when a task fell due to its claim, unless an actor had it before.",
  secondsUpTo(300)
)

const actorsParked = counter("troupe_actors_parked", "Actors that ended because their task waits.", {
  reason: ["human", "subtasks", "timer"]
})

export const actorsFenced = counter(
  "troupe_actors_fenced",
  "Actors whose step came too late: another one, or a cancel, has their task."
)

export const actorsCrashed = counter("troupe_actors_crashed", "Times that an actor crashed.")

export const tasksEnded = counter("troupe_tasks_ended", "Tasks and subtasks that came to an end.", {
  outcome: ["completed", "failed", "cancelled"]
})

const steps = counter("troupe_steps", "Steps that actors journalled.", { kind: open })

export const commitSeconds = histogram(
  "troupe_journal_commit_seconds",
  "How long a group of steps took to be committed.",
  secondsUpTo(30)
)

export const groupSteps = histogram(
  "troupe_journal_group_steps",
  "How many steps were committed together.",
  [1, 2, 4, 8, 16, 32, 64, 128, 256]
)

export const shardsHeld = gauge("troupe_shards_held", "Shards whose tasks this process runs.")

/** `waited`: seconds since the task was due. One whose actor fell was due all along. */
export const claimed = (reason: "first" | "resume" | "recovery", waited: number): void => {
  actorsWoken(1, { reason })
  if (reason !== "recovery") wakeUpSeconds(waited)
}

/** What a step that stands in the journal says of its task. */
export const journalled = ({ state: { status }, step: { kind }, wake }: StepWrite): void => {
  steps(1, { kind })
  if (status === "completed" || status === "failed") return tasksEnded(1, { outcome: status })
  if (wake._tag === "Keep" || kind === "crashed") return
  actorsParked(1, {
    reason: status === "waiting_input" ? "human" : status === "waiting_subagents" ? "subtasks" : "timer"
  })
}
