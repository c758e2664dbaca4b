import { Data, Duration, Effect } from "effect"
import { resolve } from "node:path"
import { execPath, platform } from "node:process"
import { fileURLToPath } from "node:url"
import { projectFolder } from "../ProjectFolder.ts"
import { type ProcessCommand, run, type RunResult } from "./ChildProcess.ts"

export interface GuardedLimits {
  readonly memoryMegabytes: number
  /** After this long the process ends itself, should nobody be left to end it. */
  readonly seconds: number
  readonly maxReplyBytes: number
}

/**
 * `start`: no process could be started, or it was told to end, as the service itself may be. `memory`, `time`, `reply`: it
 * reached that limit. `crash`: its work failed.
 */
export class GuardedProcessFailed extends Data.TaggedError("GuardedProcessFailed")<{
  readonly kind: "start" | "memory" | "time" | "reply" | "crash"
}> {
  override get message() {
    return this.kind === "start"
      ? "A process could not be started, or was stopped."
      : `A process was ended (${this.kind}).`
  }
}

/** What of the memory Node itself and the buffers of a job take; the rest is the heap. */
const outsideHeapMegabytes = 128

/** Address space that counts as data without ever being resident: the stacks of Node's threads. */
const unusedMegabytes = 128

/** Service managers send these to all processes of a service that is to stop. */
const stopSignals: ReadonlyArray<string | null> = ["SIGTERM", "SIGINT", "SIGHUP"]

/** A process can't run TypeScript on every Node, and starts faster from one file. */
const built = (module: string): string => fileURLToPath(new URL(`dist/service/${module}.js`, projectFolder))

/** Runs `module` (a thread that `.config/bundle-service.mjs` bundles) in a child process, since V8 aborts a process whose arrays outgrow its memory. */
export const runGuarded = (
  module: string,
  job: ReadonlyArray<Uint8Array>,
  limits: GuardedLimits
): Effect.Effect<Buffer, GuardedProcessFailed> =>
  run(commandOf(module, job.reduce((sum, { length }) => sum + length, 0), limits), {
    // The guard terminates the process itself when its input ends.
    watchdog: null,
    tracking: "group",
    grace: 0,
    input: job,
    timeout: Duration.seconds(limits.seconds),
    maxOutputBytes: limits.maxReplyBytes
  }).pipe(
    Effect.catchAll((cause) =>
      Effect.zipRight(
        Effect.logWarning(`Worker process for ${module} could not start; the request that needs it fails`, cause),
        new GuardedProcessFailed({ kind: "start" })
      )
    ),
    Effect.flatMap((result) => replyOf(module, result))
  )

/** Kernel limits: core dumps, written files, CPU seconds, and data as what stops growth between two measurements. */
const limited = "ulimit -c 0; ulimit -f 0; ulimit -t \"$1\"; ulimit -d \"$2\"; shift 2; exec \"$@\""

const commandOf = (module: string, jobBytes: number, { memoryMegabytes, seconds }: GuardedLimits): ProcessCommand => {
  const heapMegabytes = memoryMegabytes - outsideHeapMegabytes
  const node = [
    execPath,
    `--max-old-space-size=${heapMegabytes}`,
    built("ProcessGuard"),
    built(module),
    ...[jobBytes, heapMegabytes, memoryMegabytes, seconds].map(String)
  ]
  const ulimits = [`${2 * seconds}`, `${(memoryMegabytes + unusedMegabytes) * 1_000}`]
  const words = platform === "win32" ? node : ["/bin/sh", "-c", limited, "sh", ...ulimits, ...node]
  const [program = "", ...args] = words
  return { program, args, env: {}, cwd: resolve("/") }
}

const replyOf = (
  module: string,
  { code, signal, stderr, stdout, stopped }: RunResult<never>
): Effect.Effect<Buffer, GuardedProcessFailed> => {
  if (stopped === "output") return new GuardedProcessFailed({ kind: "reply" })
  if (stopped !== null) return new GuardedProcessFailed({ kind: "time" })
  if (code === 0) return Effect.succeed(stdout)
  if (stopSignals.includes(signal)) return new GuardedProcessFailed({ kind: "start" })
  // V8 aborts at the end of its memory in several ways, and the guard and the kernel kill.
  if (signal !== null) return new GuardedProcessFailed({ kind: "memory" })
  return Effect.zipRight(
    Effect.logWarning(`Process for ${module} failed with exit code ${code}`, stderr.toString("utf8", 0, 2_000)),
    new GuardedProcessFailed({ kind: "crash" })
  )
}
