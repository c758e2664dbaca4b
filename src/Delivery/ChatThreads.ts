import { type ChatReply, chatThreadKey } from "@troupe/domain/ChatReply"
import type { TaskId } from "@troupe/domain/Ids"
import { Context, Effect, Layer, Option } from "effect"
import { type Prepared, PreparedStatements } from "../Runtime/PreparedStatements.ts"
import { DeliveryFailed } from "./OutboxChannel.ts"

/** The conversations on the chat platform that tasks speak in: what is said there concerns the task. */
export class ChatThreads extends Context.Tag("troupe/Delivery/ChatThreads")<ChatThreads, {
  readonly add: (
    taskId: TaskId,
    thread: Pick<ChatReply, "channel" | "thread_ts">
  ) => Effect.Effect<void, DeliveryFailed>
}>() {
  static readonly layer: Layer.Layer<ChatThreads, never, PreparedStatements> = Layer.effect(
    this,
    Effect.map(PreparedStatements, ({ execute }) =>
      ChatThreads.of({
        add: (taskId, thread) =>
          Effect.mapBoth(execute(added, [taskId, chatThreadKey(thread)]), {
            onFailure: () =>
              new DeliveryFailed({
                kind: "later",
                reason: "The database was unavailable while the message was being sent.",
                retryAfter: Option.none()
              }),
            onSuccess: () => undefined
          })
      }))
  )
}

const added: Prepared = {
  name: "chat_threads_add",
  text: `insert into task_threads (channel, key, task_id)
select 'chat', $2::text, id from tasks where id = $1::uuid on conflict do nothing`
}
