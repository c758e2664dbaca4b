import { Effect, Either, Option, Redacted, Schedule } from "effect"
import type { makeNotifyAdmins, Notice } from "../Delivery/AdminNotices.ts"
import { asService } from "../Runtime/Database/Isolation.ts"
import { AuthorizationFailed } from "../Wire/AuthorizationFetch.ts"
import type { AuthorizationServers } from "../Wire/AuthorizationServer.ts"
import { type Authorization, type AuthorizationKey, ownClient } from "./AuthorizationRow.ts"
import type { Authorizations } from "./Authorizations.ts"
import { withoutGranted } from "./Challenges.ts"

/** Seconds after which a refresh that failed for now is tried again. */
const retrySeconds = 10

type NotifyAdmins = Effect.Effect.Success<ReturnType<typeof makeNotifyAdmins>>

/** For whoever can sign in: of a server for everybody, owner and admins. */
const signInNotice = ({ server, user }: AuthorizationKey, why: string): Notice => ({
  title: `${server} needs a sign-in`,
  body: `${why} Connect it again on the page Tool servers of the console, or with: troupe tools connect ${
    JSON.stringify(server)
  }`,
  ...(user === null ? {} : { user })
})

/**
 * The row stays locked until what the authorization server answers is stored, so that no other process uses the same refresh
 * token. A process that ends before it is stored leaves it unknown whether the token was used: then it is tried once more.
 */
export const makeRefresh = (
  authorizations: Authorizations["Type"],
  servers: AuthorizationServers,
  notifyAdmins: NotifyAdmins
) => {
  const ended = (present: Authorization, reason: string) =>
    Effect.gen(function*() {
      const { server, user } = present
      yield* authorizations.failed(present, reason, null)
      yield* Effect.logWarning(`The sign-in at the tool server ${server} has ended: ${reason}`)
      yield* Effect.orDie(notifyAdmins(
        signInNotice(
          { server, user },
          `The sign-in at the tool server ${server} has ended: ${reason} Tasks that call it wait.`
        )
      ))
      return Option.none<Authorization>()
    })

  const asked = ({ client, connectedBy, grantor, refreshToken, scopes }: Authorization) =>
    connectedBy === ownClient
      ? servers.ownTokens({ ...grantor, client, scopes })
      : refreshToken === null
      ? new AuthorizationFailed({
        reason: "its token has expired, and it issued none to refresh it with.",
        isFinal: true
      })
      : servers.refresh({ ...grantor, client, refreshToken: Redacted.value(refreshToken) })

  /** The refresh token before it is used up, so they are stored as soon as the database can be reached again. */
  const kept = (store: Effect.Effect<void>) =>
    Effect.unsandbox(Effect.retry(Effect.sandbox(store), Schedule.upTo(Schedule.spaced("1 second"), "5 minutes")))

  const refreshed = (key: AuthorizationKey, refusedToken: string | null) => {
    let store: Effect.Effect<void> | null = null
    return authorizations.locked(key, (row) =>
      Effect.gen(function*() {
        const present = Option.getOrNull(row)
        if (present === null || !present.isValid) return Option.none()
        const isRefused = Redacted.value(present.accessToken) === refusedToken
        if (!isRefused && !present.isDue) return row
        const outcome = yield* Effect.either(asked(present))
        if (Either.isRight(outcome)) {
          yield* store = authorizations.renew(present, outcome.right)
          return yield* authorizations.find(key)
        }
        const { isFinal, reason } = outcome.left
        if (isFinal && present.connectedBy === ownClient) {
          yield* authorizations.failed(present, reason, null)
          return outcome.left
        }
        if (isFinal) return yield* ended(present, reason)
        yield* Effect.logWarning(`The tokens of the tool server ${key.server} are not refreshed yet: ${reason}`)
        yield* authorizations.failed(present, reason, retrySeconds)
        return isRefused || present.isExpired ? outcome.left : row
      })).pipe(
        Effect.catchAllDefect((defect) =>
          store === null ? Effect.die(defect) : Effect.zipRight(kept(store), authorizations.find(key))
        )
      )
  }

  return (key: AuthorizationKey, refusedToken: string | null) =>
    Effect.flatMap(
      Effect.uninterruptible(Effect.suspend(() => refreshed(key, refusedToken))),
      (found) => found instanceof AuthorizationFailed ? found : Effect.succeed(found)
    )
}

/**
 * A server wants more scopes, beside those that other calls have asked for: one sign-in is to allow them all. The question of a task goes
 * to its people, who may not be those that can sign in for everybody.
 */
export const makeWantMore =
  (authorizations: Authorizations["Type"], notifyAdmins: NotifyAdmins) =>
  (key: AuthorizationKey, { granted, more }: { readonly granted: string; readonly more: string }) =>
    authorizations.wantedOf(key).pipe(
      Effect.flatMap((wanted) => {
        const known = wanted ?? granted
        return authorizations.want(key, `${known} ${withoutGranted(more, known)}`.trim())
      }),
      Effect.flatMap((isNew) => {
        const why = `The tool server ${key.server} asks for more than was allowed: ${more}. Tasks that need it wait.`
        return isNew && key.user === null ? notifyAdmins(signInNotice(key, why)) : Effect.void
      }),
      Effect.orDie,
      asService
    )
