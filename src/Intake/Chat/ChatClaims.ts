import { SqlClient } from "@effect/sql/SqlClient"
import { Duration, Effect } from "effect"

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
