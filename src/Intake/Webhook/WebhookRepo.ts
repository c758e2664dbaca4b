import { SqlClient } from "@effect/sql/SqlClient"
import type { TaskId } from "@troupe/domain/Ids"
import { maxCount } from "@troupe/domain/TaskCounts"
import { FailedWebhook, WebhookDelivery, type WebhookDeliveryId, WebhookQueueStats } from "@troupe/domain/Webhook"
import { Effect, Option, Schema } from "effect"
import { isUtf8 } from "node:buffer"
import { dueAgain } from "../../Queue/QueueTable.ts"
import { asService } from "../../Runtime/Database/Isolation.ts"
import { equals, leadingOf, newestFirst } from "../../Runtime/Database/LedOrder.ts"
import type { PageRequest } from "../../Runtime/Database/Page.ts"
import { prepared, type Query } from "../../Runtime/Database/PreparedStatements.ts"
import { rowsOf } from "../../Runtime/Database/Query.ts"
import { SearchStatements } from "../../Runtime/Database/SearchStatements.ts"
import { storable } from "../../Runtime/Database/StorableText.ts"
import { timestamp } from "../../Runtime/Database/TimestampColumn.ts"
import { decodeText } from "../../Runtime/TextDecoding.ts"
import { inboundColumns, InboundMessage, inboundTable } from "../InboundMessage.ts"

export interface DeliveryFilter extends PageRequest<WebhookDeliveryId> {
  readonly source: WebhookDelivery["source"]
  readonly type?: string | undefined
  readonly state?: WebhookDelivery["state"] | undefined
  readonly task_id?: TaskId | undefined
}

/** A delivery as it arrived; its body is null once it was deleted. */
const KeptDelivery = Schema.Struct({ ...InboundMessage.fields, body: Schema.NullOr(Schema.Uint8ArrayFromSelf) })

/** The last character may be cut; compressed bytes are no text. */
const textOf = (bytes: Uint8Array): string | null => {
  const whole = [0, 1, 2, 3].map((cut) => bytes.subarray(0, bytes.length - cut)).find(isUtf8) ?? bytes
  const text = decodeText(whole)
  return /\ufffd|[^\P{Cc}\t\r\n]/u.test(text) ? null : text
}

/** A delivery whose beginning is still bytes. */
const ListedDelivery = Schema.Struct({
  ...WebhookDelivery.fields,
  beginning: Schema.NullOr(
    Schema.transform(Schema.Uint8ArrayFromSelf, Schema.NullOr(Schema.String), {
      strict: true,
      decode: textOf,
      encode: (text) => new TextEncoder().encode(text ?? "")
    })
  )
})

export interface WorkerLease {
  /** After a heartbeat, how long a worker counts as alive. */
  readonly lockExpirationSeconds: number
}

/** The queue, as the API shows it. */
export const makeWebhookRepo = ({ lockExpirationSeconds }: WorkerLease) =>
  Effect.zipWith(SqlClient, SearchStatements, (sql, searches) => {
    const search = <A, I>(schema: Schema.Schema<A, I>, query: Query) =>
      rowsOf(schema)(asService(searches.execute(query)))
    const first = <A>(rows: ReadonlyArray<A>) =>
      rows[0] === undefined ? Effect.dieMessage("An aggregate gave no row") : Effect.succeed(rows[0])
    return {
      stats: Effect.flatMap(search(WebhookQueueStats, stats({})), first),
      recentFailures: search(FailedWebhook, recentFailures({})),
      /** Whether a worker is alive, and whether there ever was one. */
      workers: Effect.flatMap(search(Workers, workers({ lockExpiration: lockExpirationSeconds })), first),
      list: ({ cursor, limit, source, state, task_id, type }: DeliveryFilter) =>
        search(
          ListedDelivery,
          list(leadingOf({ type: type !== undefined, state: state !== undefined }))({
            limit,
            before: Option.getOrNull(cursor),
            type: type === undefined ? null : storable(type),
            state: state ?? null,
            source,
            task: task_id ?? null
          })
        ),
      find: (id: WebhookDeliveryId) =>
        listed(asService(sql`select ${sql.literal(columns)} from inbound_messages where id = ${id}::uuid`)),
      read: (id: WebhookDeliveryId) =>
        kept(asService(sql`select ${sql.literal(inboundColumns)} from inbound_messages where id = ${id}::uuid`)),
      /** Makes a failed delivery due again, as the one that it was. */
      requeue: (id: WebhookDeliveryId) =>
        Effect.orDie(asService(
          sql`update inbound_messages set ${sql.literal(dueAgain(inboundTable))}
where id = ${id}::uuid and state = 'failed' and body is not null`
        ))
    }
  })

const listed = rowsOf(ListedDelivery)
const kept = rowsOf(KeptDelivery)

const Workers = Schema.Struct({ isLive: Schema.Boolean, wasLive: Schema.Boolean })

const counted = (state: string) =>
  `(select count(*)::integer from (
  select from inbound_messages where source = 'webhook' and state = '${state}' limit ${maxCount}
) counted) as ${state}`

const stats = prepared(
  "webhooks_stats",
  [],
  `select ${["pending", "processing", "failed"].map(counted).join(", ")}`
)

const recentFailures = prepared(
  "webhooks_recent_failures",
  [],
  `select id::text, coalesce(last_error, '') as error, ${timestamp("ended_at", "\"timestamp\"")}
from inbound_messages where source = 'webhook' and state = 'failed' order by inbound_messages.ended_at desc limit 20`
)

const workers = prepared(
  "webhooks_workers",
  ["lockExpiration"],
  `select coalesce(bool_or(last_heartbeat > localtimestamp - make_interval(secs => $lockExpiration)), false) as "isLive",
  count(*) > 0 or exists (select from inbound_messages where source = 'webhook' and ended_at is not null) as "wasLive"
from cluster_runners`
)

const columns =
  `id::text, source, type as webhook_type, delivery_id, state, attempts::integer, last_error as error, task_id::text,
  content_type, octet_length(body) as size, case when source = 'webhook' then substring(body from 1 for 200) end as beginning,
  is_verified as verified, source_ip, ${timestamp("received_at", "received_at")}, ${
    timestamp("case when state = 'pending' then due_at end", "next_attempt_at")
  }, ${timestamp("ended_at", "ended_at")}`

const list = (leading: string | null) =>
  prepared(
    "webhooks_list",
    ["limit", "before", "type", "state", "source", "task"],
    `select ${columns}
from inbound_messages m
where source = $source::text and ($before::uuid is null or m.id < $before::uuid)
  and ($type::text is null or ${equals("type", leading)}) and ($state::text is null or ${equals("state", leading)})
  and ($task::uuid is null or task_id = $task::uuid)
${newestFirst(leading)} limit $limit::integer`
  )
