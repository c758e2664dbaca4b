import { Schema } from "effect"

/** The document gives no text. `reason` is a plain sentence that a model understands. */
export class DocumentUnreadable extends Schema.TaggedError<DocumentUnreadable>()("DocumentUnreadable", {
  reason: Schema.String
}) {
  override get message() {
    return this.reason
  }
}
