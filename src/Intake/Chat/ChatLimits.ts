import type { UserId } from "@troupe/domain/Ids"
import { Clock, Context, Effect, Layer, Schema } from "effect"
import { type Prepared, PreparedStatements } from "../../Runtime/PreparedStatements.ts"

/** How many tasks one person may start in the team chat. */
export class ChatLimits extends Context.Tag("troupe/Intake/Chat/ChatLimits")<ChatLimits, {
  /** Whether the person has reached a limit, which counts the tasks that the transaction of the fiber has made. */
  readonly isReached: (userId: UserId) => Effect.Effect<boolean>
}>() {
  static readonly layer = (
    { perHour, perMinute }: { readonly perHour: number; readonly perMinute: number }
  ): Layer.Layer<ChatLimits, never, PreparedStatements> =>
    Layer.effect(
      this,
      Effect.map(PreparedStatements, ({ execute }) =>
        ChatLimits.of({
          isReached: (userId) =>
            Clock.currentTimeMillis.pipe(
              Effect.flatMap((now) =>
                execute(recent, [userId, firstId(now - 3_600_000), firstId(now - 60_000), perHour])
              ),
              Effect.flatMap(decode),
              Effect.map(([{ hour, minute }]) => hour >= perHour || minute >= perMinute),
              Effect.orDie
            )
        }))
    )
}

/** The ids of tasks begin with the time. */
const firstId = (millis: number): string => {
  const time = millis.toString(16).padStart(12, "0")
  return `${time.slice(0, 8)}-${time.slice(8)}-0000-0000-000000000000`
}

const decode = Schema.decodeUnknown(Schema.Tuple(Schema.Struct({ hour: Schema.Int, minute: Schema.Int })))

const recent: Prepared = {
  name: "chat_limits_recent",
  text: `select count(*)::integer as hour, (count(*) filter (where id >= $3::uuid))::integer as minute
from (
  select id from tasks where creator = $1::text and id >= $2::uuid and source = 'chat' order by id desc limit $4::integer
) made`
}
