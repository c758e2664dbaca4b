import { DateTime, Schema } from "effect"
import type { AskedCall } from "./Approval.ts"
import { isShownWhole } from "./AskedText.ts"
import { recordId, TaskId, UserId } from "./Ids.ts"
import { Delivery } from "./Outbox.ts"
import type { Resulted, Step } from "./Step.ts"
import { EndedBy } from "./Task.ts"
import type { TaskEnd } from "./TaskEnd.ts"
import { announcedResultOf, endOf } from "./TaskOutcome.ts"
import { withChoices } from "./Text.ts"
import { Timestamp } from "./Timestamp.ts"

export const NotificationKind = Schema.Literal("completion", "question", "failure", "reminder", "alarm")
export type NotificationKind = typeof NotificationKind.Type

export const NotificationId = recordId("NotificationId", "Notification id: a time-sortable UUIDv7")
export type NotificationId = typeof NotificationId.Type

export const causedAt = (id: NotificationId): string =>
  DateTime.formatIso(DateTime.unsafeMake(Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)))

/** The index of the notification among those of its step; `notification_id` defines the format of the id. */
export const notificationIndexOf = (id: NotificationId): number => Number.parseInt(id.slice(20, 23), 16)

export const Notification = Schema.Struct({
  id: NotificationId,
  user_id: UserId.annotations({ description: "The user whose feed it is in" }),
  task_id: Schema.NullOr(TaskId).annotations({ description: "The task it is about" }),
  kind: NotificationKind.annotations({ description: "completion, question, failure, reminder or alarm" }),
  title: Schema.String.annotations({
    description: "The task's title; of one that was completed at a limit, this says so first"
  }),
  body: Schema.String.annotations({
    description: "The result, question, message or reason of failure; truncated if long"
  }),
  ended_by: Schema.NullOr(EndedBy).annotations({
    description: "Why the task ended, as in the task; null: it is about no end"
  }),
  read: Schema.Boolean.annotations({ description: "Whether it is marked as read" }),
  created_at: Timestamp.annotations({ description: "When the event happened" }),
  read_at: Schema.NullOr(Timestamp).annotations({ description: "When it was first marked as read" }),
  deliveries: Schema.Array(Delivery).annotations({
    description: "Where it goes beside the feed; a sent one is listed for 30 days"
  })
}).annotations({ identifier: "Notification" })
export type Notification = typeof Notification.Type

export class NotificationNotFound extends Schema.TaggedError<NotificationNotFound>()("NotificationNotFound", {
  user_id: Schema.String,
  id: Schema.String
}) {
  override get message() {
    return `User ${this.user_id} has no notification ${this.id}.`
  }
}

/** For the task's creator; a question goes to the assignee, if there is one. */
export interface NotificationContent {
  readonly kind: NotificationKind
  readonly body: string
  readonly files?: ReadonlyArray<string>
  /** Of an end of the task. */
  readonly end?: TaskEnd
  /** Of a question that waits for its answer: the call that asked, and what to choose from. */
  readonly asked?: {
    readonly call: string
    readonly choices: ReadonlyArray<string>
    /** The calls that it asks about, of an approval. */
    readonly rows?: ReadonlyArray<AskedRow>
  }
}

/** A call in a question for approval. */
export interface AskedRow {
  readonly approval: string
  readonly call: string
  readonly isDestructive: boolean
  /** The question shows all of its arguments. */
  readonly isWhole: boolean
}

/** The journal stores only their number, so a kind of step may only get new notifications at the end. */
export const notificationsOf = (step: Step): ReadonlyArray<NotificationContent> => {
  switch (step.kind) {
    case "model":
    case "forced": {
      const result = announcedResultOf(step)
      if (result === null) return []
      const files = (step.files ?? []).map(({ filename }) => filename)
      return [{ kind: "completion", body: result, ...(files.length === 0 ? {} : { files }), ...withEnd(step) }]
    }
    case "results":
      return [
        ...(step.notices ?? []).map((body): NotificationContent => ({ kind: "question", body })),
        ...(step.asked === undefined || step.asked.limit !== undefined ? [] : [questionOf(step.asked, step.asking)])
      ]
    case "cancelled":
      return step.silent === true ? [] : [{ kind: "failure", body: step.error, ...withEnd(step) }]
    case "failed":
      return [{ kind: "failure", body: step.error, ...withEnd(step) }]
    default:
      return []
  }
}

const withEnd = (step: Step): Pick<NotificationContent, "end"> => {
  const end = endOf(step)
  return end === null ? {} : { end }
}

const questionOf = (
  { choices = [], id, question }: NonNullable<Resulted["asked"]>,
  asking: Resulted["asking"]
): NotificationContent => ({
  kind: "question",
  body: withChoices(question, choices),
  asked: { call: id, choices, ...(asking === undefined ? {} : { rows: asking.map(askedRowOf) }) }
})

const askedRowOf = (call: AskedCall, _at: number, { length }: ReadonlyArray<AskedCall>): AskedRow => ({
  approval: call.approval,
  call: call.id,
  isDestructive: call.class === "destructive",
  isWhole: isShownWhole(call, length === 1)
})
