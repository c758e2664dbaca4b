import type { SearchUnfinished } from "@troupe/domain/Search"
import { FailedWebhook, WebhookDelivery, type WebhookDeliveryId, WebhookQueueStats } from "@troupe/domain/Webhook"
import { Context, Effect, Layer, Option, Schema } from "effect"
import { asService } from "../../Runtime/Isolation.ts"
import { type Prepared, PreparedStatements, type Row } from "../../Runtime/PreparedStatements.ts"
import { SearchStatements } from "../../Runtime/SearchStatements.ts"
import { storable } from "../../Runtime/StorableText.ts"
import { timestamp } from "../../Runtime/TimestampColumn.ts"
import { InboundSource, type NewInboundMessage } from "../InboundMessage.ts"

export interface DeliveryFilter {
  readonly source: WebhookDelivery["source"]
  readonly type: Option.Option<string>
  readonly state: Option.Option<WebhookDelivery["state"]>
  readonly limit: number
  readonly cursor: Option.Option<WebhookDeliveryId>
}

/** A delivery as it arrived; its body is null once it was deleted. */
export interface KeptDelivery extends Omit<NewInboundMessage, "body" | "deliveryId" | "orderingKey"> {
  readonly body: Uint8Array | null
}

/** The queue, as the API shows it. */
export class WebhookRepo extends Context.Tag("troupe/Intake/Webhook/WebhookRepo")<WebhookRepo, {
  readonly stats: Effect.Effect<WebhookQueueStats, SearchUnfinished>
  readonly recentFailures: Effect.Effect<ReadonlyArray<typeof FailedWebhook.Type>, SearchUnfinished>
  /** Whether a worker is alive, and whether there ever was one. */
  readonly workers: Effect.Effect<{ readonly isLive: boolean; readonly wasLive: boolean }, SearchUnfinished>
  readonly list: (filter: DeliveryFilter) => Effect.Effect<ReadonlyArray<WebhookDelivery>, SearchUnfinished>
  readonly read: (id: WebhookDeliveryId) => Effect.Effect<Option.Option<KeptDelivery>>
  /** Makes a failed delivery due again, as the one that it was. */
  readonly requeue: (id: WebhookDeliveryId) => Effect.Effect<void>
}>() {
  static readonly layer = (options: { readonly lockExpirationSeconds: number }): Layer.Layer<
    WebhookRepo,
    never,
    PreparedStatements | SearchStatements
  > =>
    Layer.effect(
      this,
      Effect.gen(function*() {
        const { execute } = yield* PreparedStatements
        const searches = yield* SearchStatements
        const search = <A, I>(schema: Schema.Schema<A, I>, statement: Prepared, ...values: ReadonlyArray<unknown>) =>
          asService(searches.execute(statement, values)).pipe(
            Effect.catchTag("SqlError", Effect.die),
            Effect.flatMap(decoded(schema))
          )
        const first = <A>(rows: ReadonlyArray<A>) =>
          rows[0] === undefined ? Effect.dieMessage("An aggregate gave no row") : Effect.succeed(rows[0])
        return WebhookRepo.of({
          stats: Effect.flatMap(search(WebhookQueueStats, stats), first),
          recentFailures: search(FailedWebhook, recentFailures),
          workers: Effect.flatMap(search(Workers, workers, options.lockExpirationSeconds), first),
          list: ({ cursor, limit, source, state, type }) =>
            search(
              WebhookDelivery,
              list,
              limit,
              Option.getOrNull(cursor),
              Option.getOrNull(Option.map(type, storable)),
              Option.getOrNull(state),
              source
            ),
          read: (id) =>
            Effect.orDie(asService(execute(read, [id]))).pipe(
              Effect.flatMap(decoded(Kept)),
              Effect.map(([found]) => Option.fromNullable(found))
            ),
          requeue: (id) => Effect.asVoid(Effect.orDie(asService(execute(requeue, [id]))))
        })
      })
    )
}

const decoded = <A, I>(schema: Schema.Schema<A, I>) => {
  const decode = Schema.decodeUnknown(Schema.Array(schema))
  return (rows: ReadonlyArray<Row>) => Effect.orDie(decode(rows))
}

const Workers = Schema.Struct({ isLive: Schema.Boolean, wasLive: Schema.Boolean })

const Kept = Schema.Struct({
  source: InboundSource,
  type: Schema.String,
  body: Schema.NullOr(Schema.Uint8ArrayFromSelf),
  headers: Schema.parseJson(Schema.Record({ key: Schema.String, value: Schema.String })),
  contentType: Schema.NullOr(Schema.String),
  url: Schema.String,
  sourceIp: Schema.NullOr(Schema.String),
  sender: Schema.NullOr(Schema.String),
  isVerified: Schema.Boolean
})

/** Each count is a range of an index. */
const stats: Prepared = {
  name: "webhooks_stats",
  text: `select pending, processing, (
  select count(*)::integer from inbound_messages where source = 'webhook' and state = 'failed'
) as failed
from (
  select count(*) filter (where state = 'pending')::integer as pending,
    count(*) filter (where state = 'processing')::integer as processing
  from inbound_messages where source = 'webhook' and due_at is not null
) unfinished`
}

const recentFailures: Prepared = {
  name: "webhooks_recent_failures",
  text: `select id::text, coalesce(last_error, '') as error, ${timestamp("ended_at", "\"timestamp\"")}
from inbound_messages where source = 'webhook' and state = 'failed' order by inbound_messages.ended_at desc limit 20`
}

const workers: Prepared = {
  name: "webhooks_workers",
  text: `select coalesce(bool_or(last_heartbeat > localtimestamp - make_interval(secs => $1)), false) as "isLive",
  count(*) > 0 or exists (select from inbound_messages where source = 'webhook' and ended_at is not null) as "wasLive"
from cluster_runners`
}

const list: Prepared = {
  name: "webhooks_list",
  text:
    `select id::text, source, type as webhook_type, delivery_id, state, attempts::integer, last_error as error, task_id::text,
  content_type, octet_length(body) as size, source_ip, ${timestamp("received_at", "received_at")}, ${
      timestamp("case when state = 'pending' then due_at end", "next_attempt_at")
    }, ${timestamp("ended_at", "ended_at")}
from inbound_messages m
where source = $5::text and ($2::uuid is null or id < $2::uuid) and ($3::text is null or type = $3::text)
  and ($4::text is null or state = $4::text)
order by m.id desc limit $1::integer`
}

const read: Prepared = {
  name: "webhooks_read",
  text: `select source, type, body, headers, content_type as "contentType", url, source_ip as "sourceIp", sender,
  is_verified as "isVerified"
from inbound_messages where id = $1::uuid`
}

const requeue: Prepared = {
  name: "inbound_requeue",
  text: `update inbound_messages set state = 'pending', attempts = 0, due_at = now(), ended_at = null
where id = $1::uuid and state = 'failed' and body is not null`
}
