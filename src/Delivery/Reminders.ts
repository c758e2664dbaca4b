import { SqlClient } from "@effect/sql/SqlClient"
import type { UserId } from "@troupe/domain/Ids"
import { Context, DateTime, Effect, Layer } from "effect"
import { v7 } from "uuid"

export interface Reminder {
  readonly userId: UserId
  readonly title: string
  readonly body: string
}

/** Notifications that no task causes. */
export class Reminders extends Context.Tag("troupe/Delivery/Reminders")<Reminders, {
  /** Puts the reminder in the user's feed. Joins the transaction of the caller. */
  readonly send: (reminder: Reminder) => Effect.Effect<void>
}>() {
  static readonly layer: Layer.Layer<Reminders, never, SqlClient> = Layer.effect(
    this,
    Effect.map(SqlClient, (sql) =>
      Reminders.of({
        send: ({ body, title, userId }) =>
          Effect.flatMap(DateTime.now, ({ epochMillis }) =>
            sql`insert into notifications (id, user_id, kind, title, body)
values (${v7({ msecs: epochMillis })}::uuid, ${userId}, 'reminder', ${title}, ${body})`).pipe(
              Effect.asVoid,
              Effect.orDie
            )
      }))
  )
}
