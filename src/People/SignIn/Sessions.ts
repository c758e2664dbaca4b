import * as SqlClient from "@effect/sql/SqlClient"
import type { Caller } from "@troupe/domain/Caller"
import { UserId } from "@troupe/domain/Ids"
import { Role } from "@troupe/domain/User"
import { Context, Duration, Effect, flow, Layer, Option, Redacted, Schema } from "effect"
import { randomBytes } from "node:crypto"
import { asService } from "../../Runtime/Database/Isolation.ts"
import { rowOf } from "../../Runtime/Database/Query.ts"
import { Signals } from "../../Runtime/Database/Signals.ts"
import { timestamp } from "../../Runtime/Database/TimestampColumn.ts"
import { digestOf } from "./Credentials.ts"

/** The sessions of browsers, of which the service keeps only hashes. An unreachable database is a defect. */
export class Sessions extends Context.Tag("troupe/People/SignIn/Sessions")<Sessions, {
  /** A new session of a member, whose token is the secret of the browser. */
  readonly start: (userId: UserId) => Effect.Effect<Redacted.Redacted>
  /** The member of a session that has not expired, with the present role; counts as use. */
  readonly find: (token: Redacted.Redacted) => Effect.Effect<Option.Option<Caller>>
  /** From when on a browser renews the session: half of its time is over. */
  readonly renewAt: (token: Redacted.Redacted) => Effect.Effect<Option.Option<string>>
  /** Ends a renewed session in a minute: requests and streams of other tabs that began with it are not refused. */
  readonly expire: (token: Redacted.Redacted) => Effect.Effect<void>
  /** Ends the session, and its event streams in every process. */
  readonly end: (token: Redacted.Redacted) => Effect.Effect<void>
  readonly endAll: (userId: UserId) => Effect.Effect<void>
}>() {
  /** Where browsers can't sign in. */
  static readonly layerNone: Layer.Layer<Sessions> = Layer.succeed(this, {
    start: () => Effect.dieMessage("A session requires OIDC_CLIENT_ID"),
    find: () => Effect.succeedNone,
    renewAt: () => Effect.succeedNone,
    expire: () => Effect.void,
    end: () => Effect.void,
    endAll: () => Effect.void
  })

  /** A session ends after `idleTime` without use, and after `maxTime` in any case. */
  static readonly layer = (
    { idleTime, issuer, maxTime }: {
      readonly issuer: string
      readonly idleTime: Duration.Duration
      readonly maxTime: Duration.Duration
    }
  ): Layer.Layer<Sessions, never, Signals | SqlClient.SqlClient> =>
    Layer.effect(
      this,
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const { send } = yield* Signals
        const interval = (duration: Duration.Duration) =>
          sql`${Duration.toMillis(duration)}::float8 * interval '1 millisecond'`
        const [idle, max] = [interval(idleTime), interval(maxTime)]
        const run = flow(Effect.orDie, asService)
        // Streams check their reader when a seat changes.
        const ended = (deletion: Effect.Effect<unknown, unknown>) =>
          run(Effect.zipRight(deletion, sql`select pg_notify('troupe_seats', '')`)).pipe(
            Effect.zipRight(Effect.sync(() => send("troupe_seats")))
          )
        return Sessions.of({
          start: (userId) =>
            Effect.suspend(() => {
              const token = Redacted.make(randomBytes(32).toString("base64url"))
              return Effect.as(
                run(sql`insert into sessions (token_hash, member_id, issuer, subject, expires_at, ends_at)
select ${digestOf(token)}, id, issuer, subject, now() + least(${idle}, ${max}), now() + ${max}
from team_members where user_id = ${userId}`),
                token
              )
            }),
          find: (token) =>
            asService(callerOf(sql`with live as (
  select s.token_hash, m.user_id as id, m.role, least(now() + ${idle}, s.ends_at) as next
  from sessions s join team_members m on m.id = s.member_id and m.issuer = s.issuer and m.subject = s.subject
  where s.token_hash = ${digestOf(token)} and s.issuer = ${issuer} and s.expires_at > now()
), used as (
  update sessions s set expires_at = live.next from live
  where s.token_hash = live.token_hash and s.expires_at < live.next - interval '1 minute'
)
select id, role from live`)),
          renewAt: (token) =>
            asService(
              renewalOf(
                sql`select ${
                  sql.literal(
                    timestamp(`(ends_at - interval '${Duration.toMillis(maxTime) / 2} milliseconds')`, "renew_at")
                  )
                } from sessions where token_hash = ${digestOf(token)}`
              )
            ).pipe(Effect.map(Option.map(({ renew_at }) => renew_at))),
          expire: (token) =>
            run(sql`update sessions set expires_at = least(expires_at, now() + interval '1 minute'),
  ends_at = least(ends_at, now() + interval '1 minute') where token_hash = ${digestOf(token)}`),
          end: (token) => ended(sql`delete from sessions where token_hash = ${digestOf(token)}`),
          endAll: (userId) =>
            ended(sql`delete from sessions s using team_members m where m.id = s.member_id and m.user_id = ${userId}`)
        })
      })
    )
}

const renewalOf = rowOf(Schema.Struct({ renew_at: Schema.String }))

const callerOf = rowOf(Schema.Struct({ id: UserId, role: Role }))
