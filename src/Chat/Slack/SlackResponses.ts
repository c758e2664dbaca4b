import { Effect, identity, type ParseResult, Schema } from "effect"
import type { ChatChannel, ChatIdentity, ChatPage, ChatUser, KeptMessage } from "../ChatPlatform.ts"
import { contentOf, fileOf } from "./SlackMessage.ts"

/** How a response of the Web API is read. Everything else in it may be missing or of another shape. */
export type SlackResponse<A> = (response: unknown) => Effect.Effect<A, ParseResult.ParseError>

const response = <A, I, B>(
  schema: Schema.Schema<A, I>,
  of: (found: A) => B,
  onExcessProperty: "ignore" | "preserve" = "ignore"
): SlackResponse<B> => {
  const decode = Schema.decodeUnknown(schema, { onExcessProperty })
  return (given) => Effect.map(decode(given), of)
}

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

const present = (ids: ReadonlyArray<string | null>): ReadonlyArray<string> => ids.filter((id) => id !== null)

export const authorization = response(
  Schema.Struct({ team: Schema.String, user: text, user_id: Schema.String, team_id: text, enterprise_id: text }),
  ({ enterprise_id, team, team_id, user, user_id }): ChatIdentity & { readonly home: ReadonlyArray<string> } => ({
    team,
    userId: user_id,
    name: filled(user),
    /** The workspace and the organisation that it is part of. */
    home: present([team_id, enterprise_id])
  })
)

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
  is_restricted: flag,
  is_ultra_restricted: flag,
  is_stranger: flag,
  /** Left out by older servers. */
  is_email_confirmed: Schema.optional(Schema.Unknown),
  team_id: text,
  enterprise_user: nested(
    Schema.Struct({ enterprise_id: text, teams: nested(Schema.Array(Schema.String), () => []) }),
    () => ({ enterprise_id: null, teams: [] })
  ),
  profile: nested(Profile, noProfile)
})

/** A person, and the workspaces and organisations that the account is part of. */
interface Account {
  readonly person: ChatUser
  readonly teams: ReadonlyArray<string>
}

/** As seen from the workspace and organisation of the token. */
export const personOf = ({ person, teams }: Account, home: ReadonlyArray<string>): ChatUser => ({
  ...person,
  isGuest: person.isGuest || (home.length > 0 && teams.length > 0 && !teams.some((team) => home.includes(team)))
})

/** The platform's own assistant, which writes to every new member, is not marked as a bot. */
export const platformBot = "USLACKBOT"

const accountOf = (user: typeof User.Type): Account => {
  const { deleted, enterprise_user: { enterprise_id, teams }, id, is_bot, name, profile, real_name, team_id, tz } = user
  return {
    person: {
      id,
      name: filled(name) ?? id,
      realName: filled(profile.real_name) ?? filled(real_name),
      displayName: filled(profile.display_name),
      // One that nobody has confirmed may be somebody else's.
      email: user.is_email_confirmed === false ? null : filled(profile.email),
      title: filled(profile.title),
      timezone: filled(tz),
      avatarUrl: filled(profile.image_192),
      isBot: is_bot || id === platformBot,
      isDeactivated: deleted,
      isGuest: user.is_restricted || user.is_ultra_restricted || user.is_stranger
    },
    teams: present([team_id, enterprise_id, ...teams])
  }
}

export const user = response(Schema.Struct({ user: User }), ({ user }) => accountOf(user))

export const users = response(
  Schema.Struct({ members: Schema.Array(User), ...Paging }),
  ({ members, response_metadata }) => pageOf(members.map(accountOf), response_metadata)
)

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

export const channel = response(Schema.Struct({ channel: Channel }), ({ channel }) => channelOf(channel))

export const channels = response(
  Schema.Struct({ channels: Schema.Array(Channel), ...Paging }),
  ({ channels, response_metadata }) => pageOf(channels.map(channelOf), response_metadata)
)

export const members = response(
  Schema.Struct({ members: Schema.Array(Schema.String), ...Paging }),
  ({ members, response_metadata }) => pageOf(members, response_metadata)
)

export const opened = response(
  Schema.Struct({ channel: Schema.Struct({ id: Schema.String }) }),
  ({ channel }) => channel.id
)

export const posted = response(Schema.Struct({ channel: Schema.String, ts: Schema.String }), identity)

export const uploadUrl = response(Schema.Struct({ upload_url: Schema.String, file_id: Schema.String }), identity)

export const file = response(
  Schema.Struct({ file: Schema.Record({ key: Schema.String, value: Schema.Unknown }) }),
  ({ file }) => fileOf(file)
)

export const accepted = response(Schema.Struct({}), () => undefined)

const Metadata = nested(
  Schema.Struct({ event_type: text, event_payload: nested(Schema.Struct({ id: text }), () => ({ id: null })) }),
  () => ({ event_type: null, event_payload: { id: null } })
)

/** With all its fields: `contentOf` reads what it says. */
const Message = Schema.Struct({
  ts: Schema.String,
  user: text,
  bot_id: text,
  metadata: Metadata
})

/** Marks our messages, with their id. */
export const metadataType = "troupe_message"

/** The thread follows from where it was asked for. */
export type SlackMessage = Omit<KeptMessage, "thread">

const messageOf = (message: typeof Message.Type): SlackMessage => ({
  id: message.ts,
  at: Number(message.ts),
  user: filled(message.user),
  isBot: filled(message.bot_id) !== null,
  ourId: message.metadata.event_type === metadataType ? filled(message.metadata.event_payload.id) : null,
  ...contentOf(message)
})

export const messages = response(
  Schema.Struct({ messages: Schema.Array(Message), ...Paging }),
  ({ messages, response_metadata }) => pageOf(messages.map(messageOf), response_metadata),
  "preserve"
)
