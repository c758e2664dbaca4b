import spawn from "cross-spawn"
import { Data, Deferred, Duration, Effect, Either, Fiber, type Scope } from "effect"
import type { ChildProcess as NodeChildProcess } from "node:child_process"
import { randomUUID } from "node:crypto"
import type { Readable, Writable } from "node:stream"
import { errorCode, errorText } from "../ErrorText.ts"
import { hasGroups, makeTermination, maxProcesses, type ProcessInfo, startTimeOf } from "./Termination.ts"
import type { Watchdog } from "./Watchdog.ts"

export interface ProcessCommand {
  readonly program: string
  readonly args: ReadonlyArray<string>
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string | null
  /** The system user as which it runs, if not as this process. It need not be able to reach the working directory. */
  readonly account?: { readonly uid: number; readonly gid: number } | null
}

export interface ProcessOptions {
  /** Terminates it when this process is killed. Null for a program that terminates itself then. */
  readonly watchdog: Watchdog["Type"] | null
  /** Finds processes beyond its group and descendants, by an inherited variable or by the sandbox's namespace. */
  readonly tracking: "group" | "environment" | "sandbox"
  /** The first processes of a sandbox, which end with those inside and get no SIGTERM. */
  readonly launchers?: number
  readonly hasInput?: boolean
  readonly inputGrace?: Duration.DurationInput
  /** The time between SIGTERM and SIGKILL; with zero there is no SIGTERM. */
  readonly grace: Duration.DurationInput
  /** Removed by the watchdog, should it have to terminate the process. */
  readonly temporaryFolder?: string
}

export interface ChildExit {
  readonly code: number | null
  readonly signal: string | null
}

/** A program that was started as the leader of a process group of its own. */
export interface ChildProcess {
  readonly pid: number
  readonly stdin: Writable | null
  readonly stdout: Readable
  readonly stderr: Readable
  readonly exit: Effect.Effect<ChildExit>
  /** Its processes that are still running, at most `max`. Linux only; elsewhere none. */
  readonly processes: (max: number) => Effect.Effect<ReadonlyArray<ProcessInfo>>
  /** Terminates all of its processes and succeeds when none is left. The end of the scope does the same. */
  readonly stop: Effect.Effect<void>
  /** Ends its process group at once, before all processes are found; `stop` then gives the others no time either. */
  readonly kill: Effect.Effect<void>
}

export class StartFailed extends Data.TaggedError("StartFailed")<{
  readonly code: string
  readonly message: string
}> {}

/** The variable by which processes are found that left the process group. */
const trackingVariable = "TROUPE_PROCESS"

/** How long pipes may stay open after the last process, held by one that could not be found. */
const pipeTimeout = "2 seconds"

/** How long the kernel may take to end a process after SIGKILL. */
const killTimeout = "5 seconds"

/** Starts a program, which is stopped with all of its processes when the scope ends. */
export const start = (
  command: ProcessCommand,
  options: ProcessOptions
): Effect.Effect<ChildProcess, StartFailed, Scope.Scope> =>
  Effect.acquireRelease(started(command, options), ({ stop }) => stop)

const started = (command: ProcessCommand, options: ProcessOptions) =>
  Effect.gen(function*() {
    const exit = yield* Deferred.make<ChildExit>()
    const pipesClosed = yield* Deferred.make<void>()
    const id = randomUUID()
    const isTracked = options.tracking === "environment"
    const variable = isTracked ? `${trackingVariable}=${id}` : null
    const env = isTracked ? { ...command.env, [trackingVariable]: id } : command.env
    const guard = (group: number | null) =>
      options.watchdog?.guard(id, { group, variable, folder: options.temporaryFolder ?? null })
    const release = Effect.sync(() => options.watchdog?.release(id))
    let startTime = 0
    const child = yield* Effect.async<NodeChildProcess, StartFailed>((resume) => {
      const failed = (cause: unknown) => resume(startFailed(cause))
      const onSpawned = (child: NodeChildProcess) => {
        // First of all: an error without a listener would end this process.
        child.on("error", failed)
        if (child.pid === undefined) return
        guard(child.pid)
        startTime = startTimeOf(child.pid)
        child.once("exit", (code, signal) => Deferred.unsafeDone(exit, Effect.succeed({ code, signal })))
        child.once("close", () => Deferred.unsafeDone(pipesClosed, Effect.void))
        for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.on("error", () => {})
        child.once("spawn", () => resume(Effect.succeed(child)))
      }
      // Before the start too: this process may be killed directly after it.
      guard(null)
      Either.match(Either.try(() => spawnGroup(command, env, options)), { onLeft: failed, onRight: onSpawned })
    }).pipe(Effect.tapError(() => release))
    const { pid, stderr, stdin, stdout } = child
    if (pid === undefined || stdout === null || stderr === null) return yield* startFailed(null)

    const within = <A>(deferred: Deferred.Deferred<A>, timeout: Duration.DurationInput) =>
      Effect.timeoutOption(Deferred.await(deferred), timeout)
    const { kill, processes, terminate } = makeTermination({
      leader: pid,
      startTime,
      hasExited: Deferred.isDone(exit),
      variable,
      launchers: options.tracking === "sandbox" ? options.launchers ?? 0 : null,
      grace: Duration.decode(options.grace)
    })
    const stop = Effect.gen(function*() {
      if (stdin !== null && !(yield* Deferred.isDone(exit))) {
        // Processes that clear their environment are found as descendants only, while their ancestors run.
        yield* processes(maxProcesses)
        stdin.end()
        yield* within(exit, options.inputGrace ?? 0)
      }
      if (!(yield* terminate)) {
        yield* Effect.logWarning(`Processes of ${command.program} are still running after SIGKILL`)
      }
      yield* within(exit, killTimeout)
      yield* within(pipesClosed, pipeTimeout)
      for (const stream of [stdin, stdout, stderr]) stream?.destroy()
      yield* Deferred.succeed(exit, { code: null, signal: "SIGKILL" })
    }).pipe(Effect.ensuring(release), Effect.interruptible)
    // In a fiber of its own: interrupting a fiber interrupts the children that its finalizers fork for time-outs.
    const stopOnce = yield* Effect.cached(Effect.uninterruptible(Effect.flatMap(Effect.forkDaemon(stop), Fiber.join)))
    return {
      pid,
      stdin,
      stdout,
      stderr,
      exit: Deferred.await(exit),
      processes,
      stop: stopOnce,
      kill
    } satisfies ChildProcess
  })

const spawnGroup = (
  { account, args, cwd, program }: ProcessCommand,
  env: ProcessCommand["env"],
  { hasInput }: ProcessOptions
) =>
  spawn(program, [...args], {
    ...(cwd === null ? {} : { cwd }),
    ...account,
    env: { ...env },
    detached: hasGroups,
    windowsHide: true,
    stdio: [hasInput === true ? "pipe" : "ignore", "pipe", "pipe"]
  })

const startFailed = (cause: unknown): StartFailed =>
  new StartFailed({
    code: errorCode(cause) || "unknown error",
    message: errorText(cause, "message") || "it could not be started"
  })

export interface RunOptions<Reason> extends ProcessOptions {
  readonly input?: ReadonlyArray<Uint8Array>
  /** Closes the standard input after the input; else it is closed when the program has ended or is to end. */
  readonly endsInput?: boolean
  readonly timeout: Duration.DurationInput
  readonly maxOutputBytes: number
  /** Kills it when this succeeds. */
  readonly monitor?: (child: ChildProcess) => Effect.Effect<Reason>
}

export interface RunResult<Reason> extends ChildExit {
  readonly stdout: Buffer
  readonly stderr: Buffer
  readonly stopped: "timeout" | "output" | Reason | null
}

/** Runs a program until it exits or exceeds a limit, and none of its processes is left; interruption stops them. */
export const run = <Reason = never>(
  command: ProcessCommand,
  options: RunOptions<Reason>
): Effect.Effect<RunResult<Reason>, StartFailed> =>
  Effect.gen(function*() {
    const { input, maxOutputBytes, monitor, timeout } = options
    const child = yield* start(command, { ...options, hasInput: input !== undefined })
    const overflow = yield* Deferred.make<"output">()
    let freeBytes = maxOutputBytes
    const collect = (stream: Readable): ReadonlyArray<Buffer> => {
      const chunks: Array<Buffer> = []
      stream.on("data", (chunk: Buffer) => {
        if (freeBytes > 0) chunks.push(chunk.subarray(0, freeBytes))
        freeBytes -= chunk.length
        if (freeBytes < 0) Deferred.unsafeDone(overflow, Effect.succeed("output"))
      })
      return chunks
    }
    const [stdout, stderr] = [collect(child.stdout), collect(child.stderr)]
    for (const part of input ?? []) child.stdin?.write(part)
    if (options.endsInput === true) child.stdin?.end()
    const stopped = yield* Effect.raceAll<Effect.Effect<RunResult<Reason>["stopped"]>>([
      Effect.as(child.exit, null),
      Deferred.await(overflow),
      Effect.delay(Effect.succeed("timeout" as const), timeout),
      ...(monitor === undefined ? [] : [Effect.tap(monitor(child), () => child.kill)])
    ])
    yield* child.stop
    return { ...(yield* child.exit), stopped, stdout: Buffer.concat(stdout), stderr: Buffer.concat(stderr) }
  }).pipe(Effect.scoped)
