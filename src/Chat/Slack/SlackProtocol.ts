import { threadHalves } from "@troupe/domain/TeamChat"
import { Layer, Option, type Redacted } from "effect"
import { createHash } from "node:crypto"
import type { Incoming } from "../ChatEvent.ts"
import { ChatPlatform, type ChatProtocol, type ChatRequest, unconfiguredCalls } from "../ChatPlatform.ts"
import { textOf } from "./MrkdwnText.ts"
import { eventRequestOf, isDirectId } from "./SlackEvents.ts"
import { fieldsIn, firstText, listIn, textIn } from "./SlackFields.ts"
import { closedPost, postsOf } from "./SlackPosts.ts"
import { checkSignature, signatureOf } from "./SlackSignature.ts"

/** What Slack sends and is sent. A thread is `channel/thread_ts`. */
export const slackProtocol = (signingSecret: Option.Option<Redacted.Redacted>): ChatProtocol => ({
  id: "slack",
  hasButtons: true,
  hasCommands: true,
  verify: (request, nowMillis) => checkSignature(signingSecret, request, nowMillis),
  decode,
  read: textOf,
  isDirect: isDirectId,
  conversationOf: (thread) => threadHalves(thread).channel,
  render: postsOf,
  closed: closedPost
})

const decode = (request: ChatRequest): Incoming => {
  if (request.address.endsWith("/dm_response")) return eventRequestOf(request.body)
  const form = new URLSearchParams(Buffer.from(request.body).toString("utf8"))
  return request.address.endsWith("/command") ? commandOf(form, request) : interactionOf(form)
}

/** Without a token: it reads what it is sent, and sends nothing. */
export const layerUnconfigured = (signingSecret: Option.Option<Redacted.Redacted>): Layer.Layer<ChatPlatform> =>
  Layer.succeed(ChatPlatform, { ...slackProtocol(signingSecret), ...unconfiguredCalls })

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
