import { Schema } from "effect"
import { ChatContent } from "./ChatContent.ts"
import { ChatText } from "./ChatText.ts"

const id = Schema.NonEmptyString
const author = Schema.NullOr(Schema.String)

/** What a person wrote. */
export const MessageEvent = Schema.TaggedStruct("Message", {
  /** The platform says itself that we are mentioned. */
  isMention: Schema.Boolean,
  isDirect: Schema.Boolean,
  channel: id,
  user: id,
  id,
  /** In seconds since 1970, as exactly as the platform has it: later messages of a channel have greater ones. */
  at: Schema.Number,
  /** The key of the thread that it is written in; null: it is in none. */
  thread: Schema.NullOr(Schema.String),
  /** The key of the thread in which an answer belongs. */
  replyTo: Schema.String,
  ...ChatContent.fields
})
export type MessageEvent = typeof MessageEvent.Type

/** What the platform asks to do by a command of its own. */
export const CommandEvent = Schema.TaggedStruct("Command", {
  user: id,
  channel: id,
  text: ChatText,
  /** Where the answer goes, for the user alone; null: to the direct message. */
  answerTo: Schema.NullOr(Schema.String)
})
export type CommandEvent = typeof CommandEvent.Type

const memberEvent = { channel: id, user: id }

/** What happened on a chat platform, as everything behind the adapter sees it. The queue keeps it in this form. */
export const ChatEvent = Schema.Union(
  MessageEvent,
  CommandEvent,
  Schema.TaggedStruct("MemberJoined", memberEvent),
  Schema.TaggedStruct("MemberLeft", memberEvent),
  Schema.TaggedStruct("WeLeft", { channel: id }),
  Schema.TaggedStruct("ChannelClosed", { channel: id }),
  Schema.TaggedStruct("ChannelChanged", { channel: id }),
  Schema.TaggedStruct("UserChanged", { user: id }),
  Schema.TaggedStruct("MessageChanged", { channel: id, id, user: author, ...ChatContent.fields }),
  Schema.TaggedStruct("MessageDeleted", { channel: id, id, user: author })
)
export type ChatEvent = typeof ChatEvent.Type

/** `ourselves`: the platform's ids of our bot; none: the platform does not say. */
export const ReceivedEvent = Schema.Struct({ ourselves: Schema.Array(Schema.String), event: ChatEvent })
export type ReceivedEvent = typeof ReceivedEvent.Type

export interface Envelope extends ReceivedEvent {
  readonly _tag: "Event"
  /** The platform's name of the kind. */
  readonly type: string
  /** The same in each delivery of the event. */
  readonly id: string
}

/** A button that was pressed: the first action that is known counts. */
export interface PressedButton {
  readonly _tag: "Pressed"
  readonly user: string
  readonly actions: ReadonlyArray<{ readonly action: string; readonly value: string }>
  readonly answerTo: string | null
}

/** What a request of the platform is. */
export type Incoming =
  | Envelope
  | PressedButton
  | { readonly _tag: "Verification"; readonly challenge: string }
  | { readonly _tag: "Ignored" | "Unreadable"; readonly reason: string }

/** Whose data it is, for its deletion; null: nobody's. */
export const senderOf = (event: ChatEvent): string | null => "user" in event ? event.user : null

/** Events with the same key act in the order of their arrival. */
export const orderingKeyOf = (event: ChatEvent): string => {
  switch (event._tag) {
    case "Message":
      return event.isDirect ? event.channel : event.replyTo
    case "Command":
      return `command ${event.user}`
    case "UserChanged":
      return event.user
    case "MessageChanged":
    case "MessageDeleted":
      return `${event.channel}/${event.id}`
    default:
      return event.channel
  }
}
