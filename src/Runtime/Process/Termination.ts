import spawn from "cross-spawn"
import { Array as Arrays, Duration, Effect, Either, Ref } from "effect"
import { readFileSync } from "node:fs"
import { readdir, readFile } from "node:fs/promises"
import { kill, platform } from "node:process"
import { yieldToEventLoop } from "./EventLoop.ts"

/** Whether a process can be started as the leader of a process group, which can be signalled as a whole. */
export const hasGroups = platform !== "win32"

/** Sends the signal to every process of the group; 0 sends none. False if the group has no process any more. */
const signalGroup = (leader: number, signal: "SIGTERM" | "SIGKILL" | 0): boolean => {
  if (hasGroups) return Either.isRight(Either.try(() => kill(-leader, signal)))
  if (signal === 0) return false
  spawn("taskkill", ["/pid", String(leader), "/t", "/f"], { stdio: "ignore", windowsHide: true }).on("error", () => {})
  return true
}

const canFind = platform === "linux"

export interface ProcessInfo {
  readonly pid: number
  readonly group: number
  readonly residentBytes: number
  /** In clock ticks since the boot. It tells a process from a later one with the same pid. */
  readonly startTime: number
}

const readText = (path: string): Effect.Effect<string> =>
  Effect.orElseSucceed(Effect.tryPromise(() => readFile(path, "latin1")), () => "")

/** For files that the kernel makes in memory and without a lock: the thread pool takes ten times the processor time. */
const readNow = (path: string): string => Either.getOrElse(Either.try(() => readFileSync(path, "latin1")), () => "")

const entriesOf = (path: string): Effect.Effect<ReadonlyArray<string>> =>
  Effect.orElseSucceed(Effect.tryPromise(() => readdir(path)), () => [])

const pageBytes = 4096

/** State, group and what follows them; empty for a process that is gone. */
const statOf = (pid: number): ReadonlyArray<string> => {
  const stat = readNow(`/proc/${pid}/stat`)
  // The name before the last bracket may contain anything.
  return stat === "" ? [] : stat.slice(stat.lastIndexOf(")") + 2).split(" ")
}

/** Also of one that has exited, until this process learns so; 0 where there is no /proc. */
export const startTimeOf = (pid: number): number => Number(statOf(pid)[19] ?? 0)

const infoOf = (pid: number): ReadonlyArray<ProcessInfo> => {
  const fields = statOf(pid)
  return fields.length === 0 || fields[0] === "Z" ? [] : [{
    pid,
    group: Number(fields[2]),
    startTime: Number(fields[19]),
    residentBytes: Number(fields[21]) * pageBytes
  }]
}

/** Those that are still running. Each batch takes about a millisecond of the event loop. */
const running = (pids: ReadonlyArray<number>): Effect.Effect<ReadonlyArray<ProcessInfo>> =>
  Effect.map(
    Effect.forEach(Arrays.chunksOf(pids, 50), (batch) => Effect.as(yieldToEventLoop, batch.flatMap(infoOf))),
    Arrays.flatten
  )

const childrenOf = (pid: number): Effect.Effect<ReadonlyArray<number>> =>
  Effect.map(
    entriesOf(`/proc/${pid}/task`),
    (threads) =>
      threads.flatMap((thread) =>
        readNow(`/proc/${pid}/task/${thread}/children`).split(" ").filter((word) => word.trim() !== "").map(Number)
      )
  )

/** These processes and their descendants, parents first; at most `max`. */
export const descendants = (roots: ReadonlyArray<number>, max: number): Effect.Effect<ReadonlyArray<ProcessInfo>> =>
  Effect.gen(function*() {
    const pids = new Set(roots)
    for (const pid of pids) {
      if (pids.size >= max) break
      for (const child of yield* childrenOf(pid)) pids.add(child)
    }
    return yield* running([...pids].slice(0, max))
  })

const stillRunning = (processes: ReadonlyArray<ProcessInfo>): Effect.Effect<ReadonlyArray<ProcessInfo>> =>
  Effect.map(running(processes.map(({ pid }) => pid)), (now) => {
    const startTimes = new Map(now.map(({ pid, startTime }) => [pid, startTime]))
    return processes.filter(({ pid, startTime }) => startTimes.get(pid) === startTime)
  })

/** The processes of the group and those with this `NAME=value` in their environment, at most `max`. */
const findProcesses = (
  { leader, startTime, variable }: Pick<TerminationOptions, "leader" | "startTime"> & { readonly variable: string },
  max: number
): Effect.Effect<ReadonlyArray<ProcessInfo>> =>
  Effect.gen(function*() {
    const pids = (yield* entriesOf("/proc")).filter((name) => /^\d+$/.test(name)).map(Number)
    const found: Array<ProcessInfo> = []
    for (const info of yield* running(pids)) {
      if (found.length >= max) break
      // Older ones can neither be in the group nor have inherited the variable.
      if (info.startTime < startTime) continue
      if (info.group === leader || (yield* readText(`/proc/${info.pid}/environ`)).includes(variable)) found.push(info)
    }
    return found
  })

interface TerminationOptions {
  readonly leader: number
  /** Its start time, which `startTimeOf` has right after the start. */
  readonly startTime: number
  readonly hasExited: Effect.Effect<boolean>
  /** The `NAME=value` that its processes inherited, or null if they are not tracked by their environment. */
  readonly variable: string | null
  /** The number of processes of a sandbox that end with those inside; null if it is none. */
  readonly launchers: number | null
  readonly grace: Duration.Duration
}

/** Further processes of one program are ignored. */
export const maxProcesses = 10_000

const pollInterval = Duration.millis(10)

/** While one process is left it may start others, so SIGKILL is sent more than once. */
const maxKills = 20
const killInterval = Duration.millis(250)

/** Finds and terminates all processes of a program: its process group, its descendants, and those that left both. */
export const makeTermination = (
  { grace, hasExited, launchers, leader, startTime, variable }: TerminationOptions
) => {
  const known = Ref.unsafeMake<ReadonlyArray<ProcessInfo>>([])

  /** Those that cleared their environment are found if they were descendants at an earlier call. */
  const processes = (max: number): Effect.Effect<ReadonlyArray<ProcessInfo>> =>
    Effect.gen(function*() {
      const earlier = yield* stillRunning(yield* Ref.get(known))
      const tracked = variable === null ? [] : yield* findProcesses({ leader, startTime, variable }, max)
      const first = (yield* hasExited) ? [] : [leader]
      const found = yield* descendants([...first, ...[...tracked, ...earlier].map(({ pid }) => pid)], max)
      yield* Ref.set(known, found)
      return found
    })

  /** Zombies don't count; a group that is nothing else can still be signalled. */
  const isGone = Effect.gen(function*() {
    if (!(yield* hasExited)) return false
    return canFind ? (yield* stillRunning(yield* Ref.get(known))).length === 0 : !signalGroup(leader, 0)
  })

  const signal = (found: ReadonlyArray<ProcessInfo>, name: "SIGTERM" | "SIGKILL") =>
    Effect.sync(() => {
      if (launchers !== null) {
        const inside = found.slice(launchers)
        // The kernel ends every process of a PID namespace whose first process ends, and then bubblewrap exits.
        const namespace = found.length < launchers ? found : found.slice(1)
        for (const { pid } of name === "SIGTERM" ? inside : namespace) send(pid, name)
        return
      }
      signalGroup(leader, name)
      for (const { group, pid } of found) if (group !== leader) send(pid, name)
    })

  let isKilled = false

  /** A namespace ends with bubblewrap, which is the leader. */
  const kill = Effect.sync(() => {
    isKilled = true
    signalGroup(leader, "SIGKILL")
  })

  const awaitEnd = (timeout: Duration.Duration) =>
    Effect.delay(isGone, pollInterval).pipe(
      Effect.repeat({ until: (gone) => gone }),
      Effect.timeoutOption(timeout)
    )

  const terminate = Effect.gen(function*() {
    const found = yield* processes(maxProcesses)
    if (found.length === 0 && (yield* hasExited) && !signalGroup(leader, 0)) return true
    if (Duration.toMillis(grace) > 0 && !isKilled) {
      yield* signal(found, "SIGTERM")
      yield* awaitEnd(grace)
    }
    for (let kills = 0; kills < maxKills; kills++) {
      yield* signal(yield* processes(maxProcesses), "SIGKILL")
      yield* awaitEnd(killInterval)
      if ((yield* isGone) && (yield* processes(maxProcesses)).length === 0) return true
    }
    return false
  })

  return { kill, processes, terminate }
}

const send = (pid: number, signal: "SIGTERM" | "SIGKILL"): void => void Either.try(() => kill(pid, signal))
