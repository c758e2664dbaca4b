import { Schema } from "effect"

/** The files of a message, as the platform has them: what an attempt keeps for the one after it. */
export const ChatUploads = Schema.parseJson(Schema.Struct({
  files: Schema.Array(Schema.Struct({ id: Schema.String, title: Schema.String })),
  /** Files that can't be shared, with the reason. */
  missing: Schema.Array(Schema.String)
}))
export type ChatUploads = typeof ChatUploads.Type

export const chatUploadsText: (uploads: ChatUploads) => string = Schema.encodeSync(ChatUploads)
