import { threadHalves } from "@troupe/domain/TeamChat"
import { Layer, type Option, type Redacted } from "effect"
import type { Incoming } from "../ChatEvent.ts"
import { ChatPlatform, type ChatProtocol, type ChatRequest, unconfiguredCalls } from "../ChatPlatform.ts"
import { textOf } from "./MrkdwnText.ts"
import { eventRequestOf, isDirectId } from "./SlackEvents.ts"
import { commandOf, interactionOf } from "./SlackForms.ts"
import { closedPost, postsOf } from "./SlackPosts.ts"
import { checkSignature } from "./SlackSignature.ts"

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
