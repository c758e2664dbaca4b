import type { SqlClient } from "@effect/sql/SqlClient"
import type { UserId } from "@troupe/domain/Ids"
import { firstLineOf } from "@troupe/domain/Text"
import type { ToolServerState } from "@troupe/domain/ToolServer"
import {
  Clock,
  Context,
  Duration,
  Effect,
  Either,
  ExecutionStrategy,
  Exit,
  Fiber,
  Layer,
  Queue,
  Scope,
  Stream
} from "effect"
import { createHash } from "node:crypto"
import { v7 } from "uuid"
import { Watchdog } from "../Runtime/Process/Watchdog.ts"
import { AccessTokens } from "./AccessTokens.ts"
import { CallFailed, callLimitOf, type CallTool, type StepTimeouts } from "./ServerCall.ts"
import { boundNames, mayBeOf, type ServerTool } from "./ServerTool.ts"
import { makePersonalCalls, makeSignIns, type SignIns } from "./SignIns.ts"
import { supervise, type SupervisedServer, type SupervisionOptions } from "./SupervisedServer.ts"
import { makeReview, type ReviewOptions } from "./ToolReview.ts"
import { isPerUser, offerOf, type StoredServer, type ToolServer } from "./ToolServer.ts"
import { ToolServerRepo } from "./ToolServerRepo.ts"
import { unconnected } from "./ToolServerSettings.ts"
import { openSession, type ToolSession } from "./ToolSession.ts"

export interface ToolServersOptions
  extends Omit<SupervisionOptions, "watchdog" | "callLimit" | "accessTokens">, ReviewOptions
{
  readonly stepTimeout: StepTimeouts
}

/** Runs the configured tool servers. A change is applied within seconds and does not disturb the unchanged servers. */
export class ToolServers extends Context.Tag("troupe/ToolServer/ToolServers")<ToolServers, {
  /** The tools of every server, connected or not; the same array until something changes. */
  readonly tools: () => ReadonlyArray<ServerTool>
  /** Calls a tool over the connections that the tasks of this process share, within a step of a task. */
  readonly call: CallTool
  /** Why there is no tool of this name: its server is gone or not connected, or the tool is held. Else null. */
  readonly absent: (boundName: string) => string | null
  /** Connections of its own for a subagent that works for the person, until the scope ends; calls end within a step of a subtask. */
  readonly openSession: (user: UserId) => Effect.Effect<ToolSession, never, Scope.Scope>
  readonly signIns: SignIns
  /** Waits until no server is connecting, at most for some seconds after they were configured. */
  readonly settled: Effect.Effect<void>
}>() {
  static readonly layer = (
    options: ToolServersOptions
  ): Layer.Layer<ToolServers, never, ToolServerRepo | AccessTokens | SqlClient> =>
    Layer.scoped(this, make(options)).pipe(Layer.provide(Watchdog.layer))
}

const pollInterval = Duration.seconds(20)
const reportInterval = Duration.seconds(5)
/** For how long after a change of the configuration new runs wait for servers to connect. */
const settleMillis = 5_000
/** How long a change of the configuration waits for unchanged servers to list their tools again. */
const reviewMillis = 2_000

interface Running {
  readonly server: ToolServer
  readonly supervised: SupervisedServer
  readonly end: Effect.Effect<void>
}

const make = (given: ToolServersOptions) =>
  Effect.gen(function*() {
    const repo = yield* ToolServerRepo
    const options: SupervisionOptions = {
      ...given,
      callLimit: callLimitOf(given.stepTimeout.parent),
      watchdog: yield* Watchdog,
      accessTokens: yield* AccessTokens
    }
    const accessTokens = yield* AccessTokens
    const scope = yield* Scope.fork(yield* Effect.scope, ExecutionStrategy.parallel)
    const changes = yield* Queue.sliding<void>(1)
    const running = new Map<string, Running>()
    const process = v7()
    let notRunning: ReadonlyArray<ToolServerState> = []
    let version = -1
    let appliedAt: number | null = null
    let tools: ReadonlyArray<ServerTool> | null = []

    const onChange = () => {
      tools = null
      changes.unsafeOffer(undefined)
    }
    const review = yield* makeReview(given)

    const start = (server: ToolServer) =>
      Effect.gen(function*() {
        const own = yield* Scope.fork(scope, ExecutionStrategy.sequential)
        const stored = yield* repo.usable(server.name)
        const supervised = yield* Scope.extend(supervise(server, options, { onChange, review, stored }), own)
        running.set(server.name, { server, supervised, end: Scope.close(own, Exit.void) })
      })

    const apply = Effect.gen(function*() {
      const configuration = yield* repo.configuration
      const configured = new Map(configuration.servers.flatMap((stored) => {
        const server = Either.getOrNull(stored.server)
        return server === null || server.disabled ? [] : [[server.name, server] as const]
      }))
      const obsolete = [...running].filter(([name, { server }]) => {
        const next = configured.get(name)
        return next === undefined || next.timeoutSeconds !== server.timeoutSeconds || offerOf(next) !== offerOf(server)
      })
      for (const [name] of obsolete) running.delete(name)
      // Stopping may take seconds; starting does not wait for it.
      yield* Effect.forkIn(
        Effect.uninterruptible(Effect.forEach(obsolete, ([, { end }]) => end, { concurrency: "unbounded" })),
        scope
      )
      const unchanged = [...running.values()]
      for (const [name, server] of configured) if (!running.has(name)) yield* start(server)
      yield* reviewAll(unchanged)
      notRunning = configuration.servers.flatMap(stateOfNotRunning)
      appliedAt = yield* Clock.currentTimeMillis
      version = configuration.version
      onChange()
    })

    /** A new version may be the acceptance of tools that were held. */
    const reviewAll = (servers: ReadonlyArray<Running>) =>
      Effect.forEach(servers, ({ supervised }) => supervised.refresh, { concurrency: "unbounded", discard: true })
        .pipe(
          Effect.forkIn(scope),
          Effect.flatMap(Fiber.await),
          Effect.timeoutOption(reviewMillis)
        )

    const poll = Effect.gen(function*() {
      const latest = yield* repo.version
      if (latest !== version) yield* apply
    }).pipe(retriedLater("Reading the configuration of the tool servers"))

    const tokensOf = (user: UserId) => (server: ToolServer) =>
      server.transport === "stdio" ? undefined : accessTokens.sourceOf(server, user)
    const serverOf = (name: string) => running.get(name)?.server ?? null
    const personalCalls = yield* makePersonalCalls(serverOf, (user) => ({ ...options, tokensOf: tokensOf(user) }))
    const { follow, ...signIns } = makeSignIns(running, accessTokens)

    const states = () => [...notRunning, ...inOrder(running).map(({ supervised }) => supervised.state())]
    const report = Effect.suspend(() =>
      version > 0 ? repo.report(process, { version, servers: states() }) : Effect.void
    ).pipe(retriedLater("Reporting the state of the tool servers"))

    yield* Effect.addFinalizer(() => Effect.catchAllDefect(repo.retract(process), () => Effect.void))
    yield* Stream.merge(repo.stored, Stream.tick(pollInterval)).pipe(
      Stream.runForEach(() => Effect.zipRight(poll, retriedLater("Following the sign-ins at tool servers")(follow))),
      Effect.forkScoped
    )
    yield* Stream.merge(Stream.fromQueue(changes), Stream.tick(reportInterval)).pipe(
      Stream.runForEach(() => Effect.zipRight(report, Effect.sleep("100 millis"))),
      Effect.forkScoped
    )

    const isSettling = () =>
      appliedAt === null || [...running.values()].some(({ supervised }) => supervised.state().status === "connecting")
    const begun = yield* Clock.currentTimeMillis

    return ToolServers.of({
      tools: () => tools ??= inOrder(running).flatMap(toolsIn),
      call: (tool, args, onProgress, asking, user) => {
        const found = running.get(tool.server)
        if (found === undefined) {
          return new CallFailed({ what: "refused", reason: "it is not configured any more" })
        }
        if (!isPerUser(found.server)) return found.supervised.call(tool, args, onProgress, asking)
        // Never over the connection that lists its tools: somebody else may have signed in for it.
        return user === undefined
          ? new CallFailed({ what: "refused", reason: "each person signs in at it, and the call is for nobody" })
          : personalCalls(user)(tool, args, onProgress, asking)
      },
      signIns,
      absent: (boundName) => {
        const all = states()
        const state = all.find(({ name, status }) => status !== "connected" && mayBeOf(name, boundName))
        if (state !== undefined) return unavailable(state)
        const held = all.find(({ name, tools_off }) =>
          tools_off.some((tool) => boundNames([{ server: name, name: tool.name }]).has(boundName))
        )
        if (held !== undefined) return offUntilAccepted(held.name)
        const isGone = appliedAt !== null && boundName.includes("__") &&
          !all.some(({ name }) => mayBeOf(name, boundName))
        return isGone ? removed : null
      },
      openSession: (user) =>
        openSession(serverOf, {
          ...options,
          tokensOf: tokensOf(user),
          callLimit: callLimitOf(given.stepTimeout.subagent)
        }),
      settled: Effect.gen(function*() {
        while (isSettling()) {
          const now = yield* Clock.currentTimeMillis
          if (now - (appliedAt ?? begun) > settleMillis) return
          yield* Effect.sleep("50 millis")
        }
      })
    })
  })

const retriedLater = (work: string) =>
  Effect.catchAllDefect((cause) => Effect.logDebug(`${work} failed; it will be retried`, cause))

/** For an agent: without the lines that the program wrote, which are for operators. */
const unavailable = ({ error, name, status }: ToolServerState): string =>
  `the tool server ${name} is ${status === "connecting" ? "still starting" : status}`
  + `${error === null ? "" : `: ${firstLineOf(error)}`}. Do without its tools, or wait and try again.`

const offUntilAccepted = (server: string): string =>
  `this tool of the tool server ${server} is off: its definition is not the one that was accepted. `
  + "Do without it, and say that an admin can accept it."

const removed = "there is no tool of this name: if there was one, its server was removed or renamed. "
  + "Do without it, and say so where the request needs it."

const toolsIn = ({ server, supervised }: Running): ReadonlyArray<ServerTool> => {
  const place = createHash("sha256").update(offerOf(server)).digest("hex")
  return supervised.tools().map((tool) => ({ ...tool, place }))
}

/** By name, so that every process offers the same tools in the same order. */
const inOrder = (running: ReadonlyMap<string, Running>): ReadonlyArray<Running> =>
  [...running.values()].toSorted((one, other) => (one.server.name < other.server.name ? -1 : 1))

const stateOfNotRunning = (stored: StoredServer): ReadonlyArray<ToolServerState> => {
  if (stored.disabled) return [unconnected(stored, "disabled", null)]
  return Either.isLeft(stored.server) ? [unconnected(stored, "failed", unreadable)] : []
}

const unreadable = "Its env or headers can't be read with this SECRETS_KEY. Set the key they were stored with, or "
  + "configure the server again."
