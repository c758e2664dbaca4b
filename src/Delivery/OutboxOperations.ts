import { MailReplyJson } from "@troupe/domain/Mailbox"
import {
  DeliveryChannel,
  OutboxId,
  OutboxMessage,
  OutboxMessageNotFailed,
  OutboxMessageNotFound,
  type OutboxState
} from "@troupe/domain/Outbox"
import type { SearchUnfinished } from "@troupe/domain/Search"
import { ChatReplyJson, chatThreadKey } from "@troupe/domain/TeamChat"
import { Context, Effect, Either, Layer, Option, Schema } from "effect"
import { type Prepared, PreparedStatements, type Row } from "../Runtime/PreparedStatements.ts"
import { SearchStatements } from "../Runtime/SearchStatements.ts"
import { timestamp } from "../Runtime/TimestampColumn.ts"

export interface OutboxFilter {
  readonly state: Option.Option<OutboxState>
  readonly channel: Option.Option<DeliveryChannel>
  readonly limit: number
  readonly cursor: Option.Option<OutboxId>
}

/** How many messages of a channel are queued, the age of the oldest, and how many are dead letters. */
export const OutboxCounts = Schema.Struct({
  channel: DeliveryChannel,
  waiting: Schema.Int,
  oldestSeconds: Schema.Number,
  failed: Schema.Int
})
export type OutboxCounts = typeof OutboxCounts.Type

/** The outbox for operators. */
export class OutboxOperations extends Context.Tag("troupe/Delivery/OutboxOperations")<OutboxOperations, {
  readonly list: (filter: OutboxFilter) => Effect.Effect<ReadonlyArray<OutboxMessage>, SearchUnfinished>
  readonly retry: (id: string) => Effect.Effect<OutboxMessage, OutboxMessageNotFound | OutboxMessageNotFailed>
  /** Only the channels that have some. */
  readonly counts: Effect.Effect<ReadonlyArray<OutboxCounts>, SearchUnfinished>
}>() {
  static readonly layer: Layer.Layer<OutboxOperations, never, PreparedStatements | SearchStatements> = Layer.effect(
    this,
    Effect.gen(function*() {
      const { execute } = yield* PreparedStatements
      const searches = yield* SearchStatements
      const search = (statement: Prepared, values: ReadonlyArray<unknown>) =>
        Effect.catchTag(searches.execute(statement, values), "SqlError", Effect.die)

      const retry = Effect.fn("OutboxOperations.retry")(function*(id: string) {
        if (!isOutboxId(id)) return yield* new OutboxMessageNotFound({ id })
        const [retried] = yield* Effect.orDie(execute(retriedOne, [id]))
        if (retried !== undefined) return yield* messageOf(retried)
        const [found] = yield* Effect.orDie(execute(one, [id]))
        if (found === undefined) return yield* new OutboxMessageNotFound({ id })
        return yield* new OutboxMessageNotFailed({ id, state: (yield* messageOf(found)).state })
      })

      return OutboxOperations.of({
        retry,
        list: ({ channel, cursor, limit, state }) =>
          Effect.flatMap(
            search(listed, [
              Option.getOrNull(state),
              Option.getOrNull(channel),
              Option.getOrElse(cursor, () => lastId),
              limit
            ]),
            Effect.forEach(messageOf)
          ),
        counts: Effect.flatMap(search(counted, []), (rows) => Effect.orDie(decodeCounts(rows)))
      })
    })
  )
}

const isOutboxId = Schema.is(OutboxId)
const lastId = "ffffffff-ffff-ffff-ffff-ffffffffffff"

const decodeCounts = Schema.decodeUnknown(Schema.Array(OutboxCounts))

const messageOf = (row: Row): Effect.Effect<OutboxMessage> =>
  Effect.orDie(
    Effect.map(Schema.decodeUnknown(OutboxMessage)(row), (message) => ({
      ...message,
      recipient: shownRecipient(message)
    }))
  )

/** A task's reply shows its address or thread. */
const shownRecipient = ({ channel, recipient }: OutboxMessage): string =>
  channel === "email"
    ? Either.match(Schema.decodeEither(MailReplyJson)(recipient), {
      onLeft: () => recipient,
      onRight: ({ address }) => address
    })
    : Either.match(Schema.decodeEither(ChatReplyJson)(recipient), {
      onLeft: () => recipient,
      onRight: chatThreadKey
    })

const columns = `id::text, channel, recipient, kind, user_id, task_id::text, notification_id::text, state, attempts,
  ${timestamp("case when state = 'pending' then next_attempt_at end", "next_attempt_at")}, last_error,
  ${timestamp("created_at", "created_at")}, ${timestamp("sent_at", "sent_at")}`

const listed: Prepared = {
  name: "outbox_list",
  text: `select ${columns} from outbox
where ($1::text is null or state = $1) and ($2::text is null or channel = $2) and id < $3::uuid
order by id desc limit $4::integer`
}

const one: Prepared = {
  name: "outbox_find",
  text: `select ${columns} from outbox where id = $1::uuid`
}

const retriedOne: Prepared = {
  name: "outbox_retry",
  text: `with retried as (
  update outbox set state = 'pending', attempts = 0, handed_over = false, next_attempt_at = now()
  where id = $1::uuid and state = 'failed' returning *
)
select ${columns}, pg_notify('troupe_outbox', '') from retried`
}

/** Apart, so that each part reads its own small index. */
const counted: Prepared = {
  name: "outbox_counts",
  text:
    `select channel, sum(waiting)::integer as waiting, max(age)::float8 as "oldestSeconds", sum(failed)::integer as failed
from (
  select channel, count(*) as waiting, extract(epoch from now() - min(created_at)) as age, 0 as failed
  from outbox where state in ('pending', 'sending') group by channel
  union all
  select channel, 0, 0, count(*) from outbox where state = 'failed' group by channel
) parts group by channel order by channel`
}
