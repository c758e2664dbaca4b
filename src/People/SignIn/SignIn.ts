import type { Caller } from "@troupe/domain/Caller"
import { Context, Data, Duration, Effect, Layer, Option, Redacted } from "effect"
import { Buffer } from "node:buffer"
import { randomBytes } from "node:crypto"
import { addressBelow, consoleAddress } from "../../Runtime/PublicAddress.ts"
import { makeSignInProvider, type SignInProviderOptions } from "../../Wire/SignInProvider.ts"
import { type SentRequest, sessionCookie, signInCookie } from "./Credentials.ts"
import { Identity } from "./Identity.ts"
import { Sessions } from "./Sessions.ts"

/** A person can't be signed in; the reason is for that person. */
export class SignInFailed extends Data.TaggedError("SignInFailed")<{
  readonly status: 400 | 403 | 404 | 503
  readonly reason: string
}> {}

/** How long a person may take on the pages of the identity provider. */
export const ticketLifetime = Duration.minutes(10)

/** Signs browsers in at the identity provider. */
export class SignIn extends Context.Tag("troupe/People/SignIn/SignIn")<SignIn, {
  /** The path at which a browser begins; null if the sign-in of browsers is not set up. */
  readonly path: string | null
  /** The provider's page, and the ticket that only the browser keeps: a secret, and where it goes afterwards. */
  readonly begin: (
    returnTo: string | undefined
  ) => Effect.Effect<{ readonly page: URL; readonly ticket: Redacted.Redacted }, SignInFailed>
  /** The same for a browser that has a session: the provider asks nothing. If it is unavailable, the browser returns at once. */
  readonly beginRenewal: (
    returnTo: string | undefined
  ) => Effect.Effect<{ readonly page: URL; readonly ticket: Option.Option<Redacted.Redacted> }>
  /**
   * A new session, if the browser has the ticket that belongs to the address. An earlier session of it ends. A renewal that
   * the provider refuses, or that is of another person, changes nothing.
   */
  readonly complete: (
    request: SentRequest & { readonly url: string }
  ) => Effect.Effect<{ readonly session: Option.Option<Redacted.Redacted>; readonly next: URL }, SignInFailed>
  /** The member whose browser sends the request. */
  readonly holderOf: (request: Pick<SentRequest, "headers">) => Effect.Effect<Option.Option<Caller>>
  /** From when on the browser renews its session. */
  readonly renewAt: (request: SentRequest) => Effect.Effect<Option.Option<string>>
  /** Ends the session of the browser, or all sessions of the caller. */
  readonly end: (request: SentRequest, caller: Caller, everywhere: boolean) => Effect.Effect<void>
}>() {
  static readonly layerNone: Layer.Layer<SignIn> = Layer.sync(this, () => {
    const failed = new SignInFailed({
      status: 404,
      reason: "This service has no sign-in for browsers. Its operator can set OIDC_CLIENT_ID, or you send an ID token."
    })
    return SignIn.of({
      path: null,
      begin: () => failed,
      beginRenewal: () => Effect.dieMessage("A renewal requires OIDC_CLIENT_ID"),
      complete: () => failed,
      holderOf: () => Effect.succeedNone,
      renewAt: () => Effect.succeedNone,
      end: () => Effect.void
    })
  })

  static readonly layer = (
    { publicUrl, ...options }: { readonly publicUrl: URL } & Omit<SignInProviderOptions, "callback">
  ): Layer.Layer<SignIn, never, Identity | Sessions> =>
    Layer.effect(
      this,
      Effect.gen(function*() {
        const { admit } = yield* Identity
        const sessions = yield* Sessions
        const tickets = signInCookie(publicUrl)
        const cookie = sessionCookie(publicUrl)
        const { callback, home, login } = signInAddresses(publicUrl)
        const provider = makeSignInProvider({ ...options, callback })

        const endOf = (request: SentRequest) =>
          Option.match(cookie.valueOf(request), { onNone: () => Effect.void, onSome: sessions.end })

        const begun = Effect.fn("SignIn.begin")(function*(next: URL, isRenewal: boolean) {
          const secret = Redacted.make(randomBytes(32).toString("base64url"))
          const page = yield* provider.pageOf(secret, { isSilent: isRenewal })
          const parts = [
            Redacted.value(secret),
            Buffer.from(next.href).toString("base64url"),
            ...isRenewal ? [renewal] : []
          ]
          return { page, ticket: Redacted.make(parts.join(".")) }
        })
        const begin = (returnTo: string | undefined) =>
          Effect.catchTag(
            begun(ownAddress(home, returnTo), false),
            "SignInUnavailable",
            ({ reason }) => new SignInFailed({ status: 503, reason })
          )
        const beginRenewal = (returnTo: string | undefined) => {
          const next = ownAddress(home, returnTo)
          return Effect.match(begun(next, true), {
            onFailure: () => ({ page: next, ticket: Option.none() }),
            onSuccess: ({ page, ticket }) => ({ page, ticket: Option.some(ticket) })
          })
        }

        const holderOf = (request: Pick<SentRequest, "headers">) =>
          Option.match(cookie.valueOf(request), { onNone: () => Effect.succeedNone, onSome: sessions.find })
        /** Whoever has signed out stays signed out, and the session of somebody else is not replaced. */
        const renewed = Effect.fnUntraced(function*(request: SentRequest, { id }: Caller) {
          const present = cookie.valueOf(request)
          const holder = yield* holderOf(request)
          if (Option.isNone(present) || !Option.exists(holder, (held) => held.id === id)) return Option.none()
          yield* sessions.expire(present.value)
          return Option.some(yield* sessions.start(id))
        })

        const complete = Effect.fn("SignIn.complete")(
          function*(request: SentRequest & { readonly url: string }) {
            const address = new URL(callback)
            address.search = request.url.replace(/^[^?]*/, "")
            const [secretText = "", next = "", kind] = Option.match(tickets.valueOf(request), {
              onNone: () => [],
              onSome: (ticket) => Redacted.value(ticket).split(".")
            })
            const secret = Redacted.make(secretText)
            if (secretText === "" || address.searchParams.get("state") !== provider.stateOf(secret)) {
              // A renewal that took long, or that another tab's sign-in has replaced.
              if (Option.isSome(yield* holderOf(request))) {
                return { session: Option.none(), next: ownAddress(home, undefined) }
              }
              return yield* new SignInFailed({ status: 400, reason: otherBrowser })
            }
            const back = ownAddress(home, Buffer.from(next, "base64url").toString())
            const admitted = Effect.flatMap(provider.claimsOf(address, secret), admit)
            if (kind === renewal) {
              const renewing = Effect.flatMap(admitted, (caller) => renewed(request, caller))
              return { session: yield* Effect.orElseSucceed(renewing, Option.none), next: back }
            }
            const caller = yield* admitted
            yield* endOf(request)
            const session = yield* sessions.start(caller.id)
            yield* Effect.annotateLogs(Effect.logInfo("A member signed in with a browser"), { user_id: caller.id })
            return { session: Option.some(session), next: back }
          },
          Effect.catchTags({
            NotAllowed: ({ reason }) => new SignInFailed({ status: 403, reason }),
            SignInRefused: ({ reason }) => new SignInFailed({ status: 403, reason }),
            SignInUnavailable: ({ reason }) => new SignInFailed({ status: 503, reason })
          })
        )

        return SignIn.of({
          path: login.pathname,
          begin,
          beginRenewal,
          complete,
          holderOf,
          renewAt: (request) =>
            Option.match(cookie.valueOf(request), { onNone: () => Effect.succeedNone, onSome: sessions.renewAt }),
          end: (request, { id }, everywhere) => everywhere ? sessions.endAll(id) : endOf(request)
        })
      })
    )
}

/** Marks the ticket of a renewal. */
const renewal = "renewal"

const otherBrowser = "This sign-in did not begin in this browser, was completed already, or took more than 10 minutes."

/** Addresses under BACKEND_API_URL, which may have a path. */
export const signInAddresses = (publicUrl: URL) => {
  const home = addressBelow(publicUrl, "")
  return { home, login: new URL("auth/login", home), callback: new URL("auth/callback", home) }
}

/** Where a browser signs in and then sees the console. */
export const consoleSignIn = (publicUrl: URL): URL => {
  const { login } = signInAddresses(publicUrl)
  login.searchParams.set("return_to", consoleAddress(publicUrl).pathname)
  return login
}

/** The address that a path or address names, if it is one of this service; otherwise the first page. */
export const ownAddress = (home: URL, given: string | undefined): URL => {
  if (given === undefined || given.length > 1000 || !URL.canParse(given, home.href)) return home
  const address = new URL(given, home)
  return address.origin === home.origin && address.username === "" ? address : home
}
