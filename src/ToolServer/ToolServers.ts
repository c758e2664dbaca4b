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
  Record,
  Redacted,
  Schedule,
  Scope,
  Stream
} from "effect"
import { v7 } from "uuid"
import type { PreparedStatements } from "../Runtime/PreparedStatements.ts"
import { Watchdog } from "../Runtime/Watchdog.ts"
import { callLimitOf } from "./CallTimeout.ts"
import { CallFailed } from "./Connection.ts"
import type { ServerTool } from "./ServerTool.ts"
import { type Call, supervise, type SupervisedServer, type SupervisionOptions } from "./SupervisedServer.ts"
import { ToolDefinitions } from "./ToolDefinitions.ts"
import { boundNames, mayBeOf } from "./ToolNames.ts"
import { makeReview, type ReviewOptions } from "./ToolReview.ts"
import type { ToolServer } from "./ToolServer.ts"
import { type StoredServer, ToolServerRepo } from "./ToolServerRepo.ts"
import { openSession, type ToolSession } from "./ToolSession.ts"

export interface ToolServersOptions
  extends Omit<SupervisionOptions, "watchdog" | "firstPause" | "stableAfter" | "callLimit">, ReviewOptions
{
  /** The time-outs of the steps that make calls; no call lasts longer. */
  readonly stepTimeout: { readonly parent: Duration.Duration; readonly subagent: Duration.Duration }
  readonly firstPause?: Duration.Duration
  readonly stableAfter?: Duration.Duration
  /** How often this process looks for a new configuration that nothing told it of. */
  readonly lookEvery?: Duration.Duration
}

/**
 * The tool servers of this process, as they are configured in the database: started, watched over, and started again.
 * A change of the configuration is taken up within a few seconds; servers that it leaves alone go on undisturbed.
 */
export class ToolServers extends Context.Tag("troupe/ToolServer/ToolServers")<ToolServers, {
  /** The tools of every server, down or not; the same array as long as nothing changed. */
  readonly tools: () => ReadonlyArray<ServerTool>
  /** Calls a tool over the connections that this process's tasks share, within a step of a task. */
  readonly call: Call
  /** Why there is no tool of this name, when its server is configured but not there, or the tool is held; else null. */
  readonly absent: (boundName: string) => string | null
  /** Connections of one subagent's own, until its scope ends; calls end within a step of a subtask. */
  readonly openSession: Effect.Effect<ToolSession, never, Scope.Scope>
  /** Waits until no server is on its way up for the first time, and at most some seconds after they were configured. */
  readonly settled: Effect.Effect<void>
}>() {
  /** No servers at all. */
  static readonly layerNone: Layer.Layer<ToolServers> = Layer.sync(this, () => {
    const none: ReadonlyArray<ServerTool> = []
    const call: Call = () => new CallFailed({ what: "refused", reason: "there are no tool servers" })
    return ToolServers.of({
      tools: () => none,
      call,
      absent: () => null,
      openSession: Effect.succeed({ call }),
      settled: Effect.void
    })
  })

  static readonly layer = (
    options: ToolServersOptions
  ): Layer.Layer<ToolServers, never, ToolServerRepo | PreparedStatements> =>
    Layer.scoped(this, make(options)).pipe(Layer.provide([Watchdog.layer, ToolDefinitions.layer]))
}

/** A worker's report counts for three times as long. */
const reportEvery = Duration.seconds(5)
/** For how long after a change of the configuration new runs wait for servers to come up. */
const settleMillis = 5_000
/** How long a change of the configuration waits for servers that it leaves alone to list their tools again. */
const reviewMillis = 2_000

interface Running {
  /** All of the configuration; another one is another server. */
  readonly key: string
  readonly server: ToolServer
  readonly supervised: SupervisedServer
  readonly end: Effect.Effect<void>
}

const make = (
  given: ToolServersOptions
): Effect.Effect<ToolServers["Type"], never, ToolServerRepo | ToolDefinitions | Watchdog | Scope.Scope> =>
  Effect.gen(function*() {
    const repo = yield* ToolServerRepo
    const options: SupervisionOptions = {
      firstPause: Duration.millis(500),
      stableAfter: Duration.seconds(30),
      ...given,
      callLimit: callLimitOf(given.stepTimeout.parent),
      watchdog: yield* Watchdog
    }
    const scope = yield* Scope.fork(yield* Effect.scope, ExecutionStrategy.parallel)
    const changes = yield* Queue.sliding<void>(1)
    const running = new Map<string, Running>()
    const process = v7()
    let fixed: ReadonlyArray<ToolServerState> = []
    let version = -1
    let appliedAt: number | null = null
    let tools: ReadonlyArray<ServerTool> | null = []

    const onChange = () => {
      tools = null
      changes.unsafeOffer(undefined)
    }
    const review = makeReview(yield* ToolDefinitions, given)

    const start = (server: ToolServer, key: string) =>
      Effect.gen(function*() {
        const own = yield* Scope.fork(scope, ExecutionStrategy.sequential)
        const supervised = yield* Scope.extend(supervise(server, options, { onChange, review }), own)
        running.set(server.name, { key, server, supervised, end: Scope.close(own, Exit.void) })
      })

    const apply = Effect.gen(function*() {
      const configuration = yield* repo.configuration
      const wanted = new Map(configuration.servers.flatMap((stored) => {
        const server = Either.getOrNull(stored.server)
        return server === null || server.disabled ? [] : [[server.name, { server, key: keyOf(server) }] as const]
      }))
      const leaving = [...running].filter(([name, { key }]) => wanted.get(name)?.key !== key)
      for (const [name] of leaving) running.delete(name)
      // What ends may take its time; what begins does not wait for it.
      yield* Effect.forkIn(
        Effect.uninterruptible(Effect.forEach(leaving, ([, { end }]) => end, { concurrency: "unbounded" })),
        scope
      )
      const staying = [...running.values()]
      for (const [name, { key, server }] of wanted) if (!running.has(name)) yield* start(server, key)
      yield* reviewAll(staying)
      fixed = configuration.servers.flatMap(fixedState)
      appliedAt = yield* Clock.currentTimeMillis
      version = configuration.version
      onChange()
    })

    /** Whoever configures accepts the tools as they are: those held so far are not any more. */
    const reviewAll = (servers: ReadonlyArray<Running>) =>
      Effect.forEach(servers, ({ supervised }) => supervised.lookAgain, { concurrency: "unbounded", discard: true })
        .pipe(
          Effect.forkIn(scope),
          Effect.flatMap(Fiber.await),
          Effect.timeoutOption(reviewMillis)
        )

    const look = Effect.gen(function*() {
      const latest = yield* repo.version
      if (latest !== version) yield* apply
    }).pipe(Effect.catchAllDefect((cause) => Effect.logDebug("The tool servers' configuration can't be read", cause)))

    const report = Effect.suspend(() => {
      if (version <= 0) return Effect.void
      const servers = [...fixed, ...[...running.values()].map(({ supervised }) => supervised.state())]
      return repo.report(process, { version, servers })
    }).pipe(Effect.catchAllDefect((cause) => Effect.logDebug("The tool servers' state can't be told", cause)))

    const ticks = (every: Duration.Duration) => Stream.fromSchedule(Schedule.spaced(every))
    yield* Effect.addFinalizer(() => Effect.ignore(Effect.catchAllDefect(repo.retract(process), () => Effect.void)))
    yield* Stream.merge(repo.stored, ticks(given.lookEvery ?? Duration.seconds(2))).pipe(
      Stream.runForEach(() => look),
      (looking) => Effect.zipRight(look, looking),
      Effect.forkScoped
    )
    yield* Stream.merge(Stream.fromQueue(changes), ticks(reportEvery)).pipe(
      Stream.runForEach(() => Effect.zipRight(report, Effect.sleep("100 millis"))),
      Effect.forkScoped
    )

    const isSettling = () =>
      appliedAt === null || [...running.values()].some(({ supervised }) => supervised.state().status === "connecting")
    const begun = yield* Clock.currentTimeMillis

    return ToolServers.of({
      tools: () => tools ??= inOrder(running).flatMap(({ supervised }) => supervised.tools()),
      call: (tool, args) =>
        running.get(tool.server)?.supervised.call(tool, args)
          ?? new CallFailed({ what: "refused", reason: "it is not configured any more" }),
      absent: (boundName) => {
        const states = [...fixed, ...inOrder(running).map(({ supervised }) => supervised.state())]
        const state = states.find(({ name, status }) => status !== "connected" && mayBeOf(name, boundName))
        if (state !== undefined) return absence(state)
        const held = states.find(({ name, tools_off }) =>
          tools_off.some((tool) => boundNames([{ server: name, name: tool.name }]).has(boundName))
        )
        return held === undefined ? null : offUntilAccepted(held.name)
      },
      openSession: openSession((name) => running.get(name)?.server ?? null, {
        ...options,
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

const absence = ({ error, name, status }: ToolServerState): string =>
  `the tool server ${name} is ${status === "connecting" ? "still starting" : status}`
  + `${error === null ? "" : `: ${error}`}. Do without its tools, or wait and try again.`

const offUntilAccepted = (server: string): string =>
  `this tool of the tool server ${server} is off: its definition is not the one that was accepted. `
  + "Do without it, and say that an admin can accept it."

/** By name, so that every process offers the same tools in the same order. */
const inOrder = (running: ReadonlyMap<string, Running>): ReadonlyArray<Running> =>
  [...running.values()].toSorted((one, other) => (one.server.name < other.server.name ? -1 : 1))

/** What needs no watching to be told: servers that are disabled, or that can't even be tried. */
const fixedState = ({ disabled, name, server, transport }: StoredServer): ReadonlyArray<ToolServerState> => {
  const state = { name, transport, tool_count: 0, tools: [], tools_off: [], connected_at: null }
  if (disabled) return [{ ...state, status: "disabled", error: null }]
  if (Either.isRight(server)) return []
  return [{
    ...state,
    status: "failed",
    error: "Its env or headers can't be read with this SECRETS_KEY. Set the key they were stored with, or configure "
      + "the server again."
  }]
}

const keyOf = ({ target, ...rest }: ToolServer): string =>
  JSON.stringify([
    rest,
    target.transport === "stdio"
      ? { ...target, env: Record.map(target.env, Redacted.value) }
      : { ...target, headers: Record.map(target.headers, Redacted.value) }
  ])
