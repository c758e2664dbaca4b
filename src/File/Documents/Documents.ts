import type { UserId } from "@troupe/domain/Ids"
import { Context, Deferred, Duration, Effect, Layer } from "effect"
import { makeFairSlots } from "../../Runtime/FairSlots.ts"
import { type Frame, frameParts } from "../../Runtime/Process/Frame.ts"
import { type GuardedProcessFailed, runGuarded } from "../../Runtime/Process/GuardedProcess.ts"
import { type DocumentJob, type DocumentReply, replyFrame, type TextRange, type TextWindow } from "./DocumentJob.ts"
import { DocumentUnreadable } from "./DocumentUnreadable.ts"

export const maxDocumentBytes = 50 * 1_024 * 1_024

/** Reads and makes documents in processes of their own, with limits of time and memory. Interruption ends the process. */
export class Documents extends Context.Tag("troupe/File/Documents/Documents")<Documents, {
  /** Lines of the text of a document; its kind follows from `name`. `bytes` runs once a process is free for the user. */
  readonly text: <E>(
    userId: UserId,
    name: string,
    bytes: Effect.Effect<Uint8Array, E>,
    range: TextRange
  ) => Effect.Effect<TextWindow, DocumentUnreadable | E>
  /** A Word document of the markdown. Pictures become their descriptions; nothing is fetched. */
  readonly docx: (userId: UserId, markdown: string) => Effect.Effect<Uint8Array, DocumentUnreadable>
}>() {
  static readonly layer = (options: {
    readonly timeout?: Duration.DurationInput
    readonly queueTimeout?: Duration.DurationInput
    readonly memoryMegabytes?: number
    readonly processes?: number
  } = {}): Layer.Layer<Documents> => Layer.effect(this, make(options))
}

const make = (
  { memoryMegabytes = 300, processes = 2, queueTimeout = "55 seconds", timeout = "30 seconds" }: NonNullable<
    Parameters<typeof Documents.layer>[0]
  >
): Effect.Effect<Documents["Type"]> =>
  Effect.gen(function*() {
    const slots = makeFairSlots<UserId>(processes)
    const seconds = Duration.toSeconds(timeout)
    const failed = (kind: GuardedProcessFailed["kind"]) =>
      new DocumentUnreadable({ reason: reasonOf(kind, memoryMegabytes, seconds) })

    const runInProcess = (job: Frame<DocumentJob>) =>
      runGuarded("DocumentThread", frameParts(job), {
        memoryMegabytes,
        // Time to start and end, beyond the time-out of the job.
        seconds: Math.ceil(seconds) + 5,
        maxReplyBytes
      }).pipe(
        Effect.mapError(({ kind }) => failed(kind)),
        Effect.flatMap((bytes) => Effect.orDie(replyFrame(bytes)))
      )

    const run = Effect.fnUntraced(function*<E>(userId: UserId, job: Effect.Effect<Frame<DocumentJob>, E>) {
      const begun = yield* Deferred.make<void>()
      return yield* Deferred.succeed(begun, undefined).pipe(
        Effect.zipRight(job),
        Effect.flatMap(runInProcess),
        Effect.timeoutFail({ duration: timeout, onTimeout: () => failed("time") }),
        slots.withSlot(userId),
        Effect.raceFirst(
          Effect.zipRight(
            Effect.timeoutFail(Deferred.await(begun), {
              duration: queueTimeout,
              onTimeout: () => busy
            }),
            Effect.never
          )
        )
      )
    })

    return Documents.of({
      text: Effect.fn("Documents.text")(function*(userId, name, bytes, range) {
        const { header, payload } = yield* run(
          userId,
          Effect.map(bytes, (payload) => ({ header: { _tag: "Text" as const, name, ...range }, payload }))
        )
        if (header._tag !== "Text") return yield* refused(header)
        const { cut, lines, total } = header
        return { text: new TextDecoder().decode(payload), lines, total, cut }
      }),
      docx: Effect.fn("Documents.docx")(function*(userId, markdown) {
        const { header, payload } = yield* run(
          userId,
          Effect.sync(() => ({ header: { _tag: "Docx" as const }, payload: Buffer.from(markdown) }))
        )
        return header._tag === "Docx" ? payload : yield* refused(header)
      })
    })
  })

const busy = new DocumentUnreadable({
  reason: "Other documents are being processed, and this one did not get its turn in time. Try again in a minute."
})

const refused = (reply: DocumentReply): DocumentUnreadable =>
  new DocumentUnreadable({
    reason: reply._tag === "Unreadable" ? reply.reason : "The document could not be processed."
  })

const maxReplyBytes = 16 * 1_024 * 1_024

const reasonOf = (kind: GuardedProcessFailed["kind"], memoryMegabytes: number, seconds: number): string => {
  switch (kind) {
    case "start":
      return "The service could not start a process to read it. Try again in a minute."
    case "memory":
      return `Processing the document needs more memory than ${memoryMegabytes} MB. Try a smaller document.`
    case "time":
      return `Processing the document timed out after ${seconds} s. Try a smaller document.`
    case "reply":
      return `The result has more than ${maxReplyBytes} bytes. Try a smaller document.`
    case "crash":
      return "The document is damaged in a way that stops it from being read."
  }
}
