import { Effect } from "effect"
import { parentPort } from "node:worker_threads"
import { type Frame, frameParts } from "../../Runtime/Process/Frame.ts"
import { type DocumentReply, jobFrame, textWindow } from "./DocumentJob.ts"
import type { DocumentUnreadable } from "./DocumentUnreadable.ts"
import { documentText } from "./Extraction.ts"

const reply = (bytes: Uint8Array): Effect.Effect<Frame<DocumentReply>, DocumentUnreadable> =>
  Effect.gen(function*() {
    const { header, payload } = yield* Effect.orDie(jobFrame(bytes))
    if (header._tag === "Text") {
      const { text, ...window } = textWindow(yield* documentText(header.name, payload), header)
      return { header: { _tag: "Text", ...window }, payload: Buffer.from(text) }
    }
    const { docxOf } = yield* Effect.promise(() => import("./MarkdownToDocx.ts"))
    return { header: { _tag: "Docx" }, payload: yield* docxOf(new TextDecoder().decode(payload)) }
  })

// An error that no reader foresaw ends the thread without a reply; `Documents` reports a damaged document.
parentPort?.once("message", (bytes: Uint8Array) =>
  Effect.runFork(
    reply(bytes).pipe(
      Effect.catchAll(({ reason }) =>
        Effect.succeed<Frame<DocumentReply>>({ header: { _tag: "Unreadable", reason }, payload: new Uint8Array() })
      ),
      Effect.map((frame) => parentPort?.postMessage(Buffer.concat(frameParts(frame)), []))
    )
  ))
