import type { Query } from "./EndpointCalls.ts"
import type * as Schemas from "./generated/OpenApi.ts"
import type { Subscription, Task, TaskLogEntry } from "./generated/OpenApi.ts"

export type * from "./generated/OpenApi.ts"

export type TaskStatus = Task["status"]
export type Usage = Task["usage"]["total"]
export type NewTask = Schemas.ChatRequest
export type NewSubscription = Schemas.SubscriptionRequest
export type SubscriptionEvent = Subscription["events"][number]
export type TaskQuery = Query<"/tasks">

/** One event of a task. All but pieces of text have an id that resumes the stream. */
export type TaskEvent =
  | { readonly _tag: "log"; readonly id: string; readonly entry: TaskLogEntry }
  | {
    readonly _tag: "status"
    readonly id: string
    readonly status: TaskStatus
    readonly error: string | null
    readonly ended_by: Task["ended_by"]
    readonly end_label?: Task["end_label"] | undefined
  }
  | { readonly _tag: "usage"; readonly id: string; readonly usage: Usage }
  | { readonly _tag: "text"; readonly delta: string }

/** One event of any task. `position` comes first and says where the stream began. */
export type AnyTaskEvent =
  | { readonly _tag: "archived" | "restored" | "deleted"; readonly id: string; readonly task_id: string }
  | { readonly _tag: "position"; readonly id: string }
  | { readonly _tag: "log"; readonly id: string; readonly task_id: string; readonly entry: TaskLogEntry }
  | {
    readonly _tag: "status"
    readonly id: string
    readonly task_id: string
    readonly status: TaskStatus
    readonly error: string | null
    readonly ended_by: Task["ended_by"]
    readonly end_label?: Task["end_label"] | undefined
  }
