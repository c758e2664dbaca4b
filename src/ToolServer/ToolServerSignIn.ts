import { CurrentUser } from "@troupe/api/Authentication"
import { type Caller, isAdmin, NotAllowed } from "@troupe/domain/Caller"
import type { UserId } from "@troupe/domain/Ids"
import { SignInNotPossible, ToolServerNotFound } from "@troupe/domain/ToolServer"
import { Context, Data, Effect, Either, Layer, Option, Redacted } from "effect"
import { randomBytes } from "node:crypto"
import { makeNotifyAdmins } from "../Delivery/AdminNotices.ts"
import { ownAddress } from "../People/SignIn/SignIn.ts"
import { asService } from "../Runtime/Database/Isolation.ts"
import { addressBelow, consoleAddress } from "../Runtime/PublicAddress.ts"
import { makeAuthorizationServers } from "../Wire/AuthorizationServer.ts"
import { isSameIssuer } from "../Wire/Grantor.ts"
import type { Authorization } from "./AuthorizationRow.ts"
import { Authorizations } from "./Authorizations.ts"
import { challengeOf } from "./Challenges.ts"
import { makePendingSignIns } from "./PendingSignIns.ts"
import { makeClientOf, signInAddresses } from "./SignInClient.ts"
import { type HostedRules, type HttpServer, isPerUser, serverRefusal } from "./ToolServer.ts"
import { ToolServerRepo } from "./ToolServerRepo.ts"

/** A browser came back without a sign-in that can be used; the reason is for the person. */
export class ReturnRefused extends Data.TaggedError("ReturnRefused")<{
  readonly status: 400 | 401 | 403
  readonly reason: string
}> {}

export interface Connected {
  readonly server: string
  readonly issuer: string
  readonly scopes: string | null
  readonly next: URL
}

/** Signs people in at tool servers, and keeps what they authorize the service to do. */
export class ToolServerSignIn extends Context.Tag("troupe/ToolServer/ToolServerSignIn")<ToolServerSignIn, {
  /** The page of the authorization server; the person comes back from there within ten minutes. */
  readonly connect: (
    server: string,
    returnTo: string | undefined
  ) => Effect.Effect<{ readonly url: string }, NotAllowed | SignInNotPossible | ToolServerNotFound, CurrentUser>
  readonly forget: (server: string) => Effect.Effect<void, NotAllowed | ToolServerNotFound, CurrentUser>
  /** The person that came back is `caller`; null: nobody is signed in. */
  readonly complete: (
    answer: URLSearchParams,
    caller: Caller | null
  ) => Effect.Effect<Connected, ReturnRefused>
}>() {
  static readonly layer = (
    options: { readonly rules: HostedRules; readonly publicUrl: URL }
  ) => Layer.scoped(this, make(options))
}

const make = ({ publicUrl, rules }: { readonly rules: HostedRules; readonly publicUrl: URL }) =>
  Effect.gen(function*() {
    const repo = yield* ToolServerRepo
    const authorizations = yield* Authorizations
    const pending = yield* makePendingSignIns
    const servers = makeAuthorizationServers(rules.isHosted)
    const clientOf = makeClientOf(pending, servers, publicUrl)
    const home = addressBelow(publicUrl, "")
    const { callback } = signInAddresses(publicUrl)
    const notifyAdmins = yield* makeNotifyAdmins(null)
    const scope = yield* Effect.scope
    const impossible = (reason: string) => new SignInNotPossible({ reason })

    const stored = (name: string) =>
      Effect.flatMap(asService(repo.configuration), (configuration) => {
        const found = configuration.servers.find((server) => server.name === name)
        return found === undefined ? new ToolServerNotFound({ name }) : Effect.succeed(found)
      })

    /** Whose sign-in the caller may change. */
    const ownerOf = (isPersonal: boolean) =>
      Effect.flatMap(CurrentUser, (caller) =>
        isPersonal
          ? Effect.succeed(caller.id)
          : isAdmin(caller)
          ? Effect.succeed(null)
          : new NotAllowed({ reason: "Only an owner or admin may connect a tool server that everybody uses." }))

    /** With the values of its variables. */
    const serverOf = (name: string): Effect.Effect<HttpServer, SignInNotPossible | ToolServerNotFound> =>
      Effect.flatMap(stored(name), ({ server }) =>
        Effect.gen(function*() {
          if (Either.isLeft(server)) {
            return yield* impossible("Its secrets can't be read with this SECRETS_KEY. Configure the server again.")
          }
          const { expandedServer } = yield* Effect.promise(() => import("./ExpandedServer.ts"))
          const expanded = yield* Effect.mapError(expandedServer(server.right), impossible)
          if (expanded.server.transport === "stdio") {
            return yield* impossible("It is a program, which nobody signs in at: give it a token in env.")
          }
          const refusal = serverRefusal(expanded.server, rules)
          return refusal === null ? expanded.server : yield* impossible(refusal.reason)
        }))

    const connect = Effect.fn("ToolServerSignIn.connect")(function*(name: string, returnTo: string | undefined) {
      const known = yield* stored(name)
      const user = yield* ownerOf(known.entry.per_user === true)
      const { id: begunBy } = yield* CurrentUser
      const server = yield* serverOf(name)
      if (server.signIn?.grant === "client_credentials") {
        return yield* impossible("It is configured with client_credentials: it connects without a person.")
      }
      if (!authorizations.canSeal) {
        return yield* impossible("Tokens are stored sealed: set SECRETS_KEY to a long, random text, and start again.")
      }
      const failed = Effect.mapError(({ reason }: { readonly reason: string }) => impossible(reason))
      const challenge = yield* challengeOf(server, rules.isHosted)
      const found = yield* failed(servers.discover(server.url, challenge))
      const wanted = (yield* authorizations.wantedOf({ server: name, user })) ?? server.signIn?.scopes ?? found.scopes
      const scopes = withOfflineAccess(wanted, found.metadata.scopes_supported)
      const client = yield* failed(clientOf(server, found.metadata, scopes))
      const state = randomBytes(32).toString("base64url")
      const grantor = { metadata: found.metadata, resource: found.resource }
      const { page, verifier } = yield* failed(
        servers.begin({ ...grantor, client, scopes, state, callback: callback.href })
      )
      const shown = addressBelow(consoleAddress(publicUrl), "tool-servers")
      shown.searchParams.set("server", name)
      const next = returnTo === undefined ? shown : ownAddress(home, returnTo)
      yield* pending.begin(state, {
        server: name,
        user,
        begunBy,
        url: server.url,
        grantor,
        client,
        verifier,
        scopes,
        next: next.href
      })
      return { url: page }
    })

    const complete = Effect.fn("ToolServerSignIn.complete")(function*(answer: URLSearchParams, caller: Caller | null) {
      const refused = (reason: string, status: ReturnRefused["status"] = 400) => new ReturnRefused({ status, reason })
      const state = answer.get("state") ?? ""
      const begunBy = Option.getOrNull(yield* pending.begunBy(state))
      if (begunBy === null) return yield* refused(notBegun)
      if (caller === null) return yield* refused("Sign in first, in this browser, as the person who began this.", 401)
      if (caller.id !== begunBy) return yield* refused("Somebody else began this sign-in.", 403)
      const begun = Option.getOrNull(yield* pending.take(state))
      if (begun === null) return yield* refused(notBegun)
      const { grantor, server: name } = begun
      const { authorization_response_iss_parameter_supported: namesItself, issuer } = grantor.metadata
      const answering = answer.get("iss")
      // RFC 9207: else the code of one authorization server could be taken to another.
      if (answering === null ? namesItself === true : !isSameIssuer(answering, issuer)) {
        return yield* refused(`The answer is not of the authorization server ${issuer}, at which the sign-in began.`)
      }
      const error = answer.get("error")
      if (error !== null) {
        const said = answer.get("error_description") ?? error
        return yield* refused(`The authorization server refused the sign-in: ${said.slice(0, 300)}`, 403)
      }
      const code = answer.get("code")
      if (code === null) return yield* refused("The authorization server sent no code.")
      const failed = Effect.mapError(({ message }: { readonly message: string }) => refused(message))
      const server = yield* failed(serverOf(name))
      if (server.url !== begun.url || isPerUser(server) !== (begun.user !== null)) {
        return yield* refused("The tool server was configured anew meanwhile. Connect it again.")
      }
      yield* failed(Effect.provideService(ownerOf(begun.user !== null), CurrentUser, caller))
      const tokens = yield* failed(servers.exchange({ ...begun, ...grantor, callback: callback.href, code }))
      const { client, scopes, url, user } = begun
      yield* authorizations.save({ server: name, user, url, grantor, client, scopes, connectedBy: caller.id }, tokens)
      yield* Effect.annotateLogs(Effect.logInfo(`The tool server ${name} is connected by ${issuer}`), {
        user_id: caller.id
      })
      return { server: name, issuer, scopes: tokens.scopes ?? scopes, next: new URL(begun.next) }
    })

    /** Whatever the authorization server says, the service has forgotten them; the person is told if they still hold. */
    const revoked = ({ accessToken, client, grantor: { metadata }, refreshToken, server }: Authorization, by: UserId) =>
      servers.revoke({
        client,
        metadata,
        accessToken: Redacted.value(accessToken),
        refreshToken: refreshToken === null ? null : Redacted.value(refreshToken)
      }).pipe(
        Effect.catchAll(({ reason }) =>
          Effect.zipRight(
            Effect.logWarning(`The tokens of the tool server ${server} are forgotten, but not revoked: ${reason}`),
            asService(Effect.orDie(notifyAdmins({
              title: `The tokens of ${server} are not revoked`,
              body:
                `The connection to the tool server ${server} is forgotten here, but ${metadata.issuer} has not revoked its `
                + `tokens, which hold until they expire, or until you end the access there. ${reason}`,
              user: by
            })))
          )
        )
      )

    return ToolServerSignIn.of({
      connect,
      complete,
      forget: (name) =>
        Effect.gen(function*() {
          const { entry } = yield* stored(name)
          const user = yield* ownerOf(entry.per_user === true)
          const forgotten = yield* authorizations.forget({ server: name, user })
          const caller = yield* CurrentUser
          if (Option.isSome(forgotten)) yield* Effect.forkIn(revoked(forgotten.value, caller.id), scope)
          if (isAdmin(caller) && entry.client_id !== undefined) yield* clientOf.forget(name, entry.client_id)
        })
    })
  })

const notBegun = "This sign-in did not begin here, was completed already, or took more than 10 minutes. Connect again."

/** Tokens that can be refreshed unattended need this scope where the authorization server knows it. */
const withOfflineAccess = (scopes: string | null, supported: ReadonlyArray<string> | undefined): string | null => {
  const isKnown = supported?.includes("offline_access") === true
  return scopes === null || !isKnown || scopes.split(" ").includes("offline_access")
    ? scopes
    : `${scopes} offline_access`
}
