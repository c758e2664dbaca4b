import type { TaskId } from "@troupe/domain/Ids"
import { Context, Effect, Layer, Option } from "effect"
import { type Prepared, PreparedStatements } from "../Runtime/PreparedStatements.ts"
import { DeliveryFailed } from "./OutboxChannel.ts"

/** The mails of each task, by their Message-IDs: an answer to one of them concerns the task. */
export class MailThreads extends Context.Tag("troupe/Delivery/MailThreads")<MailThreads, {
  /** `messageId` with angle brackets. Replies of these addresses reach the task, whoever they are. */
  readonly add: (
    taskId: TaskId,
    messageId: string,
    addresses: ReadonlyArray<string>
  ) => Effect.Effect<void, DeliveryFailed>
}>() {
  static readonly layer: Layer.Layer<MailThreads, never, PreparedStatements> = Layer.effect(
    this,
    Effect.map(PreparedStatements, ({ execute }) =>
      MailThreads.of({
        add: (taskId, messageId, addresses) =>
          Effect.mapBoth(execute(added, [taskId, messageId, addresses.length === 0 ? null : addresses]), {
            onFailure: () =>
              new DeliveryFailed({
                kind: "later",
                reason: "The database was unavailable before the mail could be sent.",
                retryAfter: Option.none()
              }),
            onSuccess: () => undefined
          })
      }))
  )
}

const added: Prepared = {
  name: "mail_threads_add",
  text: `insert into task_threads (channel, key, task_id, addresses)
select 'email', $2::text, id, $3::text[] from tasks where id = $1::uuid on conflict do nothing`
}
