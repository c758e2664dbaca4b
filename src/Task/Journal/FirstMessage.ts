import type { TaskId, UserId } from "@troupe/domain/Ids"
import type { ImageReference } from "@troupe/domain/Message"
import { afterConversation, type OpeningConversation } from "@troupe/domain/OpeningConversation"
import { type CallRequester, requesterKind } from "@troupe/domain/PolicyDecision"
import { emptyRun, type Run } from "@troupe/domain/Run"
import { openingContext, type SeenContext, shownByText } from "@troupe/domain/SeenContext"
import { mergedShown, Shown } from "@troupe/domain/Shown"
import type { TaskSourceKind, TaskType } from "@troupe/domain/Task"
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
  /** A person has written its request, whatever made the earlier task. */
  readonly isContinuation: boolean
  /** JSON of what its beginning shows beyond the request. */
  readonly shown: string | null
}

/** What the model of a claimed task sees from its beginning on. */
export const openingSeen = (
  { attachments, input, isContinuation, shown, source: maker, title, toolAccess, type }: Request
): SeenContext => {
  const source = isContinuation ? null : maker
  return openingContext(
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
}

type Requested = Parameters<typeof requesterKind>[0] & {
  readonly agent: string | null
  readonly creator: UserId
  readonly projectId: string | null
  readonly scheduleId: string | null
  readonly source: TaskSourceKind | null
  readonly taskId: TaskId
}

/** For whom the calls of a task are made, as rules see it; with the role of its creator. */
export const requesterOf = (task: Requested, role: string | undefined): CallRequester => ({
  requester: requesterKind(task, role),
  source: task.source ?? "api",
  task: task.taskId,
  person: task.creator,
  agent: task.agent,
  project: task.projectId,
  schedule: task.scheduleId
})

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
