import { DateTime } from "effect"

/** What the fake platform keeps. A test reads it, and changes it where people would. */
export interface FakeUser {
  readonly id: string
  name: string
  real_name: string
  tz: string
  deleted: boolean
  is_bot: boolean
  is_restricted?: boolean
  is_ultra_restricted?: boolean
  is_stranger?: boolean
  is_email_confirmed?: boolean
  team_id?: string
  enterprise_user?: { readonly enterprise_id: string; readonly teams: ReadonlyArray<string> }
  profile: {
    real_name: string
    display_name: string
    email: string | undefined
    title: string
    image_192: string
  }
}

export interface FakeChannel {
  readonly id: string
  name: string
  is_private: boolean
  is_archived: boolean
  topic: string
  purpose: string
  readonly members: Set<string>
}

export interface FakeFile {
  readonly id: string
  readonly name: string
  readonly size: number
  content: Buffer | null
  /** Further fields of its description, or others than these. */
  fields?: Readonly<Record<string, unknown>>
}

export interface FakeMessage {
  readonly channel: string
  readonly ts: string
  readonly thread_ts: string | null
  readonly user: string
  readonly bot_id: string | null
  readonly subtype: string | null
  text: string
  blocks: ReadonlyArray<unknown>
  readonly client_msg_id: string | null
  readonly metadata: unknown
  readonly files: ReadonlyArray<FakeFile>
  /** Further fields, such as attachments, or others than these. */
  readonly fields: Readonly<Record<string, unknown>>
}

export const botUserId = "UTROUPE"
export const botId = "BTROUPE"
export const teamId = "T0TEAM"

export class PlatformState {
  readonly users = new Map<string, FakeUser>()
  readonly channels = new Map<string, FakeChannel>()
  /** Direct messages by user. */
  readonly directMessages = new Map<string, string>()
  readonly messages: Array<FakeMessage> = []
  readonly files = new Map<string, FakeFile>()
  /** Whether it takes a message once by its client_msg_id. Not every installation does. */
  recognisesRepeats = true
  /** In seconds, ahead of the service: it looks for its messages since the time of its own attempt. */
  private clock = Math.floor(DateTime.unsafeNow().epochMillis / 1_000) + 3_600

  constructor() {
    this.user("TROUPE", { name: "troupe", is_bot: true })
  }

  nextTs(): string {
    this.clock += 1
    return `${this.clock}.000100`
  }

  /** A user with the id `U` + `key`. */
  user(key: string, { profile, ...given }: Partial<Omit<FakeUser, "profile">> & { readonly profile?: object } = {}) {
    const name = given.name ?? key.toLowerCase()
    const user: FakeUser = {
      id: `U${key}`,
      name,
      real_name: given.real_name ?? name,
      tz: "Europe/Berlin",
      deleted: false,
      is_bot: false,
      ...given,
      profile: {
        real_name: given.real_name ?? name,
        display_name: "",
        email: `${name}@example.org`,
        title: "",
        image_192: "https://chat.example.org/picture.png",
        ...profile
      }
    }
    this.users.set(user.id, user)
    return user
  }

  /** A channel with the id `C` + `key`, which we are in unless given otherwise. */
  channel(key: string, given: Partial<Omit<FakeChannel, "members">> & { readonly members?: Iterable<string> } = {}) {
    const channel: FakeChannel = {
      id: `C${key}`,
      name: key.toLowerCase(),
      is_private: false,
      is_archived: false,
      topic: "",
      purpose: "",
      ...given,
      members: new Set(given.members ?? [botUserId])
    }
    this.channels.set(channel.id, channel)
    return channel
  }

  /** The channel of our direct messages with the user. */
  directMessage(user: string): string {
    const known = this.directMessages.get(user) ?? `D${user.slice(1)}`
    this.directMessages.set(user, known)
    return known
  }

  isDirectMessage(channel: string): boolean {
    return [...this.directMessages.values()].includes(channel)
  }

  /** A file that people uploaded. */
  file(id: string, name: string, content: string | Buffer, fields: FakeFile["fields"] = {}): FakeFile {
    const bytes = Buffer.from(content)
    const file = { id, name, size: bytes.length, content: bytes, fields }
    this.files.set(id, file)
    return file
  }

  /** A message as people write it, or as we post it. */
  add(message: Partial<FakeMessage> & Pick<FakeMessage, "channel" | "text" | "user">): FakeMessage {
    const added = {
      ts: this.nextTs(),
      thread_ts: null,
      bot_id: null,
      subtype: null,
      blocks: [],
      client_msg_id: null,
      metadata: undefined,
      files: [],
      fields: {},
      ...message
    }
    this.messages.push(added)
    return added
  }
}
