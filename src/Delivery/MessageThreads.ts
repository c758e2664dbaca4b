import { SqlClient } from "@effect/sql/SqlClient"
import { Approval } from "@troupe/domain/Approval"
import type { TaskId } from "@troupe/domain/Ids"
import type { OutboxId } from "@troupe/domain/Outbox"
import { Effect, Option, Schema, Struct } from "effect"
import { AttemptFailed } from "../Queue/AttemptFailed.ts"
import { rowsOf } from "../Runtime/Database/Query.ts"

/** A message with buttons, as its `progress` has it once it is posted. */
export const PostedButtons = Schema.Struct({
  conversation: Schema.propertySignature(Schema.String).pipe(Schema.fromKey("channel")),
  id: Schema.propertySignature(Schema.String).pipe(Schema.fromKey("ts")),
  /** Unset: by an earlier version, whose ids were times. */
  at: Schema.optionalWith(Schema.Number, { exact: true }),
  /** In the form of the platform. */
  text: Schema.String
})
export type PostedButtons = typeof PostedButtons.Type

/**
 * Where a task's messages were sent: a reply there concerns the task, or the one that dispatched it. A failure is an
 * `AttemptFailed`.
 */
export const makeMessageThreads = Effect.map(SqlClient, (sql) => {
  const orLater = Effect.mapError(() =>
    AttemptFailed.later("The database was unavailable while the message was being sent.")
  )
  return {
    /**
     * `messageId` with angle brackets. Replies of these addresses reach the task, whoever they are. `call`: the mail is the
     * question of that call.
     */
    addMail: (
      taskId: TaskId,
      messageId: string,
      { addresses, call }: { readonly addresses: ReadonlyArray<string>; readonly call: string | null }
    ) =>
      sql`insert into task_threads (channel, key, task_id, addresses, call)
select 'email', ${messageId}, coalesce(parent_task_id, id), ${
        addresses.length === 0 ? null : addresses
      }::text[], ${call}::text
from tasks where id = ${taskId}::uuid on conflict do nothing`.pipe(orLater, Effect.asVoid),
    addChat: (taskId: TaskId, thread: string) =>
      sql`insert into task_threads (channel, key, task_id)
select 'chat', ${thread}, coalesce(parent_task_id, id) from tasks where id = ${taskId}::uuid on conflict do nothing`
        .pipe(
          orLater,
          Effect.asVoid
        ),
    /** The task's conversations in the chat, the first ones first. */
    inChat: (taskId: TaskId) =>
      sql`select key from task_threads
where task_id = (select coalesce(parent_task_id, id) from tasks where id = ${taskId}::uuid) and channel = 'chat'
order by key`.pipe(
        orLater,
        Effect.flatMap((rows) => keys(Effect.succeed(rows))),
        Effect.map((found) => found.map(({ key }) => key))
      ),
    /** The calls about which this entry of the outbox asks, in their order, with what was decided; none: it asks about none. */
    decisionsOf: (id: OutboxId) =>
      sql`select p.id::text, p.tool_call_id, p.tool, p.server, p.status, p.edited, p.reason,
  coalesce(u.display_name, u.name, p.decided_by) as decided_by
from outbox o join notifications n on n.id = o.notification_id join steps s on s.task_id = n.task_id and s.seq = n.seq
  join approvals p on p.task_id = n.task_id and p.created_at = s.at left join users u on u.id = p.decided_by
where o.id = ${id}::uuid order by p.id`.pipe(orLater, Effect.flatMap((rows) => decisions(Effect.succeed(rows)))),
    /** The posted message with buttons of this entry of the outbox; none: it had none, or was not posted. */
    buttonsOf: (id: OutboxId) =>
      sql`select progress from outbox where id = ${id}::uuid`.pipe(
        orLater,
        Effect.map(([row]) => buttonsIn(row?.["progress"]))
      )
  }
})
export type MessageThreads = Effect.Effect.Success<typeof makeMessageThreads>

const Decision = Schema.Struct({
  ...Struct.pick(Approval.fields, "id", "tool_call_id", "tool", "server", "status", "edited"),
  reason: Schema.NullOr(Schema.String),
  /** The name of who decided. */
  decided_by: Schema.NullOr(Schema.String)
})
export type Decision = typeof Decision.Type

const decisions = rowsOf(Decision.annotations({ identifier: "ShownDecision" }))

const keys = rowsOf(Schema.Struct({ key: Schema.String }))

/** Of the `progress` of a message. */
export const buttonsIn = (progress: unknown): Option.Option<PostedButtons> =>
  Option.flatMapNullable(decodeProgress(progress), ({ buttons }) => buttons)

const decodeProgress = Schema.decodeUnknownOption(
  Schema.parseJson(Schema.Struct({ buttons: Schema.optional(PostedButtons) }))
)
