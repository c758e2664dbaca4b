import { Context, Duration, Effect, Layer, Schedule } from "effect"
import { Worker } from "node:worker_threads"
import type { DocumentJob, DocumentReply, TextWindow } from "./DocumentJob.ts"
import { DocumentUnreadable } from "./DocumentUnreadable.ts"

/** Most bytes of a document that is opened. */
export const maxDocumentBytes = 50 * 1_024 * 1_024

export interface DocumentsOptions {
  /** How long one document may take. */
  readonly timeout?: Duration.DurationInput
  /** Most megabytes of heap that one document may need. */
  readonly heapMegabytes?: number
  /** By how many megabytes more the whole process may grow while one document is open. */
  readonly bufferMegabytes?: number
  /** How many documents may be open at once; more wait. */
  readonly threads?: number
}

/**
 * Reads and makes documents in threads of their own, so that one that is broken or hostile costs no more than the
 * given time and memory, and holds up nothing else. Interruption ends the thread.
 */
export class Documents extends Context.Tag("troupe/File/Documents/Documents")<Documents, {
  /** Lines of the text of the document called `name`, which tells its kind. */
  readonly text: (name: string, bytes: Uint8Array, window: {
    readonly offset: number
    readonly limit: number
    readonly maxChars: number
  }) => Effect.Effect<TextWindow, DocumentUnreadable>
  /** A Word document of the markdown. Pictures become their descriptions; nothing is fetched. */
  readonly docx: (markdown: string) => Effect.Effect<Uint8Array, DocumentUnreadable>
}>() {
  static readonly layer = (options: DocumentsOptions = {}): Layer.Layer<Documents> => Layer.effect(this, make(options))
}

const make = (options: DocumentsOptions): Effect.Effect<Documents["Type"]> =>
  Effect.gen(function*() {
    const threads = yield* Effect.makeSemaphore(options.threads ?? 2)
    const heapMegabytes = options.heapMegabytes ?? 512
    const run = (job: DocumentJob) =>
      inThread(job, heapMegabytes).pipe(
        Effect.raceFirst(memoryGrown(heapMegabytes + (options.bufferMegabytes ?? 1_024))),
        Effect.timeoutFail({ duration: options.timeout ?? Duration.seconds(40), onTimeout: () => slow }),
        threads.withPermits(1)
      )
    return Documents.of({
      text: Effect.fn("Documents.text")(function*(name, bytes, window) {
        const reply = yield* run({ _tag: "Text", name, bytes, ...window })
        return reply._tag === "Text" ? reply.window : yield* refused(reply)
      }),
      docx: Effect.fn("Documents.docx")(function*(markdown) {
        const reply = yield* run({ _tag: "Docx", markdown })
        return reply._tag === "Docx" ? reply.bytes : yield* refused(reply)
      })
    })
  })

const slow = new DocumentUnreadable({ reason: "The document takes too long. Ask for a smaller or simpler one." })
const heavy = new DocumentUnreadable({ reason: "The document needs too much memory. Ask for a smaller one." })
const broken = new DocumentUnreadable({ reason: "The document is damaged in a way that stops it from being read." })

const refused = (reply: DocumentReply): DocumentUnreadable =>
  reply._tag === "Unreadable" ? new DocumentUnreadable({ reason: reply.reason }) : broken

/**
 * Fails once the process has grown by so much. A thread's limit is for its heap alone: what a small file inflates to
 * lies in buffers beside it.
 */
const memoryGrown = (megabytes: number): Effect.Effect<never, DocumentUnreadable> =>
  Effect.suspend(() => {
    const most = process.memoryUsage.rss() + megabytes * 1_000_000
    return Effect.sync(() => process.memoryUsage.rss() > most).pipe(
      Effect.repeat({ until: (over) => over, schedule: Schedule.spaced("50 millis") }),
      Effect.zipRight(heavy)
    )
  })

/** A thread can't run TypeScript on every Node, so the sources start the module that was built from them. */
const entry = new URL(
  import.meta.url.endsWith(".ts") ? "../../../dist/File/Documents/DocumentWorker.js" : "./DocumentWorker.js",
  import.meta.url
)

const inThread = (job: DocumentJob, heapMegabytes: number): Effect.Effect<DocumentReply, DocumentUnreadable> =>
  Effect.acquireUseRelease(
    Effect.sync(() =>
      new Worker(entry, {
        workerData: job,
        resourceLimits: { maxOldGenerationSizeMb: heapMegabytes, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 },
        // Hostile files shall find no secrets, and readers shall not write to the log.
        env: {},
        execArgv: [],
        stdout: true,
        stderr: true
      })
    ),
    (worker) =>
      Effect.async<DocumentReply, DocumentUnreadable>((resume) => {
        worker.stdout.resume()
        worker.stderr.resume()
        worker.once("message", (reply: DocumentReply) => resume(Effect.succeed(reply)))
        worker.once("error", (error: NodeJS.ErrnoException) =>
          resume(error.code === "ERR_WORKER_OUT_OF_MEMORY" ? heavy : Effect.zipRight(Effect.logWarning(error), broken)))
        worker.once("exit", () =>
          resume(broken))
      }),
    (worker) => Effect.promise(() => worker.terminate())
  )
