import { plural } from "@troupe/domain/Text"
import { Clock, Duration, Effect, Either } from "effect"
import { createHash } from "node:crypto"
import { lstat, mkdtemp, readdir, rm } from "node:fs/promises"
import { hostname, tmpdir } from "node:os"
import { join } from "node:path"
import { performance } from "node:perf_hooks"
import process, { kill, pid } from "node:process"
import { type ChildProcess, type ProcessCommand, run, type RunResult } from "../Runtime/Process/ChildProcess.ts"
import type { Watchdog } from "../Runtime/Process/Watchdog.ts"
import { isRoot, isScriptAccount } from "./ScriptAccount.ts"

export interface ScriptCommand extends ProcessCommand {
  /** Null under bubblewrap, which keeps temporary files in memory. */
  readonly temporaryFolder: string | null
  /** Processes of bubblewrap around the script. */
  readonly launchers?: number
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
  watchdog: Watchdog["Type"]
): Effect.Effect<ScriptEnd, string> =>
  run(command, {
    watchdog,
    grace: "2 seconds",
    timeout: `${limits.seconds} seconds`,
    maxOutputBytes: limits.outputBytes,
    monitor: (child) => Effect.raceFirst(exceedsLimit(child, limits), fillsFolder(limits)),
    ...(command.temporaryFolder === null
      ? { tracking: "sandbox", launchers: command.launchers ?? 0 }
      : { tracking: "environment", temporaryFolder: command.temporaryFolder })
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

/** A folder's name identifies its owner: the machine (several may share the parent folder), the process, its start. */
const machine = createHash("sha256").update(hostname()).digest("hex").slice(0, 8)
const prefix = "troupe-script-"
const own = `${prefix}${machine}-${pid}-${Math.round(performance.timeOrigin).toString(36)}-`

/** A folder for one script's temporary files, removed at the end of the scope. */
export const temporaryFolder = (parent: string) =>
  Effect.acquireRelease(
    Effect.orDie(Effect.tryPromise(() => mkdtemp(join(parent, own)))),
    (folder) => removed(folder)
  )

const removed = (folder: string) =>
  Effect.isSuccess(Effect.tryPromise(() => rm(folder, { recursive: true, force: true })))

/** More than the longest time-out of a script. */
const maxAgeMillis = 3_600_000

/** Where temporary folders are made, the first choice first. */
export const temporaryParents: ReadonlyArray<string> = [...new Set([tmpdir(), "/tmp"])]

/** Removes folders that earlier processes left behind when they and their watchdog were killed. */
export const removeStaleFolders: Effect.Effect<void> = Effect.gen(function*() {
  const results = yield* Effect.forEach(temporaryParents, (parent) =>
    Effect.gen(function*() {
      const names = yield* Effect.orElseSucceed(Effect.tryPromise(() => readdir(parent)), () => [])
      const folders = names.filter((name) => name.startsWith(prefix) && !name.startsWith(own))
      const stale = yield* Effect.filter(folders, (name) => isStale(parent, name))
      return yield* Effect.forEach(stale, (name) => removed(join(parent, name)))
    }))
  const count = results.flat().filter((isRemoved) => isRemoved).length
  if (count > 0) {
    yield* Effect.logInfo(`Deleted ${plural(count, "temporary folder")} of skill scripts that an earlier process left`)
  }
})

const isOurs = (uid: number): boolean =>
  process.getuid === undefined || uid === process.getuid() || (isRoot() && isScriptAccount(uid))

const isStale = (parent: string, name: string): Effect.Effect<boolean> =>
  Effect.gen(function*() {
    const now = yield* Clock.currentTimeMillis
    const stats = yield* Effect.tryPromise(() => lstat(join(parent, name)))
    if (!stats.isDirectory() || !isOurs(stats.uid)) return false
    const [madeOn, madeBy] = name.slice(prefix.length).split("-")
    const owner = madeOn === machine ? Number(madeBy) : 0
    return now - stats.mtimeMs > maxAgeMillis || (owner > 0 && (owner === pid || !isAlive(owner)))
  }).pipe(Effect.orElseSucceed(() => false))

const isAlive = (owner: number): boolean => Either.isRight(Either.try(() => kill(owner, 0)))
