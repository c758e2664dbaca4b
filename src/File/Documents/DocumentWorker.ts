import { Effect } from "effect"
import { parentPort, workerData } from "node:worker_threads"
import { type DocumentJob, type DocumentReply, textWindow } from "./DocumentJob.ts"
import type { DocumentUnreadable } from "./DocumentUnreadable.ts"
import { documentText } from "./Extraction.ts"

const reply = (job: DocumentJob): Effect.Effect<DocumentReply, DocumentUnreadable> =>
  job._tag === "Text"
    ? Effect.map(documentText(job.name, job.bytes), (text) => ({ _tag: "Text", window: textWindow(text, job) }))
    : Effect.gen(function*() {
      const { docxOf } = yield* Effect.promise(() => import("./MarkdownToDocx.ts"))
      return { _tag: "Docx", bytes: yield* docxOf(job.markdown) }
    })

// The only thread that starts this module is `Documents`, which gives it the job.
const job: DocumentJob = workerData

// What no reader foresaw ends the thread without an answer, which `Documents` reports as a damaged document.
Effect.runFork(
  reply(job).pipe(
    Effect.catchAll(({ reason }) => Effect.succeed<DocumentReply>({ _tag: "Unreadable", reason })),
    Effect.map((answer) => parentPort?.postMessage(answer, []))
  )
)
