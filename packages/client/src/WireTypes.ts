/** Plain types of what the service sends and accepts; a test compares them with its schemas. */
export type TaskStatus = "pending" | "running" | "completed" | "failed" | "waiting_input" | "waiting_subagents"

export interface Usage {
  readonly input_tokens: number
  readonly output_tokens: number
  readonly model_calls: number
  readonly tool_calls: number
  readonly cost: number | null
}

export interface TaskLogEntry {
  readonly id: string
  readonly timestamp: string
  readonly level: "debug" | "info" | "warning" | "error"
  readonly event:
    | "status"
    | "model"
    | "tool_call"
    | "tool_result"
    | "compaction"
    | "skill"
    | "subagent"
    | "notification"
    | "budget"
    | "error"
  readonly message: string
  readonly data: unknown
}

export interface TaskOutput {
  readonly id: string
  readonly type: "text" | "file"
  readonly content: string | null
  readonly filename: string | null
  readonly size: number | null
  readonly created_at: string
}

export interface WaitingFor {
  readonly reason: "answer" | "subtasks" | "timer" | "retry" | "place" | "shard"
  readonly since: string
  readonly until: string | null
  readonly who: string | null
  readonly detail: string
}

export interface Task {
  readonly id: string
  readonly title: string
  readonly description: string
  readonly status: TaskStatus
  readonly created_at: string
  readonly updated_at: string
  readonly progress: number
  readonly question: string | null
  readonly choices: ReadonlyArray<string>
  readonly waiting_for: WaitingFor | null
  readonly plan: string | null
  readonly last_tool_call_id: string | null
  readonly checkpoint_thread_id: string | null
  readonly logs: ReadonlyArray<TaskLogEntry>
  readonly outputs: ReadonlyArray<TaskOutput>
  readonly creator: string
  readonly assignee: string | null
  readonly source: "chat" | "email" | "schedule" | "webhook" | null
  readonly webhook_type: string | null
  readonly webhook_payload: unknown
  readonly webhook_headers: unknown
  readonly source_ip: string | null
  readonly celery_task_id: string | null
  readonly parent_task_id: string | null
  readonly task_type: "task" | "subtask"
  readonly agent_type: "general" | "research" | "tool-specialist" | null
  readonly token_budget: number | null
  readonly tokens_used: number
  readonly error: string | null
  readonly archived_at: string | null
  readonly project_id: string | null
  readonly attachments: ReadonlyArray<string>
  readonly iteration_count: number
  readonly usage: Usage
  readonly started_at: string | null
  readonly completed_at: string | null
  readonly continued_from: string | null
}

export interface NewTask {
  readonly message: string
  readonly user_id?: string | null
  readonly assignee?: string | null
  readonly title?: string | null
  readonly project_id?: string | null
  readonly attachments?: ReadonlyArray<string> | null
  readonly continue_task_id?: string | null
  readonly max_tokens_total?: number | null
  /** You are about to watch the task: its first model call then streams its text too. */
  readonly live?: boolean | null
}

/** One event of a task. All but pieces of text have an id that resumes the stream. */
export type TaskEvent =
  | { readonly _tag: "log"; readonly id: string; readonly entry: TaskLogEntry }
  | { readonly _tag: "status"; readonly id: string; readonly status: TaskStatus; readonly error: string | null }
  | { readonly _tag: "usage"; readonly id: string; readonly usage: Usage }
  | { readonly _tag: "text"; readonly delta: string }

/** One event of any task. `position` comes first and says where the stream began. */
export type AnyTaskEvent =
  | { readonly _tag: "position"; readonly id: string }
  | { readonly _tag: "log"; readonly id: string; readonly task_id: string; readonly entry: TaskLogEntry }
  | {
    readonly _tag: "status"
    readonly id: string
    readonly task_id: string
    readonly status: TaskStatus
    readonly error: string | null
  }

export interface Notification {
  readonly id: string
  readonly user_id: string
  readonly task_id: string | null
  readonly kind: "completion" | "question" | "failure" | "reminder"
  readonly title: string
  readonly body: string
  readonly read: boolean
  readonly created_at: string
  readonly read_at: string | null
  readonly deliveries: ReadonlyArray<Delivery>
}

/** The state of a notification on a channel beside the feed. */
export interface Delivery {
  readonly channel: "chat" | "email" | "webhook"
  readonly state: "pending" | "sent" | "failed"
  readonly attempts: number
  readonly last_error: string | null
  readonly sent_at: string | null
}

export interface User {
  readonly id: string
  readonly name: string | null
  readonly display_name: string | null
  readonly email: string | null
  readonly chat_user_id: string | null
  readonly title: string | null
  readonly timezone: string | null
  readonly role: "owner" | "admin" | "member"
  readonly responsibilities: string | null
  readonly avatar_url: string | null
  readonly is_system: boolean
  readonly notify_by: ReadonlyArray<"chat" | "email" | "ui">
  readonly overrides: ReadonlyArray<
    "name" | "display_name" | "email" | "title" | "timezone" | "responsibilities" | "notify_by"
  >
  readonly created_at: string
  readonly updated_at: string
}

export interface UserFile {
  readonly path: string
  readonly filename: string
  readonly size: number
  readonly content_type: string
  readonly modified_at: string
}

export interface UploadedFile {
  readonly user_id: string
  readonly filename: string
  readonly path: string
  readonly size: number
  readonly content_type: string
  readonly quota: { readonly used_bytes: number; readonly limit_bytes: number | null }
}

export type SubscriptionEvent =
  | "task.created"
  | "task.started"
  | "task.waiting"
  | "task.resumed"
  | "task.completed"
  | "task.failed"
  | "task.archived"

export interface SubscriptionDelivery {
  readonly id: string
  readonly event: SubscriptionEvent | "subscription.test"
  readonly task_id: string | null
  readonly state: "pending" | "sent" | "failed"
  readonly attempts: number
  readonly last_error: string | null
  readonly created_at: string
  readonly sent_at: string | null
}

export interface Subscription {
  readonly id: string
  readonly user_id: string
  readonly url: string
  readonly events: ReadonlyArray<SubscriptionEvent>
  readonly tasks: "own" | "all"
  readonly active: boolean
  readonly disabled_reason: string | null
  readonly created_at: string
  readonly last_delivery: SubscriptionDelivery | null
  readonly oldest_pending_at: string | null
}

/** `secret` verifies signatures (Standard Webhooks); it is not shown again. */
export interface CreatedSubscription extends Subscription {
  readonly secret: string
}

export interface NewSubscription {
  readonly url: string
  readonly events?: readonly [SubscriptionEvent, ...ReadonlyArray<SubscriptionEvent>] | null
  /** Default: a new one. */
  readonly secret?: string | null
  readonly tasks?: "own" | "all" | null
  readonly user_id?: string | null
}

/** One page of a list. `next` is the cursor of the following one; null: this is the last. */
export interface Page<A> {
  readonly items: ReadonlyArray<A>
  readonly next: string | null
}

export interface PageQuery {
  /** 1 to 1000; default 100. */
  readonly limit?: number
  readonly cursor?: string
}

export interface TaskQuery extends PageQuery {
  readonly status?: TaskStatus
  readonly creator?: string
  readonly assignee?: string
  readonly webhook_type?: string
  readonly task_type?: "task" | "subtask"
  readonly parent_task_id?: string
  /** Text in the title or the description. */
  readonly q?: string
  readonly include_archived?: boolean
}
