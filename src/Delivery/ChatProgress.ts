import { Effect, Schema } from "effect"
import { AttemptFailed } from "../Queue/AttemptFailed.ts"
import { PostedButtons } from "./MessageThreads.ts"

/** Progress of a message, stored for the next attempt: what it has uploaded and posted. */
const Progress = Schema.Struct({
  files: Schema.Array(Schema.Struct({ id: Schema.String, title: Schema.String })),
  /** Files that can't be shared, with the reason. */
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
