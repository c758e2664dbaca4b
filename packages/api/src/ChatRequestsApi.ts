import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import { Schema } from "effect"
import { Uncounted } from "./Authentication.ts"
import { checkedWhole, described, titled } from "./Fields.ts"
import * as Problems from "./Problems.ts"

/** A request of the chat platform to the address for events. Other fields are ignored. */
export const ChatEventRequest = Schema.Struct({
  type: Schema.String.annotations({ description: "event_callback or url_verification" }),
  challenge: Schema.optional(Schema.String.annotations({ description: "Of url_verification: the text to return" })),
  event_id: Schema.optional(Schema.String.annotations({ description: "The same in each delivery of the event" })),
  event: Schema.optional(Schema.Unknown.annotations({ description: "The event" }))
}).annotations({ identifier: "ChatEventRequest" })
export type ChatEventRequest = typeof ChatEventRequest.Type

export const ChatEventAnswer = Schema.Union(
  Schema.Struct({ challenge: Schema.String.annotations({ description: "The challenge of url_verification" }) }),
  Schema.Struct({
    ok: Schema.Boolean.annotations({ description: "Whether the event was accepted" }),
    error: Schema.optional(
      Schema.Literal("invalid_signature", "invalid_request").annotations({ description: "Why it was not" })
    )
  })
).annotations({ identifier: "ChatEventAnswer" })
export type ChatEventAnswer = typeof ChatEventAnswer.Type

/** What one person sees, and nobody else. */
export const ChatAnswer = Schema.Struct({
  response_type: Schema.Literal("ephemeral").annotations({ description: "Only the user sees it" }),
  replace_original: Schema.Boolean.annotations({ description: "Whether it replaces the message with the button" }),
  text: Schema.String.annotations({ description: "The answer, with the platform's markup" }),
  blocks: Schema.optionalWith(
    Schema.Array(Schema.Unknown).annotations({ description: "The answer with a button, in the platform's form" }),
    { exact: true }
  )
}).annotations({ identifier: "ChatAnswer" })
export type ChatAnswer = typeof ChatAnswer.Type

const Button = Schema.Struct({
  payload: Schema.String.annotations({ description: "JSON of the interaction: user, actions, response_url" })
}).pipe(HttpApiSchema.withEncoding({ kind: "UrlParams" }))

/** The form of the slash command. Other fields are ignored. */
export const ChatCommandRequest = Schema.Struct({
  user_id: Schema.NonEmptyString.annotations({ description: "The platform's id of the user" }),
  channel_id: Schema.NonEmptyString.annotations({ description: "The platform's id of the channel" }),
  text: Schema.optionalWith(Schema.String, { default: () => "" }).annotations({
    description: "What the user wrote behind the command"
  }),
  response_url: Schema.optional(Schema.String.annotations({ description: "Where a late answer goes" }))
}).annotations({ identifier: "ChatCommandRequest" }).pipe(HttpApiSchema.withEncoding({ kind: "UrlParams" }))
export type ChatCommandRequest = typeof ChatCommandRequest.Type

const signature =
  "Signed by the chat platform with CHAT_SIGNING_SECRET: X-Slack-Signature or X-Chat-Signature, and its timestamp"

/** The addresses that the chat platform calls. They take its signature instead of a token. */
export class ChatRequestsApi extends HttpApiGroup.make("chatRequests")
  .add(
    HttpApiEndpoint.post("event", "/team-chat/dm_response")
      .setPayload(checkedWhole(ChatEventRequest))
      .addSuccess(ChatEventAnswer)
      .annotate(Uncounted, true)
      .annotateContext(
        described(`Accepts an event, which is processed later: 200, or 503 if it could not be stored. ${signature}`)
      )
  )
  .add(
    HttpApiEndpoint.post("interaction", "/team-chat/interactive")
      .setPayload(checkedWhole(Button))
      .addSuccess(ChatAnswer)
      .addError(Problems.signatureInvalid)
      .addError(Problems.chatRequestInvalid)
      .annotate(Uncounted, true)
      .annotateContext(
        described(`Handles a button: stop reminders, make tasks of them, answer a question. ${signature}`)
      )
  )
  .add(
    HttpApiEndpoint.post("command", "/team-chat/command")
      .setPayload(checkedWhole(ChatCommandRequest))
      .addSuccess(ChatAnswer)
      .addError(Problems.signatureInvalid)
      .addError(Problems.chatRequestInvalid)
      .annotate(Uncounted, true)
      .annotateContext(described(`The slash command: tasks, status, answers, cancellation. ${signature}`))
  )
  .annotateContext(
    titled(
      "Requests of the chat platform",
      "The addresses that the chat platform calls. They take its signature instead of a token."
    )
  )
{}
