import type { HeldTool, ToolServerState, ToolServerStatus } from "@troupe/domain/ToolServer"
import { Clock, DateTime, Duration, Effect, Random, type Scope, Stream } from "effect"
import { type CallTimeouts, withTimeout } from "./CallTimeout.ts"
import { CallFailed, connect, type Connection, type ConnectionOptions } from "./Connection.ts"
import type { ServerTool } from "./ServerTool.ts"
import type { ReviewedTools, ReviewMoment } from "./ToolReview.ts"
import { type ToolServer, transportOf } from "./ToolServer.ts"

export interface SupervisionOptions extends ConnectionOptions, CallTimeouts {
  /** The first pause before a server is started again; it doubles up to a minute. */
  readonly firstPause: Duration.Duration
  /** A server that was up for so long is started again after the first pause. */
  readonly stableAfter: Duration.Duration
}

export interface SupervisedServer {
  readonly state: () => ToolServerState
  /** Those of its last list; a server that is down keeps them, so that what agents are offered stays the same. */
  readonly tools: () => ReadonlyArray<ServerTool>
  readonly call: Call
  /** Reads and reviews the list anew, if the server is there. */
  readonly lookAgain: Effect.Effect<void>
}

export type Call = (
  tool: ServerTool,
  args: Readonly<Record<string, unknown>>
) => Effect.Effect<Readonly<Record<string, unknown>>, CallFailed>

/** What the supervision tells of, and asks. */
export interface SupervisionHooks {
  readonly onChange: () => void
  /** Which of the listed tools may be used. */
  readonly review: (
    server: string,
    tools: ReadonlyArray<ServerTool>,
    moment: ReviewMoment
  ) => Effect.Effect<ReviewedTools>
}

const longestPause = Duration.minutes(1)
/** How often a server that runs elsewhere is asked whether it is still there. */
const pingEvery = Duration.seconds(30)
/** The pause after each look at a changed list: a server that announces changes without end is not listened to. */
const listPause = Duration.seconds(1)

/** What is told of a defect: its words are for the log. */
const ownFault = "the service has met an error of its own, see its log; it tries again"

/**
 * Keeps a connection to the server as long as the scope lasts: one that fails or ends is made again after a pause that
 * grows with each failure. It begins in the background, so that nobody waits for a server that does not come up.
 */
export const supervise = (
  server: ToolServer,
  options: SupervisionOptions,
  hooks: SupervisionHooks
): Effect.Effect<SupervisedServer, never, Scope.Scope> =>
  Effect.gen(function*() {
    let status: ToolServerStatus = "connecting"
    let error: string | null = null
    let connectedAt: string | null = null
    let tools: ReadonlyArray<ServerTool> = []
    let held: ReadonlyArray<HeldTool> = []
    let connection: Connection | null = null
    let calls = 0

    const become = (next: ToolServerStatus, why: string | null, since: string | null) => {
      status = next
      error = why
      connectedAt = since
      hooks.onChange()
    }
    // One look after the other, so that an older one never has the last word.
    const alone = (yield* Effect.makeSemaphore(1)).withPermits(1)
    const names = server.allowedTools
    const read = (from: Connection, moment: ReviewMoment) =>
      from.list.pipe(
        Effect.map((listed) => names === null ? listed : listed.filter(({ name }) => names.includes(name))),
        Effect.flatMap((allowed) => hooks.review(server.name, allowed, moment)),
        Effect.map((reviewed) => {
          held = reviewed.held.map(({ name, reason }) => ({ name, reason }))
          if (!isSame(tools, reviewed.usable)) tools = reviewed.usable
        }),
        alone
      )
    const readAgain = (from: Connection) =>
      read(from, "running").pipe(
        Effect.tap(() => Effect.sync(hooks.onChange)),
        Effect.catchAll(({ reason }) => Effect.logWarning(`The list of ${server.name} can't be read: ${reason}`)),
        Effect.catchAllDefect((defect) => Effect.logWarning(`The list of ${server.name} can't be taken up`, defect))
      )

    const life = Effect.gen(function*() {
      const opened = yield* connect(server, options)
      yield* read(opened, "connected").pipe(
        Effect.timeoutFail({
          duration: options.connectTimeout,
          onTimeout: () => ({ reason: `it did not list its tools within ${Duration.format(options.connectTimeout)}` })
        })
      )
      connection = opened
      become("connected", null, DateTime.formatIso(yield* DateTime.now))
      yield* Effect.logInfo(`The tool server ${server.name} is connected with ${tools.length} tools`)
      yield* opened.listChanged.pipe(
        Stream.runForEach(() => Effect.zipRight(readAgain(opened), Effect.sleep(listPause))),
        Effect.forkScoped
      )
      if (server.target.transport !== "stdio") yield* Effect.forkScoped(pinging(opened, () => calls === 0))
      return yield* opened.closed
    }).pipe(
      Effect.scoped,
      Effect.catchAll(({ reason }) => Effect.succeed(reason)),
      Effect.catchAllDefect((defect) =>
        Effect.as(Effect.logWarning(`The tool server ${server.name} can't be looked after`, defect), ownFault)
      ),
      Effect.ensuring(Effect.sync(() => (connection = null)))
    )

    let failures = 0
    const lifeAndPause = Effect.gen(function*() {
      const begun = yield* Clock.currentTimeMillis
      const reason = yield* life
      const lasted = (yield* Clock.currentTimeMillis) - begun
      failures = connectedAt !== null && lasted >= Duration.toMillis(options.stableAfter) ? 0 : failures
      const wasUp = connectedAt !== null
      const said = `The tool server ${server.name} ${wasUp ? "is gone" : "does not connect"}: ${reason}`
      // One that fails again and again for the same reason is told of once.
      yield* wasUp || reason !== error ? Effect.logWarning(said) : Effect.logDebug(said)
      become("failed", reason, null)
      yield* Effect.sleep(yield* pauseAfter(failures++, options.firstPause))
    })
    yield* Effect.forever(lifeAndPause).pipe(Effect.annotateLogs({ tool_server: server.name }), Effect.forkScoped)

    const call: Call = (tool, args) =>
      Effect.suspend(() => {
        const at = connection
        if (at === null || at.isClosed()) {
          const why = status === "connecting" ? "it is still starting" : error ?? "it has just ended"
          return new CallFailed({ what: "refused", reason: `it is not connected: ${why}` })
        }
        calls++
        return withTimeout(server, options, (timeout) => at.call(tool.name, args, timeout)).pipe(
          Effect.ensuring(Effect.sync(() => calls--)),
          Effect.tapError(({ what }) =>
            what === "timedOut" ? Effect.forkDaemon(revive(at, () => calls === 0)) : Effect.void
          )
        )
      })

    return {
      tools: () => tools,
      call,
      lookAgain: Effect.suspend(() => connection === null ? Effect.void : readAgain(connection)),
      state: () => ({
        name: server.name,
        transport: transportOf(server),
        status,
        tool_count: status === "connected" ? tools.length : 0,
        tools: status === "connected" ? tools.map(({ name }) => name) : [],
        tools_off: status === "connected" ? held : [],
        error,
        connected_at: connectedAt
      })
    }
  })

/** A server that neither answers a call nor, being idle, a ping hangs: it is ended, and so started again. */
const revive = (connection: Connection, isIdle: () => boolean) =>
  Effect.suspend(() => (isIdle() && !connection.isClosed() ? connection.ping : Effect.succeed(true))).pipe(
    Effect.map((answers) => {
      if (!answers && isIdle()) connection.close("it did not answer any more")
    })
  )

const pinging = (connection: Connection, isIdle: () => boolean) =>
  revive(connection, isIdle).pipe(Effect.delay(pingEvery), Effect.forever)

/** The pause before a server is started again: it doubles with each failure, up to a minute, give or take a fifth. */
export const pauseAfter = (failures: number, first: Duration.Duration): Effect.Effect<Duration.Duration> =>
  Effect.map(
    Random.nextRange(0.8, 1.2),
    (factor) => Duration.times(Duration.min(longestPause, Duration.times(first, 2 ** Math.min(failures, 16))), factor)
  )

const isSame = (known: ReadonlyArray<ServerTool>, listed: ReadonlyArray<ServerTool>): boolean =>
  known.length === listed.length && known.every(({ digest, name }, index) => {
    const other = listed[index]
    return other !== undefined && other.name === name && other.digest === digest
  })
