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
import { equals, leadingOf, newestFirst } from "../Runtime/Database/LedOrder.ts"
import { idBefore, type PageRequest } from "../Runtime/Database/Page.ts"
import { prepared, PreparedStatements } from "../Runtime/Database/PreparedStatements.ts"
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
        const [retried] = yield* messages(execute(retriedOne({ id })))
        if (retried !== undefined) return shown(retried)
        const [found] = yield* messages(execute(one({ id })))
        return yield* found === undefined
          ? new OutboxMessageNotFound({ id })
          : new OutboxMessageNotFailed({ id, state: found.state })
      })

      return OutboxOperations.of({
        retry,
        list: ({ channel, cursor, limit, state }) =>
          Effect.map(
            messages(
              searches.execute(
                listed(leadingOf({ state: Option.isSome(state), channel: Option.isSome(channel) }))({
                  state: Option.getOrNull(state),
                  channel: Option.getOrNull(channel),
                  before: idBefore(cursor),
                  limit
                })
              )
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

const listed = (leading: string | null) =>
  prepared(
    "outbox_list",
    ["state", "channel", "before", "limit"],
    `select ${columns} from outbox m
where ($state::text is null or ${equals("state", leading)}) and ($channel::text is null or ${
      equals("channel", leading)
    })
  and m.id < $before::uuid
${newestFirst(leading)} limit $limit::integer`
  )

const one = prepared("outbox_find", ["id"], `select ${columns} from outbox m where id = $id::uuid`)

const retriedOne = prepared(
  "outbox_retry",
  ["id"],
  `with retried as (
  update outbox set ${dueAgain(outboxTable)}
  where id = $id::uuid and state = 'failed' returning *
)
select ${columns}, pg_notify('troupe_outbox', '') from retried m`
)
