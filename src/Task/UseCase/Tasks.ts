import type { ApprovalDecision } from "@troupe/api/ApprovalsApi"
import type { AnyTaskEvent, TaskEvent } from "@troupe/api/TaskEvent"
import type { TaskFilter, TaskQuery } from "@troupe/api/TaskFilter"
import type { ChatRequest, UsageQuery } from "@troupe/api/TaskRequests"
import type { WorkerStatus } from "@troupe/api/Worker"
import type { Caller, NotAllowed } from "@troupe/domain/Caller"
import type { ReplyWay } from "@troupe/domain/DeliveryWay"
import { type ScheduleId, TaskId, type UserId } from "@troupe/domain/Ids"
import type { MessageView } from "@troupe/domain/Message"
import type { OpeningConversation } from "@troupe/domain/OpeningConversation"
import type { SearchUnfinished } from "@troupe/domain/Search"
import type { Shown } from "@troupe/domain/Shown"
import {
  type IdempotencyConflict,
  type Task,
  TaskNotFound,
  type TaskRequestInvalid,
  type TaskSourceKind,
  type TaskStateConflict,
  type ToolAccess
} from "@troupe/domain/Task"
import type { TaskCounts } from "@troupe/domain/TaskCounts"
import { type UserUsage } from "@troupe/domain/Usage"
import type { UserNotFound } from "@troupe/domain/User"
import { Context, Effect, type Option, Schema, type Stream } from "effect"
import { createHash } from "node:crypto"
import type { Claim } from "../../Agent/Definition/AgentClaims.ts"
import type { ById } from "../../People/User/Access.ts"
import type { Page } from "../../Runtime/Database/Page.ts"
import type { AnswerTo } from "../Command/TaskCommands.ts"
import type { ListedTasks } from "../Read/TaskConditions.ts"
import type { DecisionRefused } from "./Approvals.ts"

export interface IdempotencyKey {
  readonly caller: Caller
  readonly key: string
  readonly digest: string
}

/** Where the questions and the result of a task go beside the feed. */
export interface Reply {
  readonly channel: ReplyWay
  /** The address as the channel's own JSON. */
  readonly to: string
}

export interface WebhookFacts {
  readonly type: string
  readonly payload: string
  readonly headers: string
  readonly sourceIp: string | null
}

/** External trigger of a task (webhook, mail, chat). Untrusted text: `context` is marked data before it gets here. */
export interface TaskSource {
  readonly kind: TaskSourceKind
  /** Less than all where its sender is unknown. */
  readonly toolAccess: ToolAccess
  /** The sender is unknown to the service: the task sends one message, and another for each further mail. */
  readonly isAnsweredOnce?: boolean
  readonly context?: string | null
  /** What the context, and files that came with the request, show the model. */
  readonly shown?: Shown
  readonly reply?: Reply | null
  /** Keys of the conversations whose later messages concern the task, in the reply's channel. */
  readonly threads?: ReadonlyArray<string>
  readonly webhook?: WebhookFacts
  readonly scheduleId?: ScheduleId
  /** What an agent may claim: the channel, type of webhook or mailbox by which it came. */
  readonly claim?: Claim
}

/** What `POST /chat` may say of a task beside the message. */
type RequestOptions = {
  readonly [Field in Exclude<keyof ChatRequest, "assignee" | "continue_from" | "message" | "user_id">]?:
    | ChatRequest[Field]
    | null
    | undefined
}

/** A request for a task. Every source submits its tasks through `Tasks.submit`. */
export interface TaskRequest extends RequestOptions {
  readonly message: string
  readonly user_id: UserId
  readonly assignee?: UserId | null | undefined
  /** The messages of the task that it continues, instead of what came of it. */
  readonly conversation?: OpeningConversation | undefined
  /** Why it is refused, unless it repeats an accepted request. */
  readonly refused?: TaskRequestInvalid | undefined
  /** The caller's Idempotency-Key, unique for the caller, and a digest of the whole request. */
  readonly idempotency?: IdempotencyKey | undefined
  /** Undefined for a request to the API. */
  readonly source?: TaskSource | undefined
}

type NotChanged = TaskNotFound | TaskStateConflict | NotAllowed

/** The use-cases of tasks: submit, read, answer, cancel, retry and delete. */
export class Tasks extends Context.Tag("troupe/Task/UseCase/Tasks")<Tasks, {
  readonly submit: (
    request: TaskRequest
  ) => Effect.Effect<Task, IdempotencyConflict | TaskRequestInvalid>
  readonly largestIterations: () => number
  /** The conversation of a finished task, with which a new task of `creator` begins. */
  readonly conversationOf: (
    id: TaskId,
    creator: UserId
  ) => Effect.Effect<OpeningConversation, TaskNotFound | NotAllowed>
  readonly find: (id: TaskId) => Effect.Effect<Task, TaskNotFound>
  /** The same with no log lines, which costs as much for a long task as for a short one. */
  readonly findWithoutLogs: (id: TaskId) => Effect.Effect<Task, TaskNotFound>
  /** The tasks that are not archived, unless the query says otherwise, from the newest on. */
  readonly list: (query: ListedTasks) => Effect.Effect<Page<Task, TaskId>, SearchUnfinished>
  /** How many tasks of such a list have each status. */
  readonly counts: (filter: ById<TaskFilter>) => Effect.Effect<TaskCounts, SearchUnfinished>
  readonly subtasks: (
    id: TaskId,
    page: Pick<TaskQuery, "limit" | "cursor">
  ) => Effect.Effect<Page<Task, TaskId>, TaskNotFound | SearchUnfinished>
  /** Undoes an archiving; a task that is not archived stays as it is. */
  readonly restore: (id: TaskId) => Effect.Effect<Task, TaskNotFound | NotAllowed>
  /** Cancels the task if it has not ended, and archives it. An archived one stays as it is. */
  readonly archive: (id: TaskId) => Effect.Effect<void, TaskNotFound | NotAllowed>
  /** The first call archives the task, and cancels it if it has not ended; the second deletes it with all its data. */
  readonly remove: (id: TaskId) => Effect.Effect<void, TaskNotFound | NotAllowed>
  /** Deletes those of the tasks that are archived and that the caller may delete; returns them and their subtasks. */
  readonly removeArchived: (ids: ReadonlyArray<TaskId>) => Effect.Effect<ReadonlyArray<TaskId>>
  readonly answer: (
    id: TaskId,
    response: string,
    userId: Option.Option<UserId>,
    options?: Omit<AnswerTo, "given"> & {
      /** The fields of the question's form. */
      readonly fields?: Readonly<Record<string, unknown>> | null | undefined
    }
  ) => Effect.Effect<Task, NotChanged | TaskRequestInvalid>
  /** Decides about calls that ask: all of the decisions apply, or none. */
  readonly decide: (
    id: TaskId,
    decisions: ReadonlyArray<ApprovalDecision>,
    userId: Option.Option<UserId>
  ) => Effect.Effect<Task, DecisionRefused>
  /**
   * The next model call includes it, and a wait ends. It answers a task that asks; a finished task is continued by a
   * new one. The result is the task that got the message.
   * With `mayContinue` false, it fails for a finished task.
   */
  readonly message: (
    id: TaskId,
    text: string,
    userId: Option.Option<UserId>,
    options?: AnswerTo & { readonly mayContinue?: boolean }
  ) => Effect.Effect<Task, NotChanged | TaskRequestInvalid>
  /** As `message`, once: with the same key and digest, a later call gets the same task and sends nothing. */
  readonly messageOnce: (
    id: TaskId,
    text: string,
    userId: Option.Option<UserId>,
    idempotency: IdempotencyKey
  ) => Effect.Effect<Task, NotChanged | TaskRequestInvalid | IdempotencyConflict>
  /** `by`: the user who cancels, where that is not the caller. */
  readonly cancel: (
    id: TaskId,
    reason: Option.Option<string>,
    by?: UserId
  ) => Effect.Effect<Task, NotChanged>
  /** Cancels the unfinished tasks that the caller may change, in one statement; returns the cancelled tasks. */
  readonly cancelAll: (
    ids: ReadonlyArray<TaskId>,
    reason: Option.Option<string>
  ) => Effect.Effect<ReadonlyArray<TaskId>>
  readonly retry: (id: TaskId) => Effect.Effect<Task, NotChanged>
  /** The conversation as the model sees it; with `full`, the older messages in place of their summary. */
  readonly messages: (
    id: TaskId,
    full?: boolean
  ) => Effect.Effect<ReadonlyArray<MessageView>, TaskNotFound | NotAllowed>
  /** Past events after `after`, then live ones, without a gap; ends after the terminal status. */
  readonly events: (id: TaskId, after: Option.Option<string>) => Effect.Effect<Stream.Stream<TaskEvent>, TaskNotFound>
  /** Log lines and statuses of all tasks after `after`, else from now on, without a gap. */
  readonly allEvents: (after: Option.Option<string>) => Effect.Effect<Stream.Stream<AnyTaskEvent>>
  readonly usage: (userId: UserId, period?: UsageQuery) => Effect.Effect<UserUsage, UserNotFound | SearchUnfinished>
  readonly workerStatus: (id: TaskId) => Effect.Effect<typeof WorkerStatus.Type, TaskNotFound>
}>() {}

const knownForm = Schema.is(TaskId)

export const taskIdOf = (id: string): Effect.Effect<TaskId, TaskNotFound> =>
  knownForm(id) ? Effect.succeed(id) : Effect.fail(new TaskNotFound({ id }))

/** Decoding fixes the order of the fields and drops unknown ones, so equal requests have equal digests. */
export const idempotencyOf = (caller: Caller, key: string | undefined, request: object): IdempotencyKey | undefined =>
  key === undefined
    ? undefined
    : { caller, key, digest: createHash("sha256").update(JSON.stringify(request)).digest("hex") }

/** As `taskIdOf`, for a use-case. */
export const onTask = <A, E, R>(
  { task_id }: { readonly task_id: string },
  use: (id: TaskId) => Effect.Effect<A, E, R>
): Effect.Effect<A, E | TaskNotFound, R> => Effect.flatMap(taskIdOf(task_id), use)
