import { MailReplyJson } from "@troupe/domain/Mailbox"
import type { OutboxId } from "@troupe/domain/Outbox"
import {
  type DeliveryChannel,
  isOutboxId,
  OutboxMessage,
  OutboxMessageNotFailed,
  OutboxMessageNotFound,
  type OutboxState
} from "@troupe/domain/Outbox"
import type { SearchUnfinished } from "@troupe/domain/Search"
import { ChatReplyJson } from "@troupe/domain/TeamChat"
import { Array, Context, Effect, Layer, Option, Schema } from "effect"
import { dueAgain } from "../Queue/QueueTable.ts"
import { idBefore, type PageRequest } from "../Runtime/Database/Page.ts"
import { type Prepared, PreparedStatements } from "../Runtime/Database/PreparedStatements.ts"
import { rowsOf } from "../Runtime/Database/Query.ts"
import { SearchStatements } from "../Runtime/Database/SearchStatements.ts"
import { timestamp } from "../Runtime/Database/TimestampColumn.ts"
import { allSubscriptions, outboxTable, sentAt } from "./Outbox.ts"

export interface OutboxFilter extends PageRequest<OutboxId> {
  readonly state: Option.Option<OutboxState>
  readonly channel: Option.Option<DeliveryChannel>
}

/** The outbox for operators. */
export class OutboxOperations extends Context.Tag("troupe/Delivery/OutboxOperations")<OutboxOperations, {
  readonly list: (filter: OutboxFilter) => Effect.Effect<ReadonlyArray<OutboxMessage>, SearchUnfinished>
  readonly retry: (id: string) => Effect.Effect<OutboxMessage, OutboxMessageNotFound | OutboxMessageNotFailed>
}>() {
  static readonly layer: Layer.Layer<OutboxOperations, never, PreparedStatements | SearchStatements> = Layer.effect(
    this,
    Effect.gen(function*() {
      const { execute } = yield* PreparedStatements
      const searches = yield* SearchStatements

      const retry = Effect.fn("OutboxOperations.retry")(function*(id: string) {
        if (!isOutboxId(id)) return yield* new OutboxMessageNotFound({ id })
        const [retried] = yield* messages(execute(retriedOne, [id]))
        if (retried !== undefined) return shown(retried)
        const [found] = yield* messages(execute(one, [id]))
        return yield* found === undefined
          ? new OutboxMessageNotFound({ id })
          : new OutboxMessageNotFailed({ id, state: found.state })
      })

      return OutboxOperations.of({
        retry,
        list: ({ channel, cursor, limit, state }) =>
          Effect.map(
            messages(
              searches.execute(listed, [Option.getOrNull(state), Option.getOrNull(channel), idBefore(cursor), limit])
            ),
            Array.map(shown)
          )
      })
    })
  )
}

const messages = rowsOf(OutboxMessage)

/** A task's reply shows its address or thread. */
const shown = (message: OutboxMessage): OutboxMessage => {
  const { channel, recipient } = message
  const reply = channel === "email"
    ? Option.map(Schema.decodeOption(MailReplyJson)(recipient), ({ address }) => address)
    : Option.map(Schema.decodeOption(ChatReplyJson)(recipient), ({ thread }) => thread)
  return { ...message, recipient: Option.getOrElse(reply, () => recipient) }
}

/** The recipient of an event is a subscription; its address is shown. */
const address = `coalesce(
    (select s.url from subscriptions s where s.id = case when m.channel = 'webhook' then nullif(m.recipient, '${allSubscriptions}')::uuid end),
    recipient
  ) as recipient`

const columns = `id::text, channel, ${address}, kind, user_id, task_id::text, notification_id::text, state, attempts,
  ${timestamp("case when state = 'pending' then due_at end", "next_attempt_at")}, last_error,
  ${timestamp("created_at", "created_at")}, ${timestamp(sentAt("m"), "sent_at")}`

const listed: Prepared = {
  name: "outbox_list",
  text: `select ${columns} from outbox m
where ($1::text is null or state = $1) and ($2::text is null or channel = $2) and id < $3::uuid
order by id desc limit $4::integer`
}

const one: Prepared = {
  name: "outbox_find",
  text: `select ${columns} from outbox m where id = $1::uuid`
}

const retriedOne: Prepared = {
  name: "outbox_retry",
  text: `with retried as (
  update outbox set ${dueAgain(outboxTable)}
  where id = $1::uuid and state = 'failed' returning *
)
select ${columns}, pg_notify('troupe_outbox', '') from retried m`
}
