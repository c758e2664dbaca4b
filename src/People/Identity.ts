import {
  type Caller,
  isSelfHosted,
  NotAllowed,
  selfHostedCaller,
  type SignInUnavailable,
  Unauthenticated
} from "@troupe/domain/Caller"
import { UserId } from "@troupe/domain/Ids"
import { memberEmail } from "@troupe/domain/Team"
import { Context, DateTime, Duration, Effect, Layer, Option, Redacted, Stream } from "effect"
import { v7 } from "uuid"
import { makeExpiringMap } from "../Runtime/Cache.ts"
import { storable } from "../Runtime/StorableText.ts"
import { type IdClaims, IdTokens } from "../Wire/IdTokens.ts"
import { TeamRepo } from "./TeamRepo.ts"

export class Identity extends Context.Tag("troupe/People/Identity")<Identity, {
  /** Takes the header `Authorization`. A valid token of someone outside the team is not allowed. */
  readonly authenticate: (
    authorization: string | undefined
  ) => Effect.Effect<Caller, Unauthenticated | NotAllowed | SignInUnavailable>
}>() {
  static readonly layerSelfHosted: Layer.Layer<Identity> = Layer.succeed(this, {
    authenticate: () => Effect.succeed(selfHostedCaller)
  })

  /** Hosted: a member of the team with a valid ID token of the issuer, which is checked each time. */
  static readonly layer = (
    { issuer }: { readonly issuer: string }
  ): Layer.Layer<Identity, never, IdTokens | TeamRepo> =>
    Layer.effect(
      this,
      Effect.gen(function*() {
        const { verify } = yield* IdTokens
        const repo = yield* TeamRepo

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
        const memberOf = Effect.fnUntraced(function*(claims: IdClaims) {
          const known = yield* seats.get(claims.subject)
          if (Option.isSome(known)) return known.value
          const found = repo.findSubject({ issuer, subject: claims.subject })
          // Another process may have given the seat to the same subject meanwhile.
          const seat = yield* orElse(found, orElse(join(claims), found))
          if (Option.isNone(seat)) return yield* new NotAllowed({ reason: notMember(claims.email) })
          yield* seats.set(claims.subject, seat.value)
          return seat.value
        })

        const authenticate = Effect.fn("Identity.authenticate")(function*(authorization: string | undefined) {
          const [, token] = /^Bearer +(\S+) *$/i.exec(authorization ?? "") ?? []
          if (token === undefined) {
            return yield* new Unauthenticated({ reason: "Send an ID token: Authorization: Bearer <ID_TOKEN>." })
          }
          return yield* Effect.flatMap(verify(Redacted.make(token)), memberOf)
        })
        return Identity.of({ authenticate })
      })
    )
}

/** How long a member's role is remembered. */
const roleTimeToLive = Duration.seconds(10)

const notMember = (email: string) =>
  `${email} is not a member of the team. Ask its owner or an admin for an invitation.`

/** Fails after the token of a stream's reader expired or the reader left the team; not while that can't be checked. */
export const signedOut = (
  { authenticate }: Identity["Type"],
  authorization: string | undefined
): Effect.Effect<never, Unauthenticated | NotAllowed> =>
  authenticate(authorization).pipe(
    Effect.catchTag("SignInUnavailable", () => Effect.void),
    Effect.catchAllDefect((defect) =>
      Effect.logWarning("Could not check the sign-in of a stream's reader; next attempt in 1 minute", defect)
    ),
    Effect.delay("1 minute"),
    Effect.forever
  )

export const whileSignedIn =
  (identity: Identity["Type"], caller: Caller, authorization: string | undefined) =>
  <A, E, R>(stream: Stream.Stream<A, E, R>): Stream.Stream<A, E, R> =>
    // Self-hosted, a stream needs no fiber for this.
    isSelfHosted(caller) ? stream : Stream.interruptWhen(stream, Effect.ignore(signedOut(identity, authorization)))
