import { SqlClient } from "@effect/sql/SqlClient"
import { Context, Duration, Effect, Layer } from "effect"

/** Makes effects of the team chat happen once. */
export class ChatClaims extends Context.Tag("troupe/Intake/Chat/ChatClaims")<ChatClaims, {
  /** True for the first transaction that commits this claim, until it expires; the others wait for that one. */
  readonly take: (key: string, lifetime: Duration.Duration) => Effect.Effect<boolean>
  /** Whether a committed transaction has the claim. */
  readonly isTaken: (key: string) => Effect.Effect<boolean>
}>() {
  static readonly layer: Layer.Layer<ChatClaims, never, SqlClient> = Layer.effect(
    this,
    Effect.map(SqlClient, (sql) =>
      ChatClaims.of({
        isTaken: (key) =>
          sql`select 1 from chat_claims where key = ${key} and (expires_at is null or expires_at >= now())`.pipe(
            Effect.map((rows) => rows.length > 0),
            Effect.orDie
          ),
        take: (key, lifetime) => {
          const seconds = Duration.isFinite(lifetime) ? Duration.toSeconds(lifetime) : null
          return sql`insert into chat_claims as c (key, expires_at)
values (${key}, now() + ${seconds}::float8 * interval '1 second')
on conflict (key) do update set expires_at = excluded.expires_at where c.expires_at < now() returning 1`.pipe(
            Effect.map((rows) => rows.length > 0),
            Effect.orDie
          )
        }
      }))
  )
}
