import { accessTokenStart } from "@troupe/domain/AccessToken"
import {
  type Caller,
  isAdmin,
  isSelfHosted,
  NotAllowed,
  selfHostedCaller,
  type SignInUnavailable,
  Unauthenticated
} from "@troupe/domain/Caller"
import { UserId } from "@troupe/domain/Ids"
import { memberEmail } from "@troupe/domain/Team"
import { Context, DateTime, Deferred, Duration, Effect, FiberId, Layer, Option, Redacted, Stream } from "effect"
import { v7 } from "uuid"
import { makeExpiringMap } from "../../Runtime/Cache.ts"
import { Signals } from "../../Runtime/Database/Signals.ts"
import { storable } from "../../Runtime/Database/StorableText.ts"
import { type IdClaims, IdTokens } from "../../Wire/IdTokens.ts"
import { TeamRepo } from "../Team/TeamRepo.ts"
import { AccessTokens } from "./AccessTokens.ts"
import { digestOf, isOwnPage, type SentRequest, sessionCookie } from "./Credentials.ts"
import { Sessions } from "./Sessions.ts"

const adminsOnly = new NotAllowed({ reason: "Only an owner or admin of the team may do this." })

/** Where callers have no seats: each keeps its role. */
export const withoutSeats = {
  admit: (): Effect.Effect<Caller> => Effect.succeed(selfHostedCaller),
  checkAdmin: (caller: Caller): Effect.Effect<void, NotAllowed> => isAdmin(caller) ? Effect.void : adminsOnly,
  seatChange: Effect.succeed(Effect.never)
}

export class Identity extends Context.Tag("troupe/People/SignIn/Identity")<Identity, {
  /**
   * By the ID token or access token of the request, else by the session of the browser, which counts only on pages of this service. A valid
   * token of someone outside the team is not allowed.
   */
  readonly authenticate: (
    request: SentRequest
  ) => Effect.Effect<Caller, Unauthenticated | NotAllowed | SignInUnavailable>
  /** The member of the team with these claims, whose seat is given to the account at the first sign-in. */
  readonly admit: (claims: IdClaims) => Effect.Effect<Caller, NotAllowed>
  /**
   * Fails for a caller who is no owner or admin now, or uses a token that is none; `authenticate` may remember an earlier role
   * for seconds.
   */
  readonly checkAdmin: (caller: Caller) => Effect.Effect<void, NotAllowed>
  /** What completes when a seat of the team changes after now. */
  readonly seatChange: Effect.Effect<Effect.Effect<void>>
}>() {
  static readonly layerSelfHosted: Layer.Layer<Identity> = Layer.succeed(this, {
    ...withoutSeats,
    authenticate: () => Effect.succeed(selfHostedCaller)
  })

  /** Hosted: a member of the team with a valid ID token of the issuer or a session, which is checked each time. */
  static readonly layer = (
    { issuer, publicUrl }: { readonly issuer: string; readonly publicUrl: URL }
  ): Layer.Layer<Identity, never, AccessTokens | IdTokens | Signals | Sessions | TeamRepo> =>
    Layer.scoped(
      this,
      Effect.gen(function*() {
        const { verify } = yield* IdTokens
        const { receive } = yield* Signals
        const repo = yield* TeamRepo
        const sessions = yield* Sessions
        const accessTokens = yield* AccessTokens
        const cookie = sessionCookie(publicUrl)

        const join = Effect.fnUntraced(function*({ email, name, subject }: IdClaims) {
          const address = memberEmail(email)
          if (Option.isNone(address)) return Option.none<Caller>()
          const { epochMillis } = yield* DateTime.now
          return yield* repo.bind({
            issuer,
            subject,
            email: address.value,
            userId: UserId.make(v7({ msecs: epochMillis })),
            name: Option.getOrNull(Option.map(name, (text) => storable(text.trim().slice(0, 200))))
          })
        })
        const orElse = <A>(first: Effect.Effect<Option.Option<A>>, second: Effect.Effect<Option.Option<A>>) =>
          Effect.flatMap(first, (found) => Option.isSome(found) ? Effect.succeed(found) : second)

        const seats = makeExpiringMap<string, Caller>({ capacity: 10_000, timeToLive: roleTimeToLive })
        const callers = makeExpiringMap<string, Caller>({ capacity: 10_000, timeToLive: roleTimeToLive })
        let change = Deferred.unsafeMake<void>(FiberId.none)
        yield* receive("troupe_seats").pipe(
          Stream.runForEach(() =>
            Effect.zipRight(
              Effect.zipRight(seats.clear, callers.clear),
              Effect.suspend(() => {
                const before = change
                change = Deferred.unsafeMake<void>(FiberId.none)
                return Deferred.succeed(before, undefined)
              })
            )
          ),
          Effect.forkScoped
        )

        const admit = Effect.fnUntraced(function*(claims: IdClaims) {
          const known = yield* seats.get(claims.subject)
          if (Option.isSome(known)) return known.value
          const readSince = change
          const found = repo.findSubject({ issuer, subject: claims.subject })
          // Another process may have given the seat to the same subject meanwhile.
          const seat = yield* orElse(found, orElse(join(claims), found))
          if (Option.isNone(seat)) return yield* new NotAllowed({ reason: notMember(claims.email) })
          // What was read before a change is not remembered after it.
          if (readSince === change) yield* seats.set(claims.subject, seat.value)
          return seat.value
        })

        const callerOf = Effect.fnUntraced(function*(token: Redacted.Redacted) {
          const digest = digestOf(token)
          const known = yield* callers.get(digest)
          if (Option.isSome(known)) return known.value
          const readSince = change
          const found = yield* accessTokens.find(token)
          if (Option.isNone(found)) return yield* new Unauthenticated({ reason: tokenEnded })
          const { caller, timeLeft } = found.value
          const remembered = Duration.min(roleTimeToLive, Option.getOrElse(timeLeft, () => Duration.infinity))
          if (readSince === change) yield* callers.set(digest, caller, remembered)
          return caller
        })

        const memberOf = (session: Redacted.Redacted) =>
          Effect.flatMap(
            sessions.find(session),
            Option.match({ onNone: () => new Unauthenticated({ reason: sessionEnded }), onSome: Effect.succeed })
          )

        const authenticate = Effect.fn("Identity.authenticate")(function*(request: SentRequest) {
          const { authorization } = request.headers
          const session = cookie.valueOf(request)
          if (authorization === undefined && Option.isSome(session)) {
            return isOwnPage(publicUrl, request) ? yield* memberOf(session.value) : yield* foreignPage
          }
          const [, token] = /^Bearer +(\S+) *$/i.exec(authorization ?? "") ?? []
          if (token === undefined) {
            return yield* new Unauthenticated({ reason: "Send an ID token: Authorization: Bearer <ID_TOKEN>." })
          }
          const sent = Redacted.make(token)
          return yield* token.startsWith(accessTokenStart) ? callerOf(sent) : Effect.flatMap(verify(sent), admit)
        })
        return Identity.of({
          admit,
          authenticate,
          checkAdmin: (caller) =>
            caller.byToken === true && !isAdmin(caller)
              ? adminsOnly
              : Effect.filterOrFail(repo.isAdmin(caller.id), (is) => is, () => adminsOnly),
          seatChange: Effect.sync(() => Deferred.await(change))
        })
      })
    )
}

/** How long a member's role is remembered, unless a seat changes. */
const roleTimeToLive = Duration.seconds(10)

const sessionEnded = "Your session has ended. Sign in again."

const tokenEnded = "The token does not count: it was revoked, has expired, or its member has no seat any more."

const foreignPage = new NotAllowed({
  reason: "The session of a browser counts only for pages of this service, at the address in BACKEND_API_URL."
})

const notMember = (email: string) =>
  `${email} is not a member of the team. Ask its owner or an admin for an invitation.`

/** Fails after the token or session of a stream's reader expired, or the reader's seat changed; not while that can't be checked. */
export const signedOut = (
  { authenticate, seatChange }: Pick<Identity["Type"], "authenticate" | "seatChange">,
  caller: Caller,
  request: SentRequest
): Effect.Effect<never, Unauthenticated | NotAllowed> => {
  const check = authenticate(request).pipe(
    Effect.filterOrFail(
      ({ id, role }) => id === caller.id && role === caller.role,
      () => new NotAllowed({ reason: "Your role in the team has changed. Open the stream again." })
    ),
    Effect.catchTag("SignInUnavailable", () => Effect.void),
    Effect.catchAllDefect((defect) =>
      Effect.logWarning("Could not check the sign-in of a stream's reader; next attempt in 1 minute", defect)
    )
  )
  return Effect.gen(function*() {
    while (true) {
      // Taken before the check, which may miss a change that comes while it runs.
      const changed = yield* seatChange
      yield* check
      yield* Effect.timeoutOption(changed, "1 minute")
    }
  })
}

export const whileSignedIn =
  (identity: Identity["Type"], caller: Caller, request: SentRequest) =>
  <A, E, R>(stream: Stream.Stream<A, E, R>): Stream.Stream<A, E, R> =>
    // Self-hosted, a stream needs no fiber for this.
    isSelfHosted(caller)
      ? stream
      : Stream.interruptWhen(stream, Effect.ignore(signedOut(identity, caller, request)))
