import type { ImageReference } from "@troupe/domain/Message"
import { afterConversation, type OpeningConversation } from "@troupe/domain/OpeningConversation"
import { emptyRun, type Run } from "@troupe/domain/Run"
import { openingContext, type SeenContext, shownByText } from "@troupe/domain/SeenContext"
import { mergedShown, Shown } from "@troupe/domain/Shown"
import type { TaskType } from "@troupe/domain/Task"
import { markedData } from "@troupe/domain/Text"
import { type TrustedRequest, trustedTexts } from "@troupe/domain/TrustedText"
import { Schema } from "effect"
import { imageTypeOf } from "../../File/Image.ts"

interface Extras {
  readonly context: string | null
  /** The messages that come first. */
  readonly conversation: OpeningConversation | null
  readonly attachments: ReadonlyArray<string>
}

export const openingRun = (input: string, extras: Extras, seen?: SeenContext): Run => {
  const run = emptyRun(
    firstMessage(input, extras),
    extras.attachments.flatMap((path): ReadonlyArray<ImageReference> => {
      const media_type = imageTypeOf(path)
      return media_type === undefined ? [] : [{ path, media_type, size: null, digest: null }]
    }),
    seen
  )
  return extras.conversation === null ? run : afterConversation(extras.conversation, run)
}

interface Request extends Omit<TrustedRequest, "description">, Pick<Extras, "attachments"> {
  readonly input: string
  readonly type: TaskType
  /** JSON of what its beginning shows beyond the request. */
  readonly shown: string | null
}

/** What the model of a claimed task sees from its beginning on. */
export const openingSeen = (
  { attachments, input, shown, source, title, toolAccess, type }: Request
): SeenContext =>
  openingContext(
    mergedShown([
      shown === null ? undefined : decodeShown(shown),
      source === "webhook" ? { outside: "a webhook" } : undefined,
      toolAccess === "all" ? undefined : { outside: "a request of somebody unknown" },
      type === "task" && source !== "webhook" ? shownByText(input) : undefined,
      attachments.some((path) => imageTypeOf(path) !== undefined)
        ? { outside: "a picture that came with the request", private: true }
        : undefined
    ]),
    type === "task" ? trustedTexts({ source, toolAccess, title, description: input }, []) : []
  )

const decodeShown = Schema.decodeUnknownSync(Schema.parseJson(Shown))

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
