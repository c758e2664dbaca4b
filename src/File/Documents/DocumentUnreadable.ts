import { Schema } from "effect"

/** The document can't be read; the model reads `reason`. */
export class DocumentUnreadable extends Schema.TaggedError<DocumentUnreadable>()("DocumentUnreadable", {
  reason: Schema.String
}) {
  override get message() {
    return this.reason
  }
}
