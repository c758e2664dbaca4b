import type { UserId } from "@troupe/domain/Ids"
import { Effect, RcMap, type Scope } from "effect"
import type { AccessTokens } from "./AccessTokens.ts"
import type { CallTool } from "./ServerCall.ts"
import type { SupervisedServer } from "./SupervisedServer.ts"
import { isPerUser, type ToolServer } from "./ToolServer.ts"
import { openSession, type SessionOptions } from "./ToolSession.ts"

/** The sign-ins that calls of tools wait for. */
export interface SignIns {
  /** Whether it is known, without a statement, that calls for the person need no sign-in. */
  readonly areDone: (server: string, user: UserId) => boolean
  /** Whether somebody has to sign in before a call for the person. */
  readonly areMissing: (server: string, user: UserId) => Effect.Effect<boolean>
  readonly arePerUser: (server: string) => boolean
}

interface Running {
  readonly server: ToolServer
  readonly supervised: SupervisedServer
}

/** Of the servers that run in this process. */
export const makeSignIns = (
  running: ReadonlyMap<string, Running>,
  { isHeld, isMissing }: Pick<AccessTokens["Type"], "isHeld" | "isMissing">
): SignIns & { readonly follow: Effect.Effect<void> } => ({
  areDone: (name, user) => {
    const found = running.get(name)
    if (found === undefined) return true
    return isPerUser(found.server)
      ? isHeld(found.server, user)
      : found.supervised.state().status !== "needs_sign_in"
  },
  areMissing: (name, user) =>
    Effect.gen(function*() {
      const found = running.get(name)
      if (found === undefined) return false
      const missing = yield* isMissing(found.server, user)
      if (!missing) yield* found.supervised.signedIn
      return missing
    }),
  arePerUser: (name) => {
    const found = running.get(name)
    return found !== undefined && isPerUser(found.server)
  },
  /** Servers that wait for a sign-in are connected at once when there is one, and the others disconnected when it is forgotten. */
  follow: Effect.suspend(() =>
    Effect.forEach(running.values(), ({ server, supervised }) => {
      const waits = supervised.state().status === "needs_sign_in"
      if (!waits && !supervised.usesToken()) return Effect.void
      return Effect.flatMap(isMissing(server, null), (missing) =>
        waits === missing ? Effect.void : missing ? supervised.disconnect : supervised.signedIn)
    }, { discard: true })
  )
})

/** Calls over connections of the person, which are closed when they are not used for some minutes. */
export const makePersonalCalls = (
  serverOf: (name: string) => ToolServer | null,
  options: (user: UserId) => SessionOptions
): Effect.Effect<(user: UserId) => CallTool, never, Scope.Scope> =>
  Effect.map(
    RcMap.make({ lookup: (user: UserId) => openSession(serverOf, options(user)), idleTimeToLive: "5 minutes" }),
    (sessions) => (user) => (tool, args, onProgress, asking) =>
      Effect.scoped(
        Effect.flatMap(RcMap.get(sessions, user), (session) => session.call(tool, args, onProgress, asking))
      )
  )
