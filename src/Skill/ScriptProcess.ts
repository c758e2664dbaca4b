import { Duration, Effect } from "effect"
import { type ChildProcess, type ProcessCommand, run, type RunResult } from "../Runtime/Process/ChildProcess.ts"
import type { Watchdog } from "../Runtime/Process/Watchdog.ts"

export interface ScriptCommand extends ProcessCommand {
  /** Removed by the watchdog, should it have to end the script. */
  readonly temporaryFolder: string
  /** The part of it that the script writes to. */
  readonly writtenFolder: string
  /** Processes of bubblewrap around the script; null without bubblewrap. */
  readonly launchers: number | null
}

export interface ScriptLimits {
  readonly seconds: number
  readonly outputBytes: number
  readonly processes: number
  readonly memoryBytes: number
  /** Whether the script has filled a folder beyond its limit; asked every 100 ms, or less often if it takes long. */
  readonly isOverfull: Effect.Effect<boolean>
}

type Excess = "processes" | "memory" | "space"

export interface ScriptEnd extends Omit<RunResult<Excess>, "stderr" | "stdout"> {
  readonly output: string
  readonly errors: string
}

const inspectionInterval = "250 millis"
const measurementInterval = Duration.millis(100)

/** Runs a program until it exits or exceeds a limit, and succeeds when none of its processes is left. */
export const runScript = (
  command: ScriptCommand,
  limits: ScriptLimits,
  watchdog: Watchdog["Type"],
  input?: string
): Effect.Effect<ScriptEnd, string> =>
  run(command, {
    watchdog,
    grace: "2 seconds",
    timeout: `${limits.seconds} seconds`,
    maxOutputBytes: limits.outputBytes,
    ...(input === undefined ? {} : { input: [Buffer.from(input)], endsInput: true }),
    monitor: (child) => Effect.raceFirst(exceedsLimit(child, limits), fillsFolder(limits)),
    temporaryFolder: command.temporaryFolder,
    ...(command.launchers === null
      ? { tracking: "environment" }
      : { tracking: "sandbox", launchers: command.launchers })
  }).pipe(Effect.mapBoth({
    onFailure: ({ message }) => message,
    onSuccess: ({ stderr, stdout, ...end }) => ({
      ...end,
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
