import { Option } from "effect"
import { createHash } from "node:crypto"
import type { Incoming } from "../ChatEvent.ts"
import type { ChatRequest } from "../ChatPlatform.ts"
import { textOf } from "./MrkdwnText.ts"
import { fieldsIn, firstText, listIn, textIn } from "./SlackFields.ts"
import { signatureOf } from "./SlackSignature.ts"

/** A press of a button: the form has a field `payload`. */
export const interactionOf = (form: URLSearchParams): Incoming => {
  const text = form.get("payload")
  if (text === null) return { _tag: "Unreadable", reason: "the form has no field payload" }
  const payload = fieldsIn(Option.getOrNull(Option.liftThrowable((json: string): unknown => JSON.parse(json))(text)))
  const user = firstText(fieldsIn(payload["user"]), "id")
  return user === null ? { _tag: "Unreadable", reason: "the field payload is not JSON with a user and actions" } : {
    _tag: "Pressed",
    user,
    // An `action_id` is unique in its message: a number follows.
    actions: listIn(payload["actions"]).map(({ action_id, value }) => ({
      action: textIn(action_id).split(":")[0] ?? "",
      value: textIn(value)
    })),
    answerTo: firstText(payload, "response_url")
  }
}

/** A slash command. One that is sent again has the same id, also where the platform gives it none. */
export const commandOf = (form: URLSearchParams, { body, headers }: ChatRequest): Incoming => {
  const [user, channel] = [form.get("user_id") ?? "", form.get("channel_id") ?? ""]
  if (user === "" || channel === "") {
    return { _tag: "Unreadable", reason: "The form needs the fields user_id and channel_id." }
  }
  const id = form.get("trigger_id") ?? signatureOf(headers).signature ?? body
  const text = textOf(form.get("text") ?? "")
  return {
    _tag: "Event",
    type: "slash_command",
    id: createHash("sha256").update(id).digest("hex"),
    ourselves: [],
    event: { _tag: "Command", user, channel, text, answerTo: form.get("response_url") }
  }
}
