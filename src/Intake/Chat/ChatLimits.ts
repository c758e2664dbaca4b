import type { UserId } from "@troupe/domain/Ids"
import { Clock, Effect, Schema } from "effect"
import { type Prepared, PreparedStatements } from "../../Runtime/Database/PreparedStatements.ts"

/** How many tasks one person may start in the team chat. */
export interface ChatLimits {
  readonly tasksPerHour: number
  readonly tasksPerMinute: number
}

/** Whether a person has reached a limit, which counts the tasks that the transaction of the fiber has made. */
export const makeIsLimited = ({ tasksPerHour, tasksPerMinute }: ChatLimits) =>
  Effect.map(PreparedStatements, ({ execute }) => (userId: UserId) =>
    Clock.currentTimeMillis.pipe(
      Effect.flatMap((now) => execute(recent, [userId, firstId(now - 3_600_000), firstId(now - 60_000), tasksPerHour])),
      Effect.flatMap(decode),
      Effect.map(([{ hour, minute }]) => hour >= tasksPerHour || minute >= tasksPerMinute),
      Effect.orDie
    ))

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
