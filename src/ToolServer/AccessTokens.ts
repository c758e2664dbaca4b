import type { SqlClient } from "@effect/sql/SqlClient"
import type { UserId } from "@troupe/domain/Ids"
import { Clock, Context, Effect, Either, Layer, Option, Redacted, Runtime, Schedule, Stream } from "effect"
import { makeNotifyAdmins } from "../Delivery/AdminNotices.ts"
import { ScheduledJobs } from "../Runtime/Cluster/ScheduledJobs.ts"
import { Signals } from "../Runtime/Database/Signals.ts"
import { type AuthorizationServers, makeAuthorizationServers } from "../Wire/AuthorizationServer.ts"
import type { Challenge } from "../Wire/Grantor.ts"
import { type AuthorizationKey, ownClient } from "./AuthorizationRow.ts"
import { Authorizations } from "./Authorizations.ts"
import { challengeIn, isInsufficient, withoutGranted } from "./Challenges.ts"
import { makeRefresh, makeWantMore } from "./TokenRefresh.ts"
import { SignInNeeded, type TokenSource } from "./TokenSource.ts"
import { type HttpServer, isPerUser, type ToolServer } from "./ToolServer.ts"

/** The access tokens of tool servers, refreshed before they expire by one process at a time. */
export class AccessTokens extends Context.Tag("troupe/ToolServer/AccessTokens")<AccessTokens, {
  /** Those of a person, where each signs in; null: those with which the server's tools are listed. */
  readonly sourceOf: (server: HttpServer, user: UserId | null) => TokenSource
  /** Whether the calls of a person wait for a sign-in; asks the database only if this process knows of no token. */
  readonly isMissing: (server: ToolServer, user: UserId | null) => Effect.Effect<boolean>
  /** Whether this process has a token of the person, or of everybody, that can be used now. */
  readonly isHeld: (server: ToolServer, user: UserId) => boolean
}>() {
  static readonly layer = (
    options: AccessTokenOptions
  ): Layer.Layer<AccessTokens, never, Authorizations | ScheduledJobs | Signals | SqlClient> =>
    Layer.scoped(this, make(options))

  /** No server has tokens. */
  static readonly layerNone: Layer.Layer<AccessTokens> = Layer.succeed(this, {
    sourceOf: () => ({
      authorization: () => Promise.resolve(null),
      refused: () => Promise.resolve(false),
      needsSignIn: () => false,
      isUsed: () => false,
      accepted: () => {},
      redacted: (text) => text
    }),
    isMissing: () => Effect.succeed(false),
    isHeld: () => true
  })
}

export interface AccessTokenOptions {
  readonly isHosted: boolean
  /** Who is told that a sign-in has ended; null: owner and admins. */
  readonly admin: UserId | null
}

/** A token in the memory of this process. */
interface Held {
  readonly header: string
  readonly token: string
  /** Epoch milliseconds from which on it is looked up again. */
  readonly until: number
}

/** Between the searches for tokens that are to be refreshed although nobody uses them. */
const refreshPeriod = "15 seconds"
/** How long a token is used without a look at whether it was forgotten or replaced. */
const maxHeldMillis = 60_000
const make = ({ admin, isHosted }: AccessTokenOptions) =>
  Effect.gen(function*() {
    const authorizations = yield* Authorizations
    const signals = yield* Signals
    const jobs = yield* ScheduledJobs
    const servers: AuthorizationServers = makeAuthorizationServers(isHosted)
    const run = Runtime.runPromise(yield* Effect.runtime<never>())
    const promised = <A, E>(effect: Effect.Effect<A, E>): Promise<A> =>
      run(Effect.either(effect)).then(Either.getOrThrowWith((error) => error))
    const held = new Map<string, Held>()
    const turns = new Map<string, Effect.Semaphore>()

    yield* signals.receive("troupe_tool_servers").pipe(
      Stream.runForEach(() => Effect.sync(() => held.clear())),
      Effect.forkScoped
    )

    /** What runs for one key in this process runs once; others wait for its result. */
    const inTurn = (key: AuthorizationKey) => {
      const name = nameOf(key)
      const known = turns.get(name)
      const turn = known ?? Effect.unsafeMakeSemaphore(1)
      if (known === undefined) turns.set(name, turn)
      return turn.withPermits(1)
    }

    const notifyAdmins = yield* makeNotifyAdmins(admin)
    const refreshed = makeRefresh(authorizations, servers, notifyAdmins)
    const wantMore = makeWantMore(authorizations, notifyAdmins)

    /** Tokens of the client that is configured, without a person. */
    const own = (server: HttpServer) =>
      Effect.gen(function*() {
        const { clientId, clientSecret, scopes } = server.signIn ?? { clientId: null, clientSecret: null, scopes: null }
        const grantor = yield* servers.discover(server.url, noChallenge)
        const client = {
          client_id: clientId ?? "",
          ...(clientSecret === null ? {} : { client_secret: Redacted.value(clientSecret) })
        }
        const wanted = scopes ?? grantor.scopes
        const tokens = yield* servers.ownTokens({ ...grantor, client, scopes: wanted })
        const key = { server: server.name, user: null }
        yield* authorizations.save(
          { ...key, url: server.url, grantor, client, scopes: wanted, connectedBy: ownClient },
          tokens
        )
        return yield* authorizations.find(key)
      })

    const load = (server: HttpServer, key: AuthorizationKey, refusedToken: string | null) =>
      Effect.gen(function*() {
        const isOwn = server.signIn?.grant === "client_credentials"
        const found = Option.filter(
          yield* authorizations.find(key),
          ({ isValid, url }) => isValid && url === server.url
        )
        if (Option.isNone(found)) return isOwn ? yield* own(server) : found
        const { accessToken, isDue } = found.value
        return isDue || Redacted.value(accessToken) === refusedToken ? yield* refreshed(key, refusedToken) : found
      })

    const tokenFor = (server: HttpServer, key: AuthorizationKey, refusedToken: string | null = null) =>
      Effect.gen(function*() {
        const now = yield* Clock.currentTimeMillis
        const place = placeOf(server, key)
        const known = held.get(place)
        if (known !== undefined && known.until > now && known.token !== refusedToken) return known
        const found = Option.getOrNull(yield* load(server, key, refusedToken))
        if (found === null) {
          held.delete(place)
          return null
        }
        const token = Redacted.value(found.accessToken)
        const held_ = {
          token,
          header: `Bearer ${token}`,
          until: now + Math.min(maxHeldMillis, Math.max(found.millis ?? maxHeldMillis, 0))
        }
        held.set(place, held_)
        return held_
      }).pipe(inTurn(key))

    const keyOf = (server: HttpServer, user: UserId | null): Effect.Effect<AuthorizationKey> =>
      !isPerUser(server) || user !== null
        ? Effect.succeed({ server: server.name, user: isPerUser(server) ? user : null })
        : Effect.map(authorizations.anyOf(server.name), (found) => ({
          server: server.name,
          user: Option.getOrNull(Option.map(found, (one) => one.user))
        }))

    const sourceOf = (server: HttpServer, user: UserId | null): TokenSource => {
      let needs = false
      const used: Array<string> = []
      const needed = () => {
        needs = true
        return new SignInNeeded({ server: server.name })
      }
      return {
        needsSignIn: () => needs,
        accepted: () => {
          needs = false
        },
        isUsed: () => used.length > 0,
        redacted: (text) => used.reduce((rest, token) => rest.replaceAll(token, "[redacted]"), text),
        authorization: () =>
          promised(
            Effect.flatMap(keyOf(server, user), (key) => tokenFor(server, key)).pipe(
              Effect.flatMap((found) => {
                if (found === null && server.signIn !== null) return needed()
                if (found !== null && !used.includes(found.token)) {
                  used.splice(0, used.length, found.token, ...used.slice(0, 1))
                }
                return Effect.succeed(found?.header ?? null)
              })
            )
          ),
        refused: ({ challenge, status }, sent) =>
          promised(Effect.gen(function*() {
            const key = yield* keyOf(server, user)
            const asked = challengeIn(challenge)
            if (status === 403) {
              // Nobody signs in for a client of its own: its scopes are configured.
              const isOwn = server.signIn?.grant === "client_credentials"
              if (sent === null || isOwn || !isInsufficient(challenge) || asked.scopes === null) return false
              const granted = Option.getOrNull(yield* authorizations.find(key))?.scopes ?? ""
              const more = withoutGranted(asked.scopes, granted)
              if (more === "") return false
              yield* wantMore(key, { granted, more })
              // Its other calls go on.
              return yield* new SignInNeeded({ server: server.name })
            }
            if (sent !== null) {
              const other = yield* tokenFor(server, key, sent.replace(/^Bearer /, ""))
              return other === null ? yield* needed() : true
            }
            const mayConnect = server.signIn !== null || !hasToken(server)
            if (mayConnect && (yield* servers.isProtected(server.url, asked))) return yield* needed()
            return server.signIn === null ? false : yield* needed()
          }))
      }
    }

    yield* jobs.start({
      name: "tool_server_tokens",
      scope: "cluster",
      schedule: Schedule.spaced(refreshPeriod),
      run: Effect.flatMap(authorizations.due, (keys) =>
        Effect.forEach(keys, (key) =>
          Effect.ignore(inTurn(key)(refreshed(key, null))), {
          concurrency: 4,
          discard: true
        }))
    })

    return AccessTokens.of({
      sourceOf,
      isHeld: (server, user) =>
        server.transport !== "stdio"
        && held.has(placeOf(server, { server: server.name, user: isPerUser(server) ? user : null })),
      isMissing: (server, user) =>
        server.transport === "stdio" || server.signIn?.grant === "client_credentials"
          ? Effect.succeed(false)
          : Effect.gen(function*() {
            const key = yield* keyOf(server, user)
            if (held.has(placeOf(server, key))) {
              return false
            }
            const found = yield* authorizations.find(key)
            return !Option.exists(found, ({ isValid, url }) =>
              isValid && url === server.url)
          })
    })
  })

const noChallenge: Challenge = { metadataUrl: null, scopes: null }

const hasToken = ({ headers }: HttpServer): boolean =>
  Object.keys(headers).some((name) => name.toLowerCase() === "authorization")

/** A token is held for one address: another server of the same name does not get it. */
const placeOf = ({ url }: HttpServer, key: AuthorizationKey): string => `${nameOf(key)}\n${url}`

const nameOf = ({ server, user }: AuthorizationKey): string => `${server}\n${user ?? ""}`
