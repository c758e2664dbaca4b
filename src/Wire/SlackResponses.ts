import { Schema } from "effect"
import type { ChatChannel, ChatFile, ChatMessage, ChatPage, ChatUser } from "./ChatPlatform.ts"

/** What is read of the Web API's answers. Everything else may be missing or of another shape. */

const text = Schema.optionalWith(Schema.NullOr(Schema.String), { default: () => null })
const flag = Schema.optionalWith(Schema.Boolean, { nullable: true, default: () => false })
const number = Schema.optionalWith(Schema.NullOr(Schema.Number), { default: () => null })
const nested = <A, I>(schema: Schema.Schema<A, I>, empty: () => A) =>
  Schema.optionalWith(schema, { nullable: true, default: empty })

const Paging = {
  response_metadata: nested(Schema.Struct({ next_cursor: text }), () => ({ next_cursor: null }))
}

const filled = (value: string | null): string | null => value === null || value.trim() === "" ? null : value

const pageOf = <A>(
  items: ReadonlyArray<A>,
  metadata: { readonly next_cursor: string | null }
): ChatPage<A> => ({ items, next: filled(metadata.next_cursor) })

export const Identity = Schema.Struct({
  team: Schema.String,
  team_id: Schema.String,
  user_id: Schema.String,
  bot_id: text
})

const Profile = Schema.Struct({
  real_name: text,
  display_name: text,
  email: text,
  title: text,
  image_192: text
})

const noProfile = () => ({ real_name: null, display_name: null, email: null, title: null, image_192: null })

const User = Schema.Struct({
  id: Schema.String,
  name: text,
  real_name: text,
  tz: text,
  deleted: flag,
  is_bot: flag,
  profile: nested(Profile, noProfile)
})

/** The platform's own bot is not marked as one. */
const platformBot = "USLACKBOT"

const userOf = ({ deleted, id, is_bot, name, profile, real_name, tz }: typeof User.Type): ChatUser => ({
  id,
  name: filled(name) ?? id,
  realName: filled(profile.real_name) ?? filled(real_name),
  displayName: filled(profile.display_name),
  email: filled(profile.email),
  title: filled(profile.title),
  timezone: filled(tz),
  avatarUrl: filled(profile.image_192),
  isBot: is_bot || id === platformBot,
  isDeactivated: deleted
})

export const UserInfo = Schema.Struct({ user: User })
export const userInfoOf = ({ user }: typeof UserInfo.Type): ChatUser => userOf(user)

export const Users = Schema.Struct({ members: Schema.Array(User), ...Paging })
export const usersOf = ({ members, response_metadata }: typeof Users.Type): ChatPage<ChatUser> =>
  pageOf(members.map(userOf), response_metadata)

const Text = nested(Schema.Struct({ value: text }), () => ({ value: null }))

const Channel = Schema.Struct({
  id: Schema.String,
  name: text,
  is_private: flag,
  is_archived: flag,
  is_member: flag,
  num_members: number,
  topic: Text,
  purpose: Text
})

const channelOf = (channel: typeof Channel.Type): ChatChannel => ({
  id: channel.id,
  name: filled(channel.name) ?? channel.id,
  topic: channel.topic.value ?? "",
  purpose: channel.purpose.value ?? "",
  isPrivate: channel.is_private,
  isArchived: channel.is_archived,
  isMember: channel.is_member,
  memberCount: channel.num_members
})

export const ChannelInfo = Schema.Struct({ channel: Channel })
export const channelInfoOf = ({ channel }: typeof ChannelInfo.Type): ChatChannel => channelOf(channel)

export const Channels = Schema.Struct({ channels: Schema.Array(Channel), ...Paging })
export const channelsOf = ({ channels, response_metadata }: typeof Channels.Type): ChatPage<ChatChannel> =>
  pageOf(channels.map(channelOf), response_metadata)

export const Members = Schema.Struct({ members: Schema.Array(Schema.String), ...Paging })
export const membersOf = ({ members, response_metadata }: typeof Members.Type): ChatPage<string> =>
  pageOf(members, response_metadata)

export const Opened = Schema.Struct({ channel: Schema.Struct({ id: Schema.String }) })

export const Posted = Schema.Struct({ channel: Schema.String, ts: Schema.String })

export const UploadUrl = Schema.Struct({ upload_url: Schema.String, file_id: Schema.String })

const File = Schema.Struct({
  id: Schema.String,
  name: text,
  size: number,
  url_private_download: text
})

const fileOf = (file: typeof File.Type): ChatFile => ({
  id: file.id,
  name: filled(file.name) ?? file.id,
  size: file.size ?? 0,
  downloadUrl: filled(file.url_private_download)
})

const Metadata = nested(
  Schema.Struct({ event_type: text, event_payload: nested(Schema.Struct({ id: text }), () => ({ id: null })) }),
  () => ({ event_type: null, event_payload: { id: null } })
)

const Message = Schema.Struct({
  ts: Schema.String,
  thread_ts: text,
  user: text,
  bot_id: text,
  subtype: text,
  text,
  metadata: Metadata,
  files: nested(Schema.Array(File), () => [])
})

/** Marks our messages, with their id. */
export const metadataType = "troupe_message"

const messageOf = (message: typeof Message.Type): ChatMessage => ({
  ts: message.ts,
  threadTs: filled(message.thread_ts),
  user: filled(message.user),
  botId: filled(message.bot_id),
  subtype: filled(message.subtype),
  text: message.text ?? "",
  id: message.metadata.event_type === metadataType ? filled(message.metadata.event_payload.id) : null,
  files: message.files.map(fileOf)
})

export const Messages = Schema.Struct({ messages: Schema.Array(Message), ...Paging })
export const messagesOf = ({ messages, response_metadata }: typeof Messages.Type): ChatPage<ChatMessage> =>
  pageOf(messages.map(messageOf), response_metadata)
