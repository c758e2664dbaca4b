import { SqlClient } from "@effect/sql/SqlClient"
import type { TaskId, UserId } from "@troupe/domain/Ids"
import { chatPostText } from "@troupe/domain/TeamChat"
import { Clock, Duration, Effect, Schema } from "effect"
import type { ChatMessage } from "../../Chat/ChatMessage.ts"
import { type ChatFailed, ChatPlatform, isUnauthorized } from "../../Chat/ChatPlatform.ts"
import { newOutboxId, Outbox } from "../../Delivery/Outbox.ts"
import { AttemptFailed } from "../../Queue/AttemptFailed.ts"
import { rowsOf, theRow } from "../../Runtime/Database/Query.ts"
import { taskAddress } from "../../Runtime/PublicAddress.ts"
import { makeChatAgents } from "./ChatAgents.ts"
import { makeChatFiles } from "./ChatFiles.ts"
import { makeChatSchedules } from "./ChatSchedules.ts"
import { ChatSenders } from "./ChatSenders.ts"

/** Read at each message. */
export interface ChatOptions {
  /** How many tasks one person may start in the team chat. */
  readonly tasksPerHour: number
  readonly tasksPerMinute: number
  readonly maxFileBytes: number
  /** Where people open the console; null: nowhere that is known. */
  readonly console: URL | null
}

/** What the processors of messages, commands and channel events share. */
export const makeChatContext = (options: ChatOptions) =>
  Effect.all({
    platform: ChatPlatform,
    senders: ChatSenders,
    schedules: makeChatSchedules,
    agents: makeChatAgents,
    claims: makeChatClaims,
    posts: makeChatPosts,
    receiveFiles: makeChatFiles(() => options.maxFileBytes),
    linkTo: Effect.succeed(({ id }: { readonly id: TaskId }) =>
      options.console === null ? null : taskAddress(options.console, id)
    ),
    isLimited: makeIsLimited(options)
  })
export type ChatContext = Effect.Effect.Success<ReturnType<typeof makeChatContext>>

/** Makes effects of the team chat happen once. */
export const makeChatClaims = Effect.map(SqlClient, (sql) => ({
  /** Whether a committed transaction has the claim. */
  isTaken: (key: string) =>
    sql`select 1 from chat_claims where key = ${key} and (expires_at is null or expires_at >= now())`.pipe(
      Effect.map((rows) => rows.length > 0),
      Effect.orDie
    ),
  /** True for the first transaction that commits this claim, until it expires; the others wait for that one. */
  take: (key: string, lifetime: Duration.Duration) => {
    const seconds = Duration.isFinite(lifetime) ? Duration.toSeconds(lifetime) : null
    return sql`insert into chat_claims as c (key, expires_at)
values (${key}, now() + ${seconds}::float8 * interval '1 second')
on conflict (key) do update set expires_at = excluded.expires_at where c.expires_at < now() returning 1`.pipe(
      Effect.map((rows) => rows.length > 0),
      Effect.orDie
    )
  }
}))

/** Where we say something: to a recipient of the outbox, or as the answer to a command, for its user alone. */
export interface Place {
  readonly recipient: string
  readonly answerTo?: string
}

/** Messages of the service itself (confirmations, refusals, introductions), sent once the transaction is committed. */
const makeChatPosts = Effect.zipWith(Outbox, ChatPlatform, ({ enqueue }, { render }) => ({
  post: ({ recipient, ...answered }: Place, message: ChatMessage) =>
    Effect.forEach(render(message), (post) =>
      Effect.map(newOutboxId, (id) => ({
        id,
        channel: "chat" as const,
        recipient,
        kind: "post",
        user_id: null,
        task_id: null,
        payload: chatPostText({ ...post, ...answered })
      }))).pipe(Effect.flatMap(enqueue))
}))

/** Whether a person has reached a limit, which counts the tasks that the transaction of the fiber has made. */
const makeIsLimited = (options: ChatOptions) =>
  Effect.map(SqlClient, (sql) => (userId: UserId) => {
    const { tasksPerHour, tasksPerMinute } = options
    return Clock.currentTimeMillis.pipe(
      Effect.flatMap((now) =>
        counted(
          sql`select count(*)::integer as hour,
  (count(*) filter (where id >= ${firstId(now - 60_000)}::uuid))::integer as minute
from (
  select id from tasks where creator = ${userId} and id >= ${firstId(now - 3_600_000)}::uuid and source = 'chat'
  order by id desc limit ${tasksPerHour}
) made`
        )
      ),
      theRow,
      Effect.map(({ hour, minute }) => hour >= tasksPerHour || minute >= tasksPerMinute)
    )
  })

const counted = rowsOf(Schema.Struct({ hour: Schema.Int, minute: Schema.Int }))

/** The ids of tasks begin with the time. */
const firstId = (millis: number): string => {
  const time = millis.toString(16).padStart(12, "0")
  return `${time.slice(0, 8)}-${time.slice(8)}-0000-0000-000000000000`
}

const kinds = {
  refused: "refused",
  uncertain: "later",
  rate_limited: "outage",
  unavailable: "outage",
  unconfigured: "outage"
} as const

export const inboundFailureOf = (failed: ChatFailed): AttemptFailed =>
  AttemptFailed.as(isUnauthorized(failed) ? "outage" : kinds[failed.kind], failed.reason, failed.retryAfter)
