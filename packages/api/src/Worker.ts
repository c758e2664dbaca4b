import { TaskId } from "@troupe/domain/Ids"
import { TaskStatus } from "@troupe/domain/Task"
import { maxCount } from "@troupe/domain/TaskCounts"
import { Timestamp } from "@troupe/domain/Timestamp"
import { Schema } from "effect"

const Address = Schema.String.annotations({ description: "host:port of the worker" })

/** The state of one task on the workers. */
export const WorkerStatus = Schema.Struct({
  task_id: TaskId,
  status: TaskStatus.annotations({ description: "The task's status" }),
  active: Schema.Boolean.annotations({ description: "Whether a worker is running the task" }),
  runner: Schema.NullOr(Schema.Struct({ address: Address })).annotations({
    description: "The worker that runs the task"
  }),
  queue_job_id: Schema.NullOr(Schema.String).annotations({
    description: "Id of the wake-up that started the current run"
  }),
  iteration_count: Schema.Int.annotations({ description: "Model steps so far" }),
  last_step_at: Schema.NullOr(Timestamp).annotations({ description: "When the last step was saved" }),
  next_wakeup_at: Schema.NullOr(Timestamp).annotations({
    description: "When the task is due next, or a failed call of the model is made again; null: on an event"
  })
}).annotations({ identifier: "WorkerStatus" })

/** The state of all workers. */
export const WorkerHealthReport = Schema.Struct({
  status: Schema.Literal("healthy", "degraded", "down").annotations({
    description:
      "down: no live worker; degraded: a due task has waited for more than 30 s, a heartbeat is late, or the last "
      + "run of a job failed"
  }),
  runners: Schema.Array(Schema.Struct({
    address: Address,
    shards: Schema.Int.annotations({ description: "Shards that it owns" }),
    active_tasks: Schema.Int.annotations({ description: "Tasks that it runs" }),
    queued_tasks: Schema.Int.annotations({ description: `Due tasks that are queued to it, up to ${maxCount}` }),
    last_seen_at: Schema.NullOr(Timestamp).annotations({ description: "Its last heartbeat" })
  })).annotations({ description: "The workers, including those whose heartbeat is late" }),
  pending_jobs: Schema.Int.annotations({ description: `Due tasks that no worker has claimed, up to ${maxCount}` }),
  oldest_pending: Schema.NullOr(Schema.Struct({
    task_id: TaskId,
    since: Timestamp.annotations({ description: "When it was due" })
  })).annotations({
    description: "The due task that has waited the longest; of more than are counted, one of the oldest"
  }),
  backlog_seconds: Schema.NullOr(Schema.Int).annotations({
    description: `How long the due tasks take at the pace of the last ten minutes, estimated from ${maxCount} on; `
      + "null: tasks are due, and none has ended in that time"
  }),
  scheduled_jobs: Schema.Array(Schema.Struct({
    name: Schema.String.annotations({ description: "Name of the job" }),
    scope: Schema.Literal("process", "cluster").annotations({
      description: "process: each process runs it; cluster: one process runs it for all"
    }),
    last_run_at: Schema.NullOr(Timestamp).annotations({ description: "Its last run" }),
    next_run_at: Schema.NullOr(Timestamp).annotations({ description: "Its next run" }),
    last_error: Schema.NullOr(Schema.String).annotations({ description: "Why the last run failed" })
  })).annotations({ description: "The scheduled jobs of all processes" })
}).annotations({ identifier: "WorkerHealth" })
export type WorkerHealthReport = typeof WorkerHealthReport.Type

/** The scheduled job that reads the mail inbox; mail is healthy if its last run succeeded. */
export const inboxJob = "inbox monitor"
