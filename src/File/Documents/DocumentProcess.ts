import { Duration, Effect } from "effect"
import { resolve } from "node:path"
import { execPath, platform } from "node:process"
import { fileURLToPath } from "node:url"
import { type Command, run, type RunResult } from "../../Runtime/ChildProcess.ts"
import { type DocumentJob, type DocumentReply, type Frame, frameParts, replyFrame } from "./DocumentJob.ts"
import { DocumentUnreadable } from "./DocumentUnreadable.ts"

export interface ProcessLimits {
  readonly memoryMegabytes: number
  /** After this long the process ends itself, should nobody be left to end it. */
  readonly seconds: number
}

/** What of the memory Node itself and the buffers of a document take; the rest is the heap. */
const outsideHeapMegabytes = 128

/** Address space that counts as data without ever being resident: the stacks of Node's threads. */
const unusedMegabytes = 128

const maxReplyBytes = 16 * 1_024 * 1_024

/**
 * Runs a job in a child process, which gets nothing but the bytes of the job. A thread would not do: V8 aborts the whole
 * process when an array of a hostile document outgrows memory.
 */
export const runInProcess = (
  job: Frame<DocumentJob>,
  limits: ProcessLimits
): Effect.Effect<Frame<DocumentReply>, DocumentUnreadable> => {
  const input = frameParts(job)
  return run(commandOf(input.reduce((sum, { length }) => sum + length, 0), limits), {
    // The guard terminates the process itself when its input ends.
    watchdog: null,
    tracking: "group",
    grace: 0,
    input,
    timeout: Duration.seconds(limits.seconds),
    maxOutputBytes: maxReplyBytes
  }).pipe(
    Effect.catchAll((cause) =>
      Effect.zipRight(
        Effect.logWarning("Starting a document process failed", cause),
        new DocumentUnreadable({ reason: "The service could not start a process to read it. Try again in a minute." })
      )
    ),
    Effect.flatMap((result) => replyOf(result, limits))
  )
}

/** A process can't run TypeScript on every Node, so the sources start the module that was built from them. */
const entry = fileURLToPath(
  new URL(
    import.meta.url.endsWith(".ts") ? "../../../dist/File/Documents/DocumentGuard.js" : "./DocumentGuard.js",
    import.meta.url
  )
)

/** Kernel limits: core dumps, written files, CPU seconds, and data as what stops growth between two measurements. */
const limited = "ulimit -c 0; ulimit -f 0; ulimit -t \"$1\"; ulimit -d \"$2\"; shift 2; exec \"$@\""

const commandOf = (jobBytes: number, { memoryMegabytes, seconds }: ProcessLimits): Command => {
  const heapMegabytes = memoryMegabytes - outsideHeapMegabytes
  const node = [
    execPath,
    `--max-old-space-size=${heapMegabytes}`,
    entry,
    ...[jobBytes, heapMegabytes, memoryMegabytes, seconds].map(String)
  ]
  // Collecting garbage takes CPU time in other threads.
  const ulimits = [`${2 * seconds}`, `${(memoryMegabytes + unusedMegabytes) * 1_000}`]
  const words = platform === "win32" ? node : ["/bin/sh", "-c", limited, "sh", ...ulimits, ...node]
  const [program = "", ...args] = words
  return { program, args, env: {}, cwd: resolve("/") }
}

const replyOf = (
  { code, signal, stderr, stdout, stopped }: RunResult<never>,
  { memoryMegabytes }: ProcessLimits
): Effect.Effect<Frame<DocumentReply>, DocumentUnreadable> => {
  if (stopped === "output") {
    return new DocumentUnreadable({
      reason: `The result has more than ${maxReplyBytes} bytes. Try a smaller document.`
    })
  }
  if (code === 0) return Effect.orDie(replyFrame(stdout))
  // V8 aborts at the end of its memory in several ways, and the guard and the kernel kill.
  if (signal !== null) {
    return new DocumentUnreadable({
      reason: `Processing the document needs more memory than ${memoryMegabytes} MB. Try a smaller document.`
    })
  }
  return Effect.zipRight(
    Effect.logWarning(`Document process failed with exit code ${code}`, stderr.toString("utf8", 0, 2_000)),
    new DocumentUnreadable({ reason: "The document is damaged in a way that stops it from being read." })
  )
}
