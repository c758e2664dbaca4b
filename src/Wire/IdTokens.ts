import type { HttpClient } from "@effect/platform/HttpClient"
import { type SignInUnavailable, Unauthenticated } from "@troupe/domain/Caller"
import { Context, Data, DateTime, Effect, Layer, Option, Redacted, Schema } from "effect"
import { decodeProtectedHeader, errors, jwtVerify, type JWTVerifyResult, type RemoteJWKSet } from "jose"
import { makeSigningKeys } from "./SigningKeys.ts"

export interface IdClaims {
  readonly subject: string
  /** Verified by the identity provider; spelled as in the token. */
  readonly email: string
  readonly name: Option.Option<string>
}

/** Checks ID tokens of one issuer for one audience. */
export class IdTokens extends Context.Tag("troupe/Wire/IdTokens")<IdTokens, {
  readonly verify: (token: Redacted.Redacted) => Effect.Effect<IdClaims, Unauthenticated | SignInUnavailable>
}>() {
  static readonly layer = (
    options: { readonly issuer: string; readonly audience: string }
  ): Layer.Layer<IdTokens, never, HttpClient> =>
    Layer.scoped(
      this,
      Effect.map(makeSigningKeys(options.issuer), ({ current, renewed }) => {
        const check = (token: string, keys: RemoteJWKSet, renewals: number): Effect.Effect<JWTVerifyResult, Rejected> =>
          Effect.flatMap(DateTime.now, (now) =>
            Effect.tryPromise({
              try: () =>
                jwtVerify(token, keys, {
                  algorithms: ["RS256", "ES256"],
                  issuer: options.issuer,
                  audience: options.audience,
                  clockTolerance: 60,
                  requiredClaims: ["sub", "exp"],
                  currentDate: DateTime.toDate(now)
                }),
              catch: (cause) => new Rejected({ isKeyUnknown: isUnknownKey(cause), reason: reasonOf(cause) })
            })).pipe(Effect.catchTag("Rejected", (error) =>
              error.isKeyUnknown && renewals > 0
                // The rest of the header is valid then.
                ? Effect.flatMap(
                  renewed(keys, String(decodeProtectedHeader(token).kid)),
                  Option.match({ onNone: () => error, onSome: (newer) => check(token, newer, renewals - 1) })
                )
                : error))
        const verify = Effect.fn("IdTokens.verify")(function*(token: Redacted.Redacted) {
          const { payload, protectedHeader } = yield* current.pipe(
            Effect.flatMap((keys) => check(Redacted.value(token), keys, maxRenewals)),
            Effect.catchTag("Rejected", ({ reason }) => rejected(reason))
          )
          if (isOtherType(protectedHeader.typ)) return yield* rejected("This is not an ID token; send the ID token.")
          return yield* Option.match(idClaims(payload), {
            onNone: () => rejected("The token has no verified e-mail address; request it with the scope email."),
            onSome: Effect.succeed
          })
        })
        return { verify }
      })
    )
}

/** The first may be one that was under way before the token arrived. */
const maxRenewals = 2

class Rejected extends Data.TaggedError("Rejected")<{
  readonly isKeyUnknown: boolean
  readonly reason: string
}> {}

const rejected = (reason: string) => new Unauthenticated({ reason })

const Claims = Schema.Struct({
  sub: Schema.String.pipe(Schema.pattern(/^[^\0]{1,255}$/)),
  email: Schema.String.pipe(Schema.maxLength(254)),
  email_verified: Schema.Literal(true, "true"),
  name: Schema.optional(Schema.NullOr(Schema.String))
})
const decodeClaims = Schema.decodeUnknownOption(Claims)

/** None: without a verified e-mail address, nobody is recognised. */
export const idClaims = (claims: unknown): Option.Option<IdClaims> =>
  Option.map(decodeClaims(claims), ({ email, name, sub }) => ({
    subject: sub,
    email,
    name: Option.filter(Option.fromNullable(name), (text) => text.trim() !== "")
  }))

const isUnknownKey = (cause: unknown) => cause instanceof errors.JWKSNoMatchingKey

/** Access tokens (RFC 9068) and logout tokens name their type in the header. */
const isOtherType = (type: string | undefined) => type?.toLowerCase().endsWith("+jwt") ?? false

const reasonOf = (cause: unknown): string => {
  if (cause instanceof errors.JWTExpired) return "The token has expired. Sign in again."
  if (cause instanceof errors.JWTClaimValidationFailed) return `The token's claim ${cause.claim} is not accepted here.`
  if (cause instanceof errors.JOSEAlgNotAllowed) return "The token must be signed with RS256 or ES256."
  if (isUnknownKey(cause)) return "The token is signed with a key that the identity provider does not publish."
  return "The token is not a valid ID token."
}
