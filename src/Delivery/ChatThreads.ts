import { type ChatReply, chatThreadKey } from "@troupe/domain/ChatReply"
import type { TaskId } from "@troupe/domain/Ids"
import { Context, Effect, Layer, Option, Schema } from "effect"
import { type Prepared, PreparedStatements } from "../Runtime/PreparedStatements.ts"
import { DeliveryFailed } from "./OutboxChannel.ts"

/** The conversations on the chat platform that tasks speak in: what is said there concerns the task. */
export class ChatThreads extends Context.Tag("troupe/Delivery/ChatThreads")<ChatThreads, {
  readonly add: (
    taskId: TaskId,
    thread: Pick<ChatReply, "channel" | "thread_ts">
  ) => Effect.Effect<void, DeliveryFailed>
  /** The first thread of the task in this channel, as its `thread_ts`; null: none yet. */
  readonly first: (taskId: TaskId, channel: string) => Effect.Effect<string | null, DeliveryFailed>
}>() {
  static readonly layer: Layer.Layer<ChatThreads, never, PreparedStatements> = Layer.effect(
    this,
    Effect.map(PreparedStatements, ({ execute }) =>
      ChatThreads.of({
        add: (taskId, thread) =>
          Effect.mapBoth(execute(added, [taskId, chatThreadKey(thread)]), {
            onFailure: unavailable,
            onSuccess: () => undefined
          }),
        first: (taskId, channel) =>
          execute(first, [taskId, `${channel}/`]).pipe(
            Effect.flatMap(decodeFirst),
            Effect.mapBoth({ onFailure: unavailable, onSuccess: ([{ ts }]) => ts })
          )
      }))
  )
}

const unavailable = () =>
  new DeliveryFailed({
    kind: "later",
    reason: "The database was unavailable while the message was being sent.",
    retryAfter: Option.none()
  })

const decodeFirst = Schema.decodeUnknown(Schema.Tuple(Schema.Struct({ ts: Schema.NullOr(Schema.String) })))

const first: Prepared = {
  name: "chat_threads_first",
  text: `select min(substr(key, length($2::text) + 1)) as ts from task_threads
where task_id = $1::uuid and channel = 'chat' and starts_with(key, $2::text)`
}

const added: Prepared = {
  name: "chat_threads_add",
  text: `insert into task_threads (channel, key, task_id)
select 'chat', $2::text, id from tasks where id = $1::uuid on conflict do nothing`
}
