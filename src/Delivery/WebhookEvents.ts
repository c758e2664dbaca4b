import * as SqlClient from "@effect/sql/SqlClient"
import type { TaskId } from "@troupe/domain/Ids"
import type { OutboxId } from "@troupe/domain/Outbox"
import { Step } from "@troupe/domain/Step"
import { EventTask, type SubscriptionId, testEvent } from "@troupe/domain/Subscription"
import { TaskStatus } from "@troupe/domain/Task"
import { announcedResultOf, endedByOf } from "@troupe/domain/TaskOutcome"
import { isTerminal } from "@troupe/domain/TaskState"
import { shortened, titleOf } from "@troupe/domain/Text"
import { Timestamp } from "@troupe/domain/Timestamp"
import { Effect, Option, Redacted, Schema, Struct } from "effect"
import { createHmac, randomBytes } from "node:crypto"
import { rowsOf } from "../Runtime/Database/Query.ts"
import { timestamp } from "../Runtime/Database/TimestampColumn.ts"
import { beginningColumn } from "./NotificationView.ts"

/** What the outbox has of an event (`publishEvents`): when it happened, at which step, and what changes later. */
const Payload = Schema.parseJson(Schema.Struct({
  at: Timestamp,
  seq: Schema.NullOr(Schema.Int),
  /** Null: it is about no task. */
  facts: Schema.NullOr(Schema.Struct({
    status: TaskStatus,
    question: Schema.optionalWith(Schema.NullOr(Schema.String), { default: () => null }),
    error: Schema.optionalWith(Schema.NullOr(Schema.String), { default: () => null })
  }))
}))
type Payload = typeof Payload.Type

export const eventPayload: (payload: Payload) => string = Schema.encodeSync(Payload)

const Body = Schema.parseJson(Schema.Struct({
  type: Schema.String,
  timestamp: Timestamp,
  data: Schema.Union(EventTask, Schema.Struct({ message: Schema.String }))
}))

/** A header with the number of posts from one Troupe to another, or to itself, that led to this one, itself included. */
export const hopsHeader = "troupe-hops"

const WebhookHeaders = Schema.parseJson(Schema.Struct({ [hopsHeader]: Schema.NumberFromString }))
const decodeHeaders = Schema.decodeUnknownOption(WebhookHeaders)

/** Of the webhook that made a task; 0: no Troupe posted it. */
const hopsOf = (webhookHeaders: string | null): number =>
  decodeHeaders(webhookHeaders).pipe(
    Option.map((headers) => headers[hopsHeader]),
    Option.filter((hops) => Number.isSafeInteger(hops) && hops > 0),
    Option.getOrElse(() => 0)
  )

const EventRow = Schema.Struct({
  ...Struct.omit(EventTask.fields, "title", "status", "question", "choices", "result", "error", "files"),
  title: Schema.NullOr(Schema.String),
  description: Schema.String,
  webhook_headers: Schema.NullOr(Schema.String),
  step: Schema.NullOr(Schema.parseJson(Step))
}).annotations({ identifier: "EventRow" })
const rows = rowsOf(EventRow)

/** Receivers refuse large bodies. */
const maxText = 20_000

const dataOf = (
  { description, ended_by, step, title, ...task }: typeof EventRow.Type,
  facts: Payload["facts"]
): EventTask => {
  const { error = null, question = null, status = "pending" } = facts ?? {}
  const result = step === null ? null : announcedResultOf(step)
  const files = step !== null && (step.kind === "model" || step.kind === "forced") ? step.files ?? [] : []
  return {
    ...Struct.omit(task, "webhook_headers"),
    title: titleOf({ title, description }),
    status,
    question: question === null ? null : shortened(question, maxText),
    choices: (question !== null && step?.kind === "results" ? step.asked?.choices : undefined) ?? [],
    result: result === null ? null : shortened(result, maxText),
    error: error === null ? null : shortened(error, maxText),
    // The last step of a cancelled task may be what its interrupted call cost.
    ended_by: (step === null ? null : endedByOf(step)) ?? (isTerminal(status) ? ended_by : null),
    files: files.map(({ filename }) => filename)
  }
}

export interface EventPost {
  readonly body: string
  readonly hops: number
}

const postOf = (type: string, at: string, data: typeof Body.Type["data"], hops: number) =>
  Effect.map(Schema.encode(Body)({ type, timestamp: at, data }), (body) => Option.some({ body, hops }))

/** The request of an event: the same text in every attempt; none if the task was deleted. */
export const makeEventPosts = Effect.map(
  SqlClient.SqlClient,
  (sql) =>
  (
    { kind, payload, task_id: taskId }: {
      readonly kind: string
      readonly task_id: TaskId | null
      readonly payload: string
    }
  ): Effect.Effect<Option.Option<EventPost>> =>
    Effect.gen(function*() {
      const { at, facts, seq } = yield* Schema.decode(Payload)(payload)
      if (taskId === null) {
        return yield* postOf(testEvent, at, { message: "A test of the subscription" }, 0)
      }
      const [task] = yield* rows(
        sql`select t.id::text, t.title, ${sql.literal(beginningColumn("t.description"))} as description, t.creator,
  t.assignee, t.source, t.webhook_type, t.webhook_headers, t.project_id, t.continued_from::text,
  ${sql.literal(timestamp("t.created_at", "created_at"))}, a.ended_by, s.body as step
from tasks t join actors a on a.task_id = t.id left join steps s on s.task_id = t.id and s.seq = ${seq}::integer where t.id = ${taskId}::uuid`
      )
      if (task === undefined) return Option.none()
      return yield* postOf(kind, at, dataOf(task, facts), hopsOf(task.webhook_headers))
    }).pipe(Effect.orDie)
)

const prefix = "whsec_"

/** A new signing secret, in the form of Standard Webhooks. */
export const makeSecret = (): string => prefix + randomBytes(32).toString("base64")

export const secretPlace = (id: SubscriptionId): string => `subscription\0${id}`

/** The headers by which a receiver verifies a request (https://www.standardwebhooks.com). */
export const signatureHeaders = (
  secret: Redacted.Redacted,
  { body, epochSeconds, id }: { readonly id: OutboxId; readonly epochSeconds: number; readonly body: string }
): Readonly<Record<string, string>> => {
  const key = Buffer.from(Redacted.value(secret).slice(prefix.length), "base64")
  const signature = createHmac("sha256", key).update(`${id}.${epochSeconds}.${body}`).digest("base64")
  return { "webhook-id": id, "webhook-timestamp": String(epochSeconds), "webhook-signature": `v1,${signature}` }
}
