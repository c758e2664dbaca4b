import { Effect } from "effect"
import { type ChildProcess, spawn } from "node:child_process"
import { resolve } from "node:path"
import { execPath, platform } from "node:process"
import { fileURLToPath } from "node:url"
import { type DocumentJob, type DocumentReply, type Frame, frameParts, replyFrame } from "./DocumentJob.ts"
import { DocumentUnreadable } from "./DocumentUnreadable.ts"

export interface ProcessLimits {
  /** Resident memory of the process, in megabytes. */
  readonly memoryMegabytes: number
  /** After this long the process ends itself, should nobody be left to end it. */
  readonly seconds: number
}

/** What of the memory Node itself and the buffers of a document take; the rest is the heap. */
const outsideHeapMegabytes = 128

/** Address space that counts as data without ever being resident: the stacks of Node's threads. */
const unusedMegabytes = 128

/** The largest Word document or text that is taken from a process. */
const maxReplyBytes = 16 * 1_024 * 1_024

/**
 * Does one job in a child process, which gets the bytes of the job and nothing else: no environment, no descriptor of
 * the service, no file that it could write. A thread would not do: V8 aborts the whole process when one array of a
 * hostile document outgrows memory. The child has ended, and its memory is free, when this effect has.
 */
export const runInProcess = (
  job: Frame<DocumentJob>,
  limits: ProcessLimits
): Effect.Effect<Frame<DocumentReply>, DocumentUnreadable> =>
  Effect.acquireUseRelease(
    Effect.sync(() => start(frameParts(job), limits)),
    ({ ended }) => Effect.flatMap(Effect.promise(() => ended), (end) => replyOf(end, limits)),
    ({ ended, kill }) => Effect.zipRight(Effect.sync(kill), Effect.promise(() => ended))
  )

interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  /** Null when it was more than a reply may have. */
  readonly output: Uint8Array | null
  readonly error: Error | null
}

const start = (job: ReadonlyArray<Uint8Array>, limits: ProcessLimits) => {
  const [program = "", ...args] = commandOf(job.reduce((sum, { length }) => sum + length, 0), limits)
  const child: ChildProcess = spawn(program, args, { cwd: resolve("/"), env: {}, stdio: ["pipe", "pipe", "ignore"] })
  const kill = () => child.kill("SIGKILL")
  const output: Array<Uint8Array> = []
  let length = 0
  // Before all else: an error without a listener ends the service, and a child that did not start may have no pipes.
  const ended = new Promise<Ended>((resume) => {
    child.on("error", (error) => resume({ code: null, signal: null, output: new Uint8Array(), error }))
    child.once("close", (code, signal) => {
      resume({ code, signal, output: length > maxReplyBytes ? null : Buffer.concat(output), error: null })
    })
  })
  child.stdout?.on("data", (chunk: Buffer) => {
    length += chunk.length
    if (length > maxReplyBytes) kill()
    else output.push(chunk)
  })
  // It may end before it has read the job; its exit tells why.
  child.stdin?.on("error", () => {})
  for (const part of job) child.stdin?.write(part)
  return { ended, kill }
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

const commandOf = (jobBytes: number, { memoryMegabytes, seconds }: ProcessLimits): ReadonlyArray<string> => {
  const heapMegabytes = memoryMegabytes - outsideHeapMegabytes
  const node = [
    execPath,
    `--max-old-space-size=${heapMegabytes}`,
    entry,
    ...[jobBytes, heapMegabytes, memoryMegabytes, seconds].map(String)
  ]
  if (platform === "win32") return node
  // Collecting garbage takes CPU time in other threads.
  return ["/bin/sh", "-c", limited, "sh", `${2 * seconds}`, `${(memoryMegabytes + unusedMegabytes) * 1_000}`, ...node]
}

const replyOf = (
  { code, error, output, signal }: Ended,
  { memoryMegabytes }: ProcessLimits
): Effect.Effect<Frame<DocumentReply>, DocumentUnreadable> => {
  if (error !== null) {
    return Effect.zipRight(
      Effect.logWarning("Starting a document process failed", error),
      new DocumentUnreadable({ reason: "The service could not start a process to read it. Try again in a minute." })
    )
  }
  if (output === null) {
    return new DocumentUnreadable({
      reason: `The result has more than ${maxReplyBytes} bytes. Try a smaller document.`
    })
  }
  if (code === 0) return Effect.orDie(replyFrame(output))
  // V8 aborts at the end of its memory in several ways, and the guard and the kernel kill.
  if (signal !== null) {
    return new DocumentUnreadable({
      reason: `Processing the document needs more memory than ${memoryMegabytes} MB. Try a smaller document.`
    })
  }
  return Effect.zipRight(
    Effect.logWarning("Document process failed", `exit code ${code}`),
    new DocumentUnreadable({ reason: "The document is damaged in a way that stops it from being read." })
  )
}
