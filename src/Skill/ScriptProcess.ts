import { Deferred, Duration, Effect } from "effect"
import { type ChildProcess, spawn } from "node:child_process"
import { kill } from "node:process"
import { alive, descendants, marked, type Member } from "../Runtime/ProcessFamily.ts"
import type { Leftovers, Watchdog } from "../Runtime/Watchdog.ts"

/** A program to be run, with the whole of its environment. */
export interface ScriptCommand {
  readonly program: string
  readonly args: ReadonlyArray<string>
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
  /**
   * How its processes are found: as descendants in a world of their own, or by a mark in their environment. One that
   * takes the mark off is found as a descendant, if it was one at some look. `folder` holds its temporary files.
   */
  readonly family: { readonly _tag: "Contained" } | ({ readonly _tag: "Marked" } & Leftovers)
}

export interface ScriptLimits {
  readonly seconds: number
  readonly outputBytes: number
  readonly processes: number
  readonly memoryBytes: number
  /** Whether the script has filled a folder beyond its limit; asked every second, or less often if it takes long. */
  readonly isOverfull: Effect.Effect<boolean>
}

/** Why a script was stopped before its end. */
export type Stopped = "time" | "output" | "processes" | "memory" | "space"

export interface ScriptEnd {
  readonly exitCode: number | null
  readonly signal: string | null
  readonly output: string
  readonly errors: string
  readonly stopped: Stopped | null
}

/** How long a script that is stopped may take to clean up. */
const grace = "2 seconds"
const lookEvery = "250 millis"
const measureEvery = Duration.seconds(1)

/**
 * Runs a program until it ends or breaks a limit, and answers when none of its processes is left. Interrupting it
 * stops it as a limit does: SIGTERM first, SIGKILL after two seconds. If this process dies, the watchdog stops it.
 */
export const runScript = (
  command: ScriptCommand,
  limits: ScriptLimits,
  watchdog: Watchdog["Type"]
): Effect.Effect<ScriptEnd, string> =>
  Effect.gen(function*() {
    const running = yield* Effect.acquireRelease(
      start(command, limits, watchdog),
      (running) => Effect.ensuring(stop(running), Effect.sync(() => watchdog.release(running.leader)))
    )
    const stopped = yield* Effect.raceAll([
      Effect.as(Deferred.await(running.exit), null),
      Deferred.await(running.flooded),
      Effect.delay(Effect.succeed<Stopped>("time"), `${limits.seconds} seconds`),
      breaksLimit(running, limits),
      fillsFolder(limits)
    ])
    yield* stop(running)
    const { code, signal } = yield* Deferred.await(running.exit)
    return { exitCode: code, signal, stopped, output: decoded(running.output), errors: decoded(running.errors) }
  }).pipe(Effect.scoped)

interface Running {
  readonly child: ChildProcess
  readonly leader: number
  /** Those that were seen so far, by pid. */
  readonly seen: Map<number, Member>
  readonly family: ScriptCommand["family"]
  readonly exit: Deferred.Deferred<{ readonly code: number | null; readonly signal: string | null }>
  /** Its pipes are closed too: nobody can write to them any more. */
  readonly closed: Deferred.Deferred<void>
  readonly flooded: Deferred.Deferred<Stopped>
  readonly output: Array<Buffer>
  readonly errors: Array<Buffer>
}

const decoded = (chunks: ReadonlyArray<Buffer>): string => new TextDecoder().decode(Buffer.concat(chunks))

const start = (
  command: ScriptCommand,
  limits: ScriptLimits,
  watchdog: Watchdog["Type"]
): Effect.Effect<Running, string> =>
  Effect.gen(function*() {
    const exit = yield* Deferred.make<{ readonly code: number | null; readonly signal: string | null }>()
    const closed = yield* Deferred.make<void>()
    const flooded = yield* Deferred.make<Stopped>()
    return yield* Effect.async<Running, string>((resume) => {
      const { args, cwd, env, family, program } = command
      // A group of its own, so that a signal reaches its children too.
      const child: ChildProcess = spawn(program, args, { cwd, env, detached: true, stdio: ["ignore", "pipe", "pipe"] })
      // Before all else: an error without a listener ends the service, and a child that did not start may have no pipes.
      child.on("error", ({ message }) => resume(Effect.fail(message)))
      if (child.pid !== undefined) watchdog.guard(child.pid, family._tag === "Marked" ? family : undefined)
      const output: Array<Buffer> = []
      const errors: Array<Buffer> = []
      let room = limits.outputBytes
      const keep = (chunks: Array<Buffer>) => (chunk: Buffer) => {
        if (room > 0) chunks.push(chunk.subarray(0, room))
        room -= chunk.length
        if (room < 0) Deferred.unsafeDone(flooded, Effect.succeed("output"))
      }
      child.stdout?.on("data", keep(output))
      child.stderr?.on("data", keep(errors))
      child.once("spawn", () =>
        resume(
          Effect.succeed({
            child,
            leader: child.pid ?? 0,
            seen: new Map(),
            family,
            exit,
            closed,
            flooded,
            output,
            errors
          })
        ))
      child.once("exit", (code, signal) => Deferred.unsafeDone(exit, Effect.succeed({ code, signal })))
      child.once("close", () => Deferred.unsafeDone(closed, Effect.void))
    })
  }).pipe(Effect.uninterruptible)

const familyOf = ({ exit, family, leader, seen }: Running, most: number): Effect.Effect<ReadonlyArray<Member>> =>
  Effect.gen(function*() {
    if (family._tag === "Contained") return yield* descendants([leader], most)
    const known = (yield* alive(seen.values())).map(({ pid }) => pid)
    const first = (yield* Deferred.isDone(exit)) ? [] : [leader]
    const marks = (yield* marked(family.mark, most)).map(({ pid }) => pid)
    const members = (yield* descendants([...first, ...marks, ...known], most)).filter(({ began }) => began !== "")
    seen.clear()
    for (const member of members) seen.set(member.pid, member)
    return members
  })

/** Answers once the folder has too much in it; else never. Measuring takes at most a fifth of the time. */
const fillsFolder = ({ isOverfull }: ScriptLimits): Effect.Effect<Stopped> =>
  Effect.iterate({ pause: measureEvery, overfull: false }, {
    while: ({ overfull }) => !overfull,
    body: ({ pause }) =>
      Effect.map(Effect.delay(Effect.timed(isOverfull), pause), ([took, overfull]) => ({
        pause: Duration.max(measureEvery, Duration.times(took, 4)),
        overfull
      }))
  }).pipe(Effect.as("space"))

/** Answers once there are too many processes or they hold too much memory; else never. */
const breaksLimit = (running: Running, limits: ScriptLimits): Effect.Effect<Stopped> =>
  familyOf(running, limits.processes + 1).pipe(
    Effect.map((members): Stopped | null =>
      members.length > limits.processes
        ? "processes"
        : members.reduce((sum, { memory }) => sum + memory, 0) > limits.memoryBytes
        ? "memory"
        : null
    ),
    Effect.delay(lookEvery),
    Effect.repeat({ until: (broken) => broken !== null }),
    Effect.map((broken) => broken ?? "memory")
  )

const signal = (pid: number, name: "SIGTERM" | "SIGKILL"): Effect.Effect<void> =>
  Effect.ignore(Effect.try(() => kill(pid, name)))

/** Waits for it within the grace; the waiting is what may be called off here. */
const inGrace = <A>(done: Deferred.Deferred<A>) =>
  Effect.timeoutOption(Effect.interruptible(Deferred.await(done)), grace)

/** Ends every process of the script; nothing to do when none is left. */
const stop = (running: Running): Effect.Effect<void> =>
  Effect.gen(function*() {
    if (!(yield* Deferred.isDone(running.exit))) {
      yield* terminate(running)
      yield* inGrace(running.exit)
    }
    yield* destroy(running)
    yield* Deferred.await(running.exit)
    yield* inGrace(running.closed)
    running.child.stdout?.destroy()
    running.child.stderr?.destroy()
  }).pipe(Effect.uninterruptible)

const most = 10_000

/** The first two of a contained family are the walls around it: they go with the last of those inside. */
const walls = 2

const terminate = (running: Running): Effect.Effect<void> =>
  running.family._tag === "Marked"
    ? signal(-running.leader, "SIGTERM")
    : Effect.flatMap(descendants([running.leader], most), (members) =>
      Effect.forEach(members.slice(walls), ({ pid }) => signal(pid, "SIGTERM"), { discard: true }))

const destroy = (running: Running): Effect.Effect<void> =>
  Effect.gen(function*() {
    const { family, leader } = running
    if (family._tag === "Contained") {
      if (yield* Deferred.isDone(running.exit)) return
      // The kernel ends all processes of the world whose first process ends, before that one is gone.
      const first = (yield* descendants([leader], walls))[1]
      yield* signal(first?.pid ?? leader, "SIGKILL")
      yield* inGrace(running.exit)
      return yield* signal(-leader, "SIGKILL")
    }
    yield* signal(-leader, "SIGKILL")
    // Those that left the group; while they make new ones there are some to be found.
    for (let round = 0; round < 20; round++) {
      const left = yield* familyOf(running, most)
      if (left.length === 0) return
      yield* Effect.forEach(left, ({ pid }) => signal(pid, "SIGKILL"), { discard: true })
    }
  })
