import { SqlClient } from "@effect/sql/SqlClient"
import type { TaskId } from "@troupe/domain/Ids"
import type { OutboxId } from "@troupe/domain/Outbox"
import { type ChatReply, chatThreadKey } from "@troupe/domain/TeamChat"
import { Context, Effect, Layer, Option, Schema } from "effect"
import { AttemptFailed } from "../Queue/AttemptFailed.ts"
import { rowsOf, theRow } from "../Runtime/Database/Query.ts"

/** A message with buttons, as its `progress` has it once it is posted. */
export const PostedButtons = Schema.Struct({ channel: Schema.String, ts: Schema.String, text: Schema.String })
type PostedButtons = typeof PostedButtons.Type

/** Where a task's messages were sent: a reply there concerns the task. */
export class MessageThreads extends Context.Tag("troupe/Delivery/MessageThreads")<MessageThreads, {
  /**
   * `messageId` with angle brackets. Replies of these addresses reach the task, whoever they are. `call`: it is the
   * question of that call.
   */
  readonly addMail: (
    taskId: TaskId,
    messageId: string,
    mail: { readonly addresses: ReadonlyArray<string>; readonly call: string | null }
  ) => Effect.Effect<void, AttemptFailed>
  readonly addChat: (
    taskId: TaskId,
    thread: Pick<ChatReply, "channel" | "thread_ts">
  ) => Effect.Effect<void, AttemptFailed>
  /** The first thread of the task in this channel, as its `thread_ts`; null: none yet. */
  readonly firstInChat: (taskId: TaskId, channel: string) => Effect.Effect<string | null, AttemptFailed>
  /** The posted message with buttons of this entry of the outbox; none: it had none, or was not posted. */
  readonly buttonsOf: (id: OutboxId) => Effect.Effect<Option.Option<PostedButtons>, AttemptFailed>
}>() {
  static readonly layer: Layer.Layer<MessageThreads, never, SqlClient> = Layer.effect(
    this,
    Effect.map(SqlClient, (sql) => {
      const orLater = Effect.mapError(() =>
        AttemptFailed.later("The database was unavailable while the message was being sent.")
      )
      return MessageThreads.of({
        addMail: (taskId, messageId, { addresses, call }) =>
          sql`insert into task_threads (channel, key, task_id, addresses, call)
select 'email', ${messageId}, id, ${addresses.length === 0 ? null : addresses}::text[], ${call}::text
from tasks where id = ${taskId}::uuid on conflict do nothing`.pipe(orLater, Effect.asVoid),
        addChat: (taskId, thread) =>
          sql`insert into task_threads (channel, key, task_id)
select 'chat', ${chatThreadKey(thread)}, id from tasks where id = ${taskId}::uuid on conflict do nothing`.pipe(
            orLater,
            Effect.asVoid
          ),
        firstInChat: (taskId, channel) =>
          sql`select min(substr(key, length(${`${channel}/`}::text) + 1)) as ts from task_threads
where task_id = ${taskId}::uuid and channel = 'chat' and starts_with(key, ${`${channel}/`})`.pipe(
            orLater,
            Effect.flatMap((rows) => theRow(firsts(Effect.succeed(rows)))),
            Effect.map(({ ts }) => ts)
          ),
        buttonsOf: (id) =>
          sql`select progress from outbox where id = ${id}::uuid`.pipe(
            orLater,
            Effect.map(([row]) => buttonsIn(row?.["progress"]))
          )
      })
    })
  )
}

const firsts = rowsOf(Schema.Struct({ ts: Schema.NullOr(Schema.String) }))

/** Of the `progress` of a message. */
export const buttonsIn = (progress: unknown): Option.Option<PostedButtons> =>
  Option.flatMapNullable(decodeProgress(progress), ({ buttons }) => buttons)

const decodeProgress = Schema.decodeUnknownOption(
  Schema.parseJson(Schema.Struct({ buttons: Schema.optional(PostedButtons) }))
)
