import { plural } from "@troupe/domain/Text"
import type { ToolServerState } from "@troupe/domain/ToolServer"
import { unseenHealth } from "@troupe/domain/Unattended"
import { Clock, DateTime, Duration, Effect, Queue, Schedule, type Scope, Stream } from "effect"
import type { AccessTokens } from "./AccessTokens.ts"
import { closeIfHung, connect, type Connection, type ConnectionOptions, pinging } from "./Connection.ts"
import { makeOfferedTools } from "./OfferedTools.ts"
import { CallFailed, callOver, type CallTimeouts, type CallTool } from "./ServerCall.ts"
import type { ServerTool } from "./ServerTool.ts"
import type { Review } from "./ToolReview.ts"
import { isPerUser, type ToolServer } from "./ToolServer.ts"

export interface SupervisionOptions extends Omit<ConnectionOptions, "tokens">, CallTimeouts {
  readonly accessTokens?: AccessTokens["Type"] | undefined
}

export interface SupervisedServer {
  readonly state: () => ToolServerState
  /** The tools of its last list, also while it is not connected: agents are offered the same tools. */
  readonly tools: () => ReadonlyArray<ServerTool>
  readonly call: CallTool
  readonly refresh: Effect.Effect<void>
  /** Somebody has signed in at it: calls wait until it is connected again, or can't be. */
  readonly signedIn: Effect.Effect<void>
  /** Whether it is connected with an access token. */
  readonly usesToken: () => boolean
  readonly disconnect: Effect.Effect<void>
}

export interface SupervisionHooks {
  readonly onChange: () => void
  readonly review: Review
  /** What it offers until it is connected. */
  readonly stored?: ReadonlyArray<ServerTool>
}

type ConnectionState = Pick<ToolServerState, "connected_at" | "error" | "status">

/** Before a restart. */
const firstPause = Duration.millis(500)
const maxPause = Duration.minutes(1)
/** A server that was connected for this long is restarted after the first pause. */
const stableAfter = Duration.seconds(30)
/** The pause after reading a changed list: a server may announce changes continually. */
const listPause = Duration.seconds(1)

/** How often a server that needs a sign-in is tried without one. */
const signInInterval = Duration.minutes(1)
const lostSignIn = "it needs a sign-in"

const notOffered = "it does not offer this tool any more, or an admin has to accept its definition first"

const internalError = "internal error of the service, see its log; it will be retried"

/** Keeps a connection to the server open until the scope ends, in the background. */
export const supervise = (
  server: ToolServer,
  { accessTokens, ...given }: SupervisionOptions,
  hooks: SupervisionHooks
): Effect.Effect<SupervisedServer, never, Scope.Scope> =>
  Effect.gen(function*() {
    const tokens = server.transport === "stdio" ? undefined : accessTokens?.sourceOf(server, null)
    const options = { ...given, tokens }
    const offered = makeOfferedTools(server, hooks.review, hooks.stored ?? [])
    const signIns = yield* Queue.sliding<void>(1)
    let state: ConnectionState = { status: "connecting", error: null, connected_at: null }
    let connections = 0
    let lastError: ToolServerState["last_error"] = null
    let connection: Connection | null = null
    let calls = 0

    const isIdle = () => calls === 0
    const setState = (next: ConnectionState) => {
      state = next
      hooks.onChange()
    }
    // Closed until it is connected for the first time or can't be, and while a session that it has forgotten is replaced.
    const renewed = yield* Effect.makeLatch(false)
    yield* Effect.addFinalizer(() => renewed.open)
    const readAgain = (from: Connection) =>
      offered.read(from).pipe(
        Effect.tap(() => Effect.sync(hooks.onChange)),
        Effect.catchAll(({ reason }) => Effect.logWarning(`Reading the tools of ${server.name} failed: ${reason}`)),
        Effect.catchAllDefect((defect) => Effect.logWarning(`Reviewing the tools of ${server.name} failed`, defect))
      )

    const connectionLife = Effect.gen(function*() {
      const opened = yield* connect(server, options)
      yield* offered.read(opened)
      connection = opened
      yield* renewed.open
      setState({ status: "connected", error: null, connected_at: DateTime.formatIso(yield* DateTime.now) })
      yield* Effect.logInfo(`Tool server ${server.name} connected with ${plural(offered.usable().length, "tool")}`)
      yield* opened.listChanged.pipe(
        Stream.runForEach(() => Effect.zipRight(readAgain(opened), Effect.sleep(listPause))),
        Effect.forkScoped
      )
      if (server.transport !== "stdio") yield* Effect.forkScoped(pinging(opened, isIdle))
      return yield* opened.closed
    }).pipe(
      Effect.scoped,
      Effect.catchAll(({ reason }) => Effect.succeed(reason)),
      Effect.catchAllDefect((defect) =>
        Effect.as(Effect.logWarning(`Supervisor of tool server ${server.name} failed`, defect), internalError)
      ),
      Effect.ensuring(Effect.sync(() => {
        if (connection?.isForgotten() === true) renewed.unsafeClose()
        connection = null
      }))
    )

    const cycle = Effect.gen(function*() {
      const begun = yield* Clock.currentTimeMillis
      connections += 1
      const reason = yield* connectionLife
      const duration = (yield* Clock.currentTimeMillis) - begun
      const wasConnected = state.connected_at !== null
      if (!wasConnected) yield* renewed.open
      const what = wasConnected ? "disconnected" : "did not connect"
      const event = `Tool server ${server.name} ${what} and is retried: ${reason.replaceAll("\n", "\n  ")}`
      // Repeated failures for the same reason are logged once. What a program writes may have the time in it.
      const isKnown = !wasConnected && clauseOf(reason) === clauseOf(state.error ?? "")
      yield* isKnown ? Effect.logDebug(event) : Effect.logWarning(event)
      lastError = { message: reason, at: DateTime.formatIso(yield* DateTime.now) }
      const needsSignIn = tokens?.needsSignIn() === true
      setState({ status: needsSignIn ? "needs_sign_in" : "failed", error: reason, connected_at: null })
      if (needsSignIn) {
        yield* Effect.timeoutOption(signIns.take, signInInterval)
        return true
      }
      return wasConnected && duration >= Duration.toMillis(stableAfter)
    })
    yield* cycle.pipe(
      Effect.repeat(restartSchedule),
      Effect.annotateLogs({ tool_server: server.name }),
      Effect.forkScoped
    )

    const reach: Effect.Effect<Connection, CallFailed> = Effect.suspend(() => {
      if (connection?.isForgotten() === true) renewed.unsafeClose()
      return renewed.await
    }).pipe(
      Effect.flatMap(() => {
        if (connection !== null && !connection.isClosed()) return Effect.succeed(connection)
        if (tokens?.needsSignIn() === true) return new CallFailed({ what: "unauthorized", reason: lostSignIn })
        const why = state.status === "connecting"
          ? "it is still starting"
          : clauseOf(state.error ?? "it has just ended")
        return new CallFailed({ what: "refused", reason: `it is not connected: ${why}` })
      })
    )
    const call: CallTool = (tool, args, onProgress, asking) =>
      callOver(server, options, reach, (current, timeout) =>
        Effect.suspend(() => {
          calls++
          if (!offered.usable().some(({ name }) => name === tool.name)) {
            return new CallFailed({ what: "refused", reason: notOffered })
          }
          return current.call(tool.name, args, timeout, onProgress, asking)
        }).pipe(
          Effect.ensuring(Effect.sync(() => calls--)),
          Effect.tapError(({ what }) =>
            what === "timedOut"
              ? Effect.asVoid(Effect.forkDaemon(closeIfHung(current, isIdle)))
              : Effect.sync(() => {
                // Other calls may be at work over it.
                if (what === "unauthorized" && tokens?.needsSignIn() === true && isIdle()) current.close(lostSignIn)
              })
          )
        ))

    return {
      tools: offered.usable,
      call,
      usesToken: () => connection !== null && tokens?.isUsed() === true,
      disconnect: Effect.sync(() => connection?.close(lostSignIn)),
      signedIn: Effect.suspend(() => {
        if (state.status !== "needs_sign_in") return Effect.void
        renewed.unsafeClose()
        state = { ...state, status: "connecting" }
        return signIns.offer(undefined)
      }),
      refresh: Effect.suspend(() => connection === null ? Effect.void : readAgain(connection)),
      state: () => {
        const isConnected = state.status === "connected"
        const tools = isConnected ? offered.usable() : []
        return {
          name: server.name,
          transport: server.transport,
          ...state,
          tool_count: tools.length,
          tools: tools.map(({ name }) => name).toSorted(),
          tools_off: isConnected ? offered.held() : [],
          warnings: isConnected ? offered.warnings() : [],
          restarts: Math.max(0, connections - 1),
          health: unseenHealth,
          last_error: lastError,
          per_user: isPerUser(server),
          connection: null
        }
      }
    }
  })

/** A reason without what the program has written, which is for people. */
const clauseOf = (reason: string): string => reason.split("\n", 1)[0] ?? ""

/** Pauses that double up to a minute, with 20 % jitter. The input says whether the connection was stable: then they begin anew. */
export const restartSchedule: Schedule.Schedule<boolean, boolean> = Schedule.exponential(firstPause).pipe(
  Schedule.modifyDelay((_, pause) => Duration.min(pause, maxPause)),
  Schedule.jittered,
  Schedule.zipRight(Schedule.identity<boolean>()),
  Schedule.resetWhen((wasStable) => wasStable)
)
