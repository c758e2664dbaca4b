import { Schema } from "effect"
import { recordId, UserId } from "./Ids.ts"
import { Timestamp } from "./Timestamp.ts"
import { nullableText } from "./User.ts"

/** The chat platform's id of a channel. Also the name of the project's folder, so it can't lead anywhere else. */
export const ChatChannelId = Schema.String.pipe(
  Schema.pattern(/^[A-Z][A-Z0-9]{1,39}$/),
  Schema.brand("ChatChannelId")
).annotations({ description: "The chat platform's id of the channel" })
export type ChatChannelId = typeof ChatChannelId.Type
export const isChatChannelId = Schema.is(ChatChannelId)

export const ChannelRecordId = recordId("ChannelRecordId", "Our id of the channel: a time-sortable UUIDv7")
export type ChannelRecordId = typeof ChannelRecordId.Type

export const Channel = Schema.Struct({
  id: ChannelRecordId,
  channel_id: ChatChannelId,
  name: Schema.String.annotations({ description: "Name without the #" }),
  topic: Schema.String.annotations({ description: "Topic" }),
  purpose: Schema.String.annotations({ description: "Purpose" }),
  is_private: Schema.Boolean.annotations({ description: "Only its members, owner and admins see it" }),
  is_active: Schema.Boolean.annotations({ description: "False once it is archived or deleted on the platform" }),
  is_member: Schema.Boolean.annotations({ description: "Whether the service's bot is in it" }),
  project_id: Schema.NullOr(Schema.String).annotations({
    description: "Project of the tasks that come from it; null until the bot is invited"
  }),
  project_path: Schema.NullOr(Schema.String).annotations({ description: "Folder of the project" }),
  summary: Schema.NullOr(Schema.String).annotations({ description: "What was said in it, summarised by the model" }),
  member_count: Schema.Int.annotations({ description: "People in it, at the last sync" }),
  last_synced_at: Schema.NullOr(Timestamp).annotations({ description: "When it was last synced" })
}).annotations({ identifier: "Channel" })
export type Channel = typeof Channel.Type

export const ChannelMembership = Schema.Struct({
  channel_id: ChatChannelId,
  user_id: UserId,
  chat_user_id: Schema.NullOr(Schema.String).annotations({ description: "The user's id on the chat platform" }),
  name: Schema.NullOr(Schema.String).annotations({ description: "Full name" }),
  role: Schema.NullOr(Schema.String).annotations({ description: "What the user does in the channel" }),
  responsibilities: Schema.NullOr(Schema.String).annotations({
    description: "What the user is responsible for in the channel"
  }),
  joined_at: Timestamp.annotations({ description: "When a sync first found the user in the channel" })
}).annotations({ identifier: "ChannelMembership" })
export type ChannelMembership = typeof ChannelMembership.Type

export const MembershipChanges = Schema.Struct({
  role: Schema.optional(nullableText(200, "What the user does in the channel; null clears it")),
  responsibilities: Schema.optional(
    nullableText(4_000, "What the user is responsible for in the channel; null clears it")
  )
}).annotations({ identifier: "MembershipChanges" })
export type MembershipChanges = typeof MembershipChanges.Type

/** What a sync did. Parts that failed are listed, and stay as they were. */
export const SyncReport = Schema.Struct({
  synced: Schema.Int.annotations({ description: "Channels that were read" }),
  created: Schema.Int.annotations({ description: "Channels that are new" }),
  updated: Schema.Int.annotations({ description: "Channels of which something changed" }),
  deactivated: Schema.Int.annotations({ description: "Channels that were archived or deleted on the platform" }),
  errors: Schema.Array(
    Schema.Struct({
      path: Schema.String.annotations({ description: "users, channels, channels/{channel_id} or its /members" }),
      message: Schema.String.annotations({ description: "What failed, and what to do" })
    })
  ).annotations({ description: "What could not be synced, at most 100" })
}).annotations({ identifier: "ChannelSyncReport" })
export type SyncReport = typeof SyncReport.Type

export class ChannelNotFound extends Schema.TaggedError<ChannelNotFound>()("ChannelNotFound", { id: Schema.String }) {
  override get message() {
    return `There is no channel ${this.id}. A sync finds new ones: POST /api/channels/sync.`
  }
}

export class MembershipNotFound extends Schema.TaggedError<MembershipNotFound>()("MembershipNotFound", {
  channel_id: Schema.String.annotations({ description: "The channel" }),
  user_id: Schema.String
}) {
  override get message() {
    return `${this.user_id} is not a member of the channel ${this.channel_id}.`
  }
}

export class ChatNotConfigured extends Schema.TaggedError<ChatNotConfigured>()("ChatNotConfigured", {}) {
  override get message() {
    return "Team chat is not set up: set CHAT_BOT_TOKEN and CHAT_SIGNING_SECRET, and start the service again."
  }
}
