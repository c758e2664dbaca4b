import { DateTime, Schema } from "effect"
import { TaskId, UserId } from "./Ids.ts"
import type { Step } from "./Step.ts"
import { Timestamp } from "./Task.ts"
import { announcedResultOf } from "./TaskLog.ts"

/** What a notification tells of: a task came to an end, somebody is asked or told something, or a time has come. */
export const NotificationKind = Schema.Literal("completion", "question", "failure", "reminder")
export type NotificationKind = typeof NotificationKind.Type

/** A notification's id: a UUIDv7 (RFC 9562), so ids sort by the time at which they were caused. */
export const NotificationId = Schema.UUID.pipe(Schema.lowercased(), Schema.brand("NotificationId")).annotations({
  description: "Notification id: a time-sortable UUIDv7"
})
export type NotificationId = typeof NotificationId.Type

/** When the notification was caused: the time in its id. */
export const causedAt = (id: NotificationId): string =>
  DateTime.formatIso(DateTime.unsafeMake(Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)))

/** Which of its step's notices it is: migration 0003 says how such an id is made. */
export const placeOf = (id: NotificationId): number => Number.parseInt(id.slice(20, 23), 16)

/** One thing that a user is told, once (contract.md 4). */
export const Notification = Schema.Struct({
  id: NotificationId,
  user_id: UserId.annotations({ description: "Who is told" }),
  task_id: Schema.NullOr(TaskId).annotations({ description: "The task it is about" }),
  kind: NotificationKind.annotations({ description: "completion, question, failure or reminder" }),
  title: Schema.String.annotations({ description: "What it is about: the task's title" }),
  body: Schema.String.annotations({
    description: "What came out, what is asked or said, or why it failed; cut if long"
  }),
  read: Schema.Boolean.annotations({ description: "Whether it was marked as read" }),
  created_at: Timestamp.annotations({ description: "When it was caused" }),
  read_at: Schema.NullOr(Timestamp).annotations({ description: "When it was first marked as read" })
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

/** What a step tells the creator of its task; a question goes to the task's assignee, if it has one. */
export interface Notice {
  readonly kind: NotificationKind
  readonly body: string
  /** Files of the creator's sandbox that go with it. */
  readonly files?: ReadonlyArray<string>
}

/**
 * What a step of a task (never of a subtask) gives notice of, in order (service.md, "Notification delivery"): an end
 * with its result (and what cut it short) or reason, a question, and messages that wait for no answer. The journal stores only how many there
 * are; what they say is derived here whenever it is read, so notices are only ever added behind those there are.
 */
export const noticesOf = (step: Step): ReadonlyArray<Notice> => {
  switch (step.kind) {
    case "model":
    case "forced": {
      const result = announcedResultOf(step)
      if (result === null) return []
      const files = (step.files ?? []).map(({ filename }) => filename)
      return [{ kind: "completion", body: result, ...(files.length === 0 ? {} : { files }) }]
    }
    case "results":
      return [
        ...(step.notices ?? []).map((body): Notice => ({ kind: "question", body })),
        ...(step.asked === undefined ? [] : [{ kind: "question", body: step.asked.question } satisfies Notice])
      ]
    case "cancelled":
    case "failed":
      return [{ kind: "failure", body: step.error }]
    default:
      return []
  }
}
