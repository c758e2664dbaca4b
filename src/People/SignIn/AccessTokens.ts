import * as SqlClient from "@effect/sql/SqlClient"
import {
  AccessToken,
  AccessTokenId,
  AccessTokenNotFound,
  accessTokenStart,
  type CreatedAccessToken,
  isAccessToken
} from "@troupe/domain/AccessToken"
import { type Caller, NotAllowed } from "@troupe/domain/Caller"
import { UserId } from "@troupe/domain/Ids"
import { Role } from "@troupe/domain/User"
import { Clock, Context, Duration, Effect, flow, Layer, Option, Redacted, Schema } from "effect"
import { randomInt } from "node:crypto"
import { v7 } from "uuid"
import { asService } from "../../Runtime/Database/Isolation.ts"
import { idBefore, type PageRequest } from "../../Runtime/Database/Page.ts"
import { rowOf, rowsOf } from "../../Runtime/Database/Query.ts"
import { Signals } from "../../Runtime/Database/Signals.ts"
import { timestamp } from "../../Runtime/Database/TimestampColumn.ts"
import { digestOf } from "./Credentials.ts"

interface NewToken {
  readonly name: string
  readonly role?: Role | undefined
  readonly expires_in_days?: number | undefined
}

interface Found {
  readonly caller: Caller
  /** Until when it counts; none: as long as the seat. */
  readonly timeLeft: Option.Option<Duration.Duration>
}

/** Tokens of members for programs, of which the service keeps only digests. An unreachable database is a defect. */
export class AccessTokens extends Context.Tag("troupe/People/SignIn/AccessTokens")<AccessTokens, {
  /** Newest first. */
  readonly list: (userId: UserId, page: PageRequest<AccessTokenId>) => Effect.Effect<ReadonlyArray<AccessToken>>
  /** Refuses a caller that uses a token itself, and a role above the caller's. */
  readonly create: (caller: Caller, token: NewToken) => Effect.Effect<CreatedAccessToken, NotAllowed>
  /** Ends a token that the caller sees, and its event streams, in every process. */
  readonly remove: (id: string) => Effect.Effect<void, AccessTokenNotFound>
  /** The member of a token that counts, with the lower one of both roles; counts as use. */
  readonly find: (token: Redacted.Redacted) => Effect.Effect<Option.Option<Found>>
}>() {
  /** Self-hosted, where no endpoint leads here. */
  static readonly layerNone: Layer.Layer<AccessTokens> = Layer.succeed(this, {
    list: () => Effect.succeed([]),
    create: () => Effect.dieMessage("A token requires DEPLOYMENT_MODE=hosted"),
    remove: (id) => new AccessTokenNotFound({ id }),
    find: () => Effect.succeedNone
  })

  static readonly layer = (
    { issuer }: { readonly issuer: string }
  ): Layer.Layer<AccessTokens, never, Signals | SqlClient.SqlClient> =>
    Layer.effect(
      this,
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const { send } = yield* Signals
        const lookups = yield* Effect.makeSemaphore(maxLookups)
        const columns = sql.literal(
          `id::text, name, prefix, role, ${timestamp("created_at", "created_at")}, ${
            timestamp("last_used_at", "last_used_at")
          }, ${timestamp("expires_at", "expires_at")}`
        )

        const create = Effect.fn("AccessTokens.create")(function*(caller: Caller, given: NewToken) {
          if (caller.byToken === true) return yield* byTokenRefused
          const { expires_in_days: days, name, role = "member" } = given
          if (ranks[role] > ranks[caller.role]) {
            return yield* new NotAllowed({ reason: `A token of yours can have the role ${caller.role} at most.` })
          }
          const msecs = yield* Clock.currentTimeMillis
          const token = newToken()
          const made = yield* asService(tokenOf(sql`insert into access_tokens
  (id, digest, member_id, issuer, subject, user_id, name, prefix, role, expires_at)
select ${v7({ msecs })}::uuid, ${digestOf(Redacted.make(token))}, id, issuer, subject, user_id, ${name},
  ${token.slice(0, prefixLength)}, ${role}, now() + make_interval(days => ${days ?? null}::integer)
from team_members where user_id = ${caller.id} returning ${columns}`))
          if (Option.isNone(made)) return yield* new NotAllowed({ reason: "You have lost your seat in the team." })
          yield* Effect.logInfo("A member created a token").pipe(
            Effect.annotateLogs({ user_id: caller.id, token_id: made.value.id })
          )
          return { ...made.value, token }
        })

        const find = (token: Redacted.Redacted) =>
          isAccessToken(Redacted.value(token))
            ? Effect.map(
              lookups.withPermits(1)(asService(foundOf(sql`with live as (
  select t.id, m.user_id, t.role as most, m.role, t.last_used_at,
    (extract(epoch from t.expires_at - now()) * 1000)::float8 as millis_left
  from access_tokens t join team_members m on m.id = t.member_id and m.issuer = t.issuer and m.subject = t.subject
  where t.digest = ${digestOf(token)} and t.issuer = ${issuer} and (t.expires_at is null or t.expires_at > now())
), used as (
  update access_tokens t set last_used_at = now() from live
  where t.id = live.id and (t.last_used_at is null or t.last_used_at < now() - interval '1 minute')
)
select user_id, role, most, millis_left from live`))),
              Option.map(({ millis_left, most, role, user_id }): Found => ({
                caller: { id: user_id, role: ranks[most] < ranks[role] ? most : role, byToken: true },
                timeLeft: Option.map(Option.fromNullable(millis_left), Duration.millis)
              }))
            )
            : Effect.succeedNone

        return AccessTokens.of({
          list: (userId, { cursor, limit }) =>
            tokens(sql`select ${columns} from access_tokens
where user_id = ${userId} and id < ${idBefore(cursor)}::uuid order by id desc limit ${limit}`),
          create,
          remove: Effect.fn("AccessTokens.remove")(function*(id: string) {
            if (!isTokenId(id)) return yield* new AccessTokenNotFound({ id })
            const { length } = yield* Effect.orDie(sql`delete from access_tokens where id = ${id}::uuid returning 1`)
            if (length === 0) return yield* new AccessTokenNotFound({ id })
            // Every process forgets whom it has found by a token, and checks the readers of its streams.
            yield* run(sql`select pg_notify('troupe_seats', '')`)
            yield* Effect.sync(() => send("troupe_seats"))
          }),
          find
        })
      })
    )
}

/** Lookups of one process at the same time: guesses take a connection each. */
const maxLookups = 4

/** Of the token that is shown: its kind and 36 of its 238 random bits. */
const prefixLength = 10

const ranks: Readonly<Record<Role, number>> = { member: 0, admin: 1, owner: 2 }

const byTokenRefused = new NotAllowed({ reason: "A token can't create tokens. Sign in with a browser or an ID token." })

const run = flow(Effect.orDie, asService)
const isTokenId = Schema.is(AccessTokenId)
const tokens = rowsOf(AccessToken)
const tokenOf = rowOf(AccessToken)
const foundOf = rowOf(Schema.Struct({
  user_id: UserId,
  role: Role,
  most: Role,
  millis_left: Schema.NullOr(Schema.Number)
}))

const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

const newToken = (): string =>
  accessTokenStart + Array.from({ length: 40 }, () => letters.charAt(randomInt(letters.length))).join("")
