import { SqlClient } from "@effect/sql/SqlClient"
import type { TaskId } from "@troupe/domain/Ids"
import type { OutboxId } from "@troupe/domain/Outbox"
import { type ChatReply, chatThreadKey } from "@troupe/domain/TeamChat"
import { Effect, Option, Schema } from "effect"
import { AttemptFailed } from "../Queue/AttemptFailed.ts"
import { rowsOf, theRow } from "../Runtime/Database/Query.ts"

/** A message with buttons, as its `progress` has it once it is posted. */
export const PostedButtons = Schema.Struct({ channel: Schema.String, ts: Schema.String, text: Schema.String })
type PostedButtons = typeof PostedButtons.Type

/** Where a task's messages were sent: a reply there concerns the task. A failure is an `AttemptFailed`. */
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
select 'email', ${messageId}, id, ${addresses.length === 0 ? null : addresses}::text[], ${call}::text
from tasks where id = ${taskId}::uuid on conflict do nothing`.pipe(orLater, Effect.asVoid),
    addChat: (taskId: TaskId, thread: Pick<ChatReply, "channel" | "thread_ts">) =>
      sql`insert into task_threads (channel, key, task_id)
select 'chat', ${chatThreadKey(thread)}, id from tasks where id = ${taskId}::uuid on conflict do nothing`.pipe(
        orLater,
        Effect.asVoid
      ),
    /** The first thread of the task in this channel, as its `thread_ts`; null: none yet. */
    firstInChat: (taskId: TaskId, channel: string) =>
      sql`select min(substr(key, length(${`${channel}/`}::text) + 1)) as ts from task_threads
where task_id = ${taskId}::uuid and channel = 'chat' and starts_with(key, ${`${channel}/`})`.pipe(
        orLater,
        Effect.flatMap((rows) => theRow(firsts(Effect.succeed(rows)))),
        Effect.map(({ ts }) => ts)
      ),
    /** The posted message with buttons of this entry of the outbox; none: it had none, or was not posted. */
    buttonsOf: (id: OutboxId) =>
      sql`select progress from outbox where id = ${id}::uuid`.pipe(
        orLater,
        Effect.map(([row]) => buttonsIn(row?.["progress"]))
      )
  }
})
export type MessageThreads = Effect.Effect.Success<typeof makeMessageThreads>

const firsts = rowsOf(Schema.Struct({ ts: Schema.NullOr(Schema.String) }))

/** Of the `progress` of a message. */
export const buttonsIn = (progress: unknown): Option.Option<PostedButtons> =>
  Option.flatMapNullable(decodeProgress(progress), ({ buttons }) => buttons)

const decodeProgress = Schema.decodeUnknownOption(
  Schema.parseJson(Schema.Struct({ buttons: Schema.optional(PostedButtons) }))
)
