import type { ImageReference } from "@troupe/domain/Message"
import { emptyRun, type Run } from "@troupe/domain/Run"
import { markedData } from "@troupe/domain/Text"
import { imageTypeOf } from "../../File/Image.ts"

interface Extras {
  readonly context: string | null
  readonly attachments: ReadonlyArray<string>
}

export const openingRun = (input: string, extras: Extras): Run =>
  emptyRun(
    firstMessage(input, extras),
    extras.attachments.flatMap((path): ReadonlyArray<ImageReference> => {
      const media_type = imageTypeOf(path)
      return media_type === undefined ? [] : [{ path, media_type, size: null, digest: null }]
    })
  )

/** The request, what the task continues, and its files' names, which their sender chose: they are marked as data. */
const firstMessage = (input: string, extras: Extras): string =>
  [
    ...(extras.context === null ? [] : [extras.context]),
    input,
    ...(extras.attachments.length === 0
      ? []
      : [
        `Files that came with the request, for read_document:\n${
          markedData("attachments", extras.attachments.join("\n"))
        }`
      ])
  ].join("\n\n")
