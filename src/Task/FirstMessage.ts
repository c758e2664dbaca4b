import { fence } from "@troupe/domain/Fence"
import type { ImageReference } from "@troupe/domain/Message"
import { emptyRun, type Run } from "@troupe/domain/Run"
import { imageTypeOf } from "../File/Images.ts"

interface Extras {
  readonly context: string | null
  readonly attachments: ReadonlyArray<string>
}

/** A run before its first step: what was asked, and the pictures that came with it. */
export const openingRun = (input: string, extras: Extras): Run =>
  emptyRun(
    firstMessage(input, extras),
    extras.attachments.flatMap((path): ReadonlyArray<ImageReference> => {
      const media_type = imageTypeOf(path)
      return media_type === undefined ? [] : [{ path, media_type, size: null, digest: null }]
    })
  )

/**
 * The message that opens a task's conversation: what was asked, what the task goes on from, and the names of the files
 * that came with it.
 */
const firstMessage = (input: string, extras: Extras): string =>
  [
    ...(extras.context === null ? [] : [extras.context]),
    input,
    ...(extras.attachments.length === 0
      ? []
      : [`Files that came with the request, for read_document: ${extras.attachments.join(", ")}`])
  ].join("\n\n")

/** How a task that continues another is told of it. The outcome is an earlier answer, so it is marked as data. */
export const continuation = (previous: { readonly title: string; readonly outcome: string }): string =>
  `This continues the task "${previous.title}". Its outcome was:\n${fence("earlier_outcome", previous.outcome)}`
