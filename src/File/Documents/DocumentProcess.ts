import { Effect } from "effect"
import { type Frame, frameParts } from "../../Runtime/Frame.ts"
import { type GuardedProcessFailed, runGuarded } from "../../Runtime/GuardedProcess.ts"
import { type DocumentJob, type DocumentReply, replyFrame } from "./DocumentJob.ts"
import { DocumentUnreadable } from "./DocumentUnreadable.ts"

export interface ProcessLimits {
  readonly memoryMegabytes: number
  readonly seconds: number
}

const maxReplyBytes = 16 * 1_024 * 1_024

/** Runs a job in a process of its own, with bounded time and memory. */
export const runInProcess = (
  job: Frame<DocumentJob>,
  limits: ProcessLimits
): Effect.Effect<Frame<DocumentReply>, DocumentUnreadable> =>
  runGuarded("File/Documents/DocumentThread", frameParts(job), { ...limits, maxReplyBytes }).pipe(
    Effect.mapError(({ kind }) => new DocumentUnreadable({ reason: reasonOf(kind, limits) })),
    Effect.flatMap((bytes) => Effect.orDie(replyFrame(bytes)))
  )

const reasonOf = (kind: GuardedProcessFailed["kind"], { memoryMegabytes, seconds }: ProcessLimits): string => {
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
