import { Duration, Effect, Either, Ref } from "effect"
import { kill } from "node:process"
import { signalGroup } from "./ProcessGroup.ts"
import { canFind, descendants, findProcesses, type ProcessInfo, stillRunning } from "./ProcessTree.ts"

interface TerminationOptions {
  readonly leader: number
  readonly hasExited: Effect.Effect<boolean>
  /** The `NAME=value` that its processes inherited, or null if they are not tracked by their environment. */
  readonly variable: string | null
  readonly isSandbox: boolean
  readonly grace: Duration.Duration
}

/** Further processes of one program are ignored. */
export const maxProcesses = 10_000

const pollInterval = Duration.millis(10)

/** While one process is left it may start others, so SIGKILL is sent more than once. */
const maxKills = 20
const killInterval = Duration.millis(250)

/** bubblewrap runs as two processes; both exit after the last process inside. */
const sandboxProcesses = 2

/** Finds and terminates all processes of a program: its process group, its descendants, and those that left both. */
export const makeTermination = ({ grace, hasExited, isSandbox, leader, variable }: TerminationOptions) => {
  const known = Ref.unsafeMake<ReadonlyArray<ProcessInfo>>([])

  /** Those that cleared their environment are found if they were descendants at an earlier call. */
  const processes = (max: number): Effect.Effect<ReadonlyArray<ProcessInfo>> =>
    Effect.gen(function*() {
      const earlier = yield* stillRunning(yield* Ref.get(known))
      const tracked = variable === null ? [] : yield* findProcesses(leader, variable, max)
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
      if (isSandbox) {
        const inside = found.slice(sandboxProcesses)
        // The kernel ends every process of a PID namespace whose first process ends, and then bubblewrap exits.
        const namespace = found.length < sandboxProcesses ? found : found.slice(1)
        for (const { pid } of name === "SIGTERM" ? inside : namespace) send(pid, name)
        return
      }
      signalGroup(leader, name)
      for (const { group, pid } of found) if (group !== leader) send(pid, name)
    })

  const awaitEnd = (timeout: Duration.Duration) =>
    Effect.delay(isGone, pollInterval).pipe(
      Effect.repeat({ until: (gone) => gone }),
      Effect.timeoutOption(timeout)
    )

  const terminate = Effect.gen(function*() {
    const found = yield* processes(maxProcesses)
    if (found.length === 0 && (yield* hasExited) && !signalGroup(leader, 0)) return true
    if (Duration.toMillis(grace) > 0) {
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

  return { processes, terminate }
}

const send = (pid: number, signal: "SIGTERM" | "SIGKILL"): void => void Either.try(() => kill(pid, signal))
