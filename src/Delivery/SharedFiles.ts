import { Effect, Schema } from "effect"
import type { ChatFailed, ChatPlatform } from "../Chat/ChatPlatform.ts"
import { AttemptFailed } from "../Queue/AttemptFailed.ts"
import type { AttachedFile } from "../Wire/Mail.ts"
import { PostedButtons } from "./MessageThreads.ts"
import type { AttachedFiles, ClaimedMessage, OutboxChannel, OutboxNotification } from "./OutboxChannel.ts"

/** What an attempt to send a chat message has uploaded and posted, stored for the next attempt. */
const Progress = Schema.Struct({
  files: Schema.Array(Schema.Struct({ id: Schema.String, title: Schema.String })),
  missing: Schema.Array(Schema.String),
  buttons: Schema.optionalWith(PostedButtons, { exact: true }),
  /** The parts that were posted, where the platform has no history in which to look for them. */
  posted: Schema.optionalWith(
    Schema.Array(Schema.Struct({ id: Schema.String, at: Schema.Number, thread: Schema.String })),
    { exact: true }
  )
})
export type ChatProgress = typeof Progress.Type

const ProgressJson = Schema.parseJson(Progress)

export const noProgress: ChatProgress = { files: [], missing: [] }

export const progressText: (progress: ChatProgress) => string = Schema.encodeSync(ProgressJson)

/** Null: no attempt has stored any. */
export const progressOf = (stored: string | null): Effect.Effect<ChatProgress | null, AttemptFailed> =>
  stored === null
    ? Effect.succeed(null)
    : Effect.mapError(
      Schema.decode(ProgressJson)(stored),
      () => AttemptFailed.refused("What an earlier attempt has stored can't be read.")
    )

/** Files are held in memory while they are sent. */
const maxSharedBytes = 25 * 1_024 * 1_024

export type KeepProgress = Parameters<OutboxChannel["deliver"]>[2]
type Failure = Effect.Effect.Error<ReturnType<OutboxChannel["deliver"]>>

interface SharingServices {
  readonly attached: AttachedFiles["Type"]
  readonly platform: Pick<ChatPlatform["Type"], "share" | "upload">
  readonly failureOf: (failed: ChatFailed) => AttemptFailed
}

/** Uploads the files of a result to the chat platform, then shares them. */
export const makeSharedFiles = ({ attached, failureOf, platform }: SharingServices) => {
  const filesOf = ({ files = [], filesOf: owner, kind }: OutboxNotification) =>
    kind === "completion" && files.length > 0
      ? attached.read(owner, files, maxSharedBytes)
      : Effect.succeed({ files: [], missing: [] })

  const uploadOf = (file: AttachedFile) =>
    platform.upload({ name: file.filename, content: file.content }).pipe(
      Effect.map((id) => ({ files: [{ id, title: file.filename }], missing: [] })),
      Effect.catchAll((failed) =>
        failed.kind === "refused"
          ? Effect.succeed({ files: [], missing: [`${file.filename} (${failed.reason})`] })
          : failureOf(failed)
      )
    )

  /** Uploaded files are not visible. By their ids, the next attempt finds out whether this one has shared them. */
  const upload = (notification: OutboxNotification, keep: KeepProgress): Effect.Effect<ChatProgress, Failure> =>
    Effect.gen(function*() {
      const { files, missing } = yield* filesOf(notification)
      const results = yield* Effect.forEach(files, uploadOf)
      const uploads = {
        files: results.flatMap((result) => result.files),
        missing: [
          ...missing.map((path) => `${path} (gone or too large)`),
          ...results.flatMap((result) => result.missing)
        ]
      }
      if (uploads.files.length > 0) yield* keep(progressText(uploads))
      return uploads
    })

  /** The platform deletes an upload that is not shared in time; the files are then uploaded again. */
  const share = ({ progress }: ClaimedMessage, to: string, files: ChatProgress["files"], keep: KeepProgress) =>
    platform.share(to, files).pipe(
      Effect.catchAll((failed) =>
        progress !== null && failed.about === "file"
          ? Effect.zipRight(keep(null), AttemptFailed.later(failed.reason))
          : failureOf(failed)
      )
    )

  return { share, upload }
}
