import { Duration, Effect } from "effect"
import { type ChildProcess, type Command, run, type RunResult } from "../Runtime/ChildProcess.ts"
import type { Watchdog } from "../Runtime/Watchdog.ts"

export interface ScriptCommand extends Command {
  /** Null under bubblewrap, which keeps temporary files in memory. */
  readonly temporaryFolder: string | null
}

export interface ScriptLimits {
  readonly seconds: number
  readonly outputBytes: number
  readonly processes: number
  readonly memoryBytes: number
  /** Whether the script has filled a folder beyond its limit; asked every second, or less often if it takes long. */
  readonly isOverfull: Effect.Effect<boolean>
}

type Excess = "processes" | "memory" | "space"

export interface ScriptEnd {
  readonly exitCode: number | null
  readonly signal: string | null
  readonly output: string
  readonly errors: string
  readonly stopped: RunResult<Excess>["stopped"]
}

const inspectionInterval = "250 millis"
const measurementInterval = Duration.seconds(1)

/** Runs a program until it exits or exceeds a limit, and succeeds when none of its processes is left. */
export const runScript = (
  command: ScriptCommand,
  limits: ScriptLimits,
  watchdog: Watchdog["Type"]
): Effect.Effect<ScriptEnd, string> =>
  run(command, {
    watchdog,
    grace: "2 seconds",
    timeout: `${limits.seconds} seconds`,
    maxOutputBytes: limits.outputBytes,
    monitor: (child) => Effect.raceFirst(exceedsLimit(child, limits), fillsFolder(limits)),
    ...(command.temporaryFolder === null
      ? { tracking: "sandbox" }
      : { tracking: "environment", temporaryFolder: command.temporaryFolder })
  }).pipe(Effect.mapBoth({
    onFailure: ({ message }) => message,
    onSuccess: ({ code, signal, stderr, stdout, stopped }) => ({
      exitCode: code,
      signal,
      stopped,
      output: stdout.toString("utf8"),
      errors: stderr.toString("utf8")
    })
  }))

/** Succeeds once the folder is too full. Measuring takes at most a fifth of the time. */
const fillsFolder = ({ isOverfull }: ScriptLimits): Effect.Effect<Excess> =>
  Effect.iterate({ pause: measurementInterval, overfull: false }, {
    while: ({ overfull }) => !overfull,
    body: ({ pause }) =>
      Effect.map(Effect.delay(Effect.timed(isOverfull), pause), ([duration, overfull]) => ({
        pause: Duration.max(measurementInterval, Duration.times(duration, 4)),
        overfull
      }))
  }).pipe(Effect.as("space"))

/** Succeeds once there are too many processes, or they use too much memory together. */
const exceedsLimit = (child: ChildProcess, limits: ScriptLimits): Effect.Effect<Excess> =>
  child.processes(limits.processes + 1).pipe(
    Effect.map((processes): Excess | null => {
      if (processes.length > limits.processes) return "processes"
      return processes.reduce((sum, { residentBytes }) => sum + residentBytes, 0) > limits.memoryBytes ? "memory" : null
    }),
    Effect.delay(inspectionInterval),
    Effect.repeat({ until: (excess) => excess !== null }),
    Effect.map((excess) => excess ?? "memory")
  )
