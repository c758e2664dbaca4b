import { Either, Schema } from "effect"
import { createHash } from "node:crypto"
import type { Incoming } from "../ChatEvent.ts"
import type { ChatRequest } from "../ChatPlatform.ts"
import { textOf } from "./MrkdwnText.ts"
import { signatureOf } from "./SlackSignature.ts"

const optionalText = Schema.optional(Schema.NullOr(Schema.String))

const Payload = Schema.parseJson(Schema.Struct({
  user: Schema.Struct({ id: Schema.NonEmptyString }),
  response_url: optionalText,
  actions: Schema.optional(Schema.Array(Schema.Struct({ action_id: Schema.String, value: optionalText })))
}))

const decodePayload = Schema.decodeEither(Payload)

/** A press of a button: the form has a field `payload`. */
export const interactionOf = (form: URLSearchParams): Incoming => {
  const text = form.get("payload")
  if (text === null) return { _tag: "Unreadable", reason: "the form has no field payload" }
  const payload = decodePayload(text)
  if (Either.isLeft(payload)) {
    return { _tag: "Unreadable", reason: "the field payload is not JSON with a user and actions" }
  }
  const { actions = [], response_url, user } = payload.right
  return {
    _tag: "Pressed",
    user: user.id,
    // An `action_id` is unique in its message: a number follows.
    actions: actions.map(({ action_id, value }) => ({ action: action_id.split(":")[0] ?? "", value: value ?? "" })),
    answerTo: response_url ?? null
  }
}

/** A slash command. One that is sent again has the same id, also where the platform gives it none. */
export const commandOf = (form: URLSearchParams, { body, headers }: ChatRequest): Incoming => {
  const [user, channel] = [form.get("user_id") ?? "", form.get("channel_id") ?? ""]
  if (user === "" || channel === "") {
    return { _tag: "Unreadable", reason: "The form needs the fields user_id and channel_id." }
  }
  return {
    _tag: "Event",
    type: "slash_command",
    id: createHash("sha256").update(form.get("trigger_id") ?? signatureOf(headers).signature ?? body).digest("hex"),
    ourselves: [],
    event: {
      _tag: "Command",
      user,
      channel,
      text: textOf(form.get("text") ?? ""),
      answerTo: form.get("response_url")
    }
  }
}
