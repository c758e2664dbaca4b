import { Schema } from "effect"

/** The request was not signed by the chat platform, or not recently. */
export class SignatureInvalid extends Schema.TaggedError<SignatureInvalid>()("SignatureInvalid", {
  reason: Schema.String
}) {
  override get message() {
    return this.reason
  }
}

/** The platform's request lacks what it needs. */
export class ChatRequestInvalid extends Schema.TaggedError<ChatRequestInvalid>()("ChatRequestInvalid", {
  reason: Schema.String
}) {
  override get message() {
    return this.reason
  }
}
