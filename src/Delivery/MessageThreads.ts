import type { TaskId } from "@troupe/domain/Ids"
import type { OutboxId } from "@troupe/domain/Outbox"
import { type ChatReply, chatThreadKey } from "@troupe/domain/TeamChat"
import { Context, Effect, Layer, Option, Schema } from "effect"
import { AttemptFailed } from "../Queue/AttemptFailed.ts"
import { type Prepared, PreparedStatements } from "../Runtime/Database/PreparedStatements.ts"

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
  static readonly layer: Layer.Layer<MessageThreads, never, PreparedStatements> = Layer.effect(
    this,
    Effect.map(PreparedStatements, ({ execute }) => {
      const run = (statement: Prepared, values: ReadonlyArray<unknown>) =>
        Effect.mapError(
          execute(statement, values),
          () => AttemptFailed.later("The database was unavailable while the message was being sent.")
        )
      return MessageThreads.of({
        addMail: (taskId, messageId, { addresses, call }) =>
          Effect.asVoid(run(addMail, [taskId, messageId, addresses.length === 0 ? null : addresses, call])),
        addChat: (taskId, thread) => Effect.asVoid(run(addChat, [taskId, chatThreadKey(thread)])),
        firstInChat: (taskId, channel) =>
          run(firstInChat, [taskId, `${channel}/`]).pipe(
            Effect.flatMap((rows) => Effect.orDie(decodeFirst(rows))),
            Effect.map(([{ ts }]) => ts)
          ),
        buttonsOf: (id) =>
          Effect.map(
            run(progressOf, [id]),
            ([row]) => buttonsIn(row?.["progress"])
          )
      })
    })
  )
}

const decodeFirst = Schema.decodeUnknown(Schema.Tuple(Schema.Struct({ ts: Schema.NullOr(Schema.String) })))

/** Of the `progress` of a message. */
export const buttonsIn = (progress: unknown): Option.Option<PostedButtons> =>
  Option.flatMapNullable(decodeProgress(progress), ({ buttons }) => buttons)

const decodeProgress = Schema.decodeUnknownOption(
  Schema.parseJson(Schema.Struct({ buttons: Schema.optional(PostedButtons) }))
)

const progressOf: Prepared = {
  name: "chat_progress_of",
  text: "select progress from outbox where id = $1::uuid"
}

const addMail: Prepared = {
  name: "mail_threads_add",
  text: `insert into task_threads (channel, key, task_id, addresses, call)
select 'email', $2::text, id, $3::text[], $4::text from tasks where id = $1::uuid on conflict do nothing`
}

const addChat: Prepared = {
  name: "chat_threads_add",
  text: `insert into task_threads (channel, key, task_id)
select 'chat', $2::text, id from tasks where id = $1::uuid on conflict do nothing`
}

const firstInChat: Prepared = {
  name: "chat_threads_first",
  text: `select min(substr(key, length($2::text) + 1)) as ts from task_threads
where task_id = $1::uuid and channel = 'chat' and starts_with(key, $2::text)`
}
