import type { ChatPost } from "@troupe/domain/TeamChat"
import { Context, type Duration, Effect, type Either, Option, Schema } from "effect"
import type { ChatContent, ChatFile } from "./ChatContent.ts"
import type { Incoming } from "./ChatEvent.ts"
import type { Button, ChatMessage, Piece } from "./ChatMessage.ts"
import type { ChatText } from "./ChatText.ts"

/** A request of the platform; header names in lower case. `address`: the path that it called, without the base path. */
export interface ChatRequest {
  readonly address: string
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: Uint8Array
}

export interface ChatIdentity {
  readonly team: string
  readonly userId: string
  /** As people see it; null: the platform does not say. */
  readonly name?: string | null
}

export interface ChatUser {
  readonly id: string
  readonly name: string
  readonly realName: string | null
  readonly displayName: string | null
  readonly email: string | null
  readonly title: string | null
  readonly timezone: string | null
  readonly avatarUrl: string | null
  readonly isBot: boolean
  readonly isDeactivated: boolean
  /** A guest of the workspace, or a person of another one. */
  readonly isGuest: boolean
}

export interface ChatChannel {
  readonly id: string
  readonly name: string
  readonly topic: string
  readonly purpose: string
  readonly isPrivate: boolean
  readonly isArchived: boolean
  readonly isMember: boolean
  readonly memberCount: number | null
}

/** A message that was posted. Replies to it are in the thread of this key. */
export interface PostedMessage {
  readonly id: string
  readonly at: number
  readonly thread: string
}

/** A message that the platform keeps. */
export interface KeptMessage extends ChatContent, PostedMessage {
  /** Null for a message without a user. */
  readonly user: string | null
  readonly isBot: boolean
  /** The `id` with which we posted it. */
  readonly ourId: string | null
}

/** A page of a list, and the cursor of the next one; null at its end. */
export interface ChatPage<A> {
  readonly items: ReadonlyArray<A>
  readonly next: string | null
}

/** The messages that were found, and whether they are all. */
export interface KeptMessages {
  readonly items: ReadonlyArray<KeptMessage>
  readonly isWhole: boolean
}

/**
 * `refused` is permanent; `unavailable` and `rate_limited` may be retried. `uncertain`: the connection broke after the
 * request was sent. `reason` has no secrets.
 */
export class ChatFailed extends Schema.TaggedError<ChatFailed>()("ChatFailed", {
  kind: Schema.Literal("unconfigured", "refused", "unavailable", "rate_limited", "uncertain"),
  reason: Schema.String,
  /**
   * What somebody can do about it: `token` and `scope` are settings, `file`, `message` and `channel` are gone. `held`: the
   * call was not made, because the platform limits its rate.
   */
  about: Schema.NullOr(Schema.Literal("channel", "file", "held", "message", "scope", "token")),
  retryAfter: Schema.OptionFromSelf(Schema.DurationFromSelf)
}) {
  override get message() {
    return this.reason
  }
}

export const isUnauthorized = ({ about }: ChatFailed): boolean => about === "token"

export const isMisconfigured = (failed: ChatFailed): boolean =>
  failed.kind === "unconfigured" || failed.about === "scope" || isUnauthorized(failed)

type Call<A> = Effect.Effect<A, ChatFailed>

/** What the platform writes and reads, without a call. */
export interface ChatProtocol {
  /** The name of the platform; users have accounts by it. */
  readonly id: string
  /** Without them, choices are listed, and the reply is one of them. */
  readonly hasButtons: boolean
  /** Without them, a message that begins with a command is one. */
  readonly hasCommands: boolean
  /** Why the request counts as forged; right: the platform made it, and recently. */
  readonly verify: (request: ChatRequest, nowMillis: number) => Either.Either<void, string>
  /** What a verified request is. */
  readonly decode: (request: ChatRequest) => Incoming
  /** What a text in the platform's markup says, such as a channel's topic. */
  readonly read: (markup: string) => ChatText
  /** Whether a conversation is one with a single person. */
  readonly isDirect: (thread: string) => boolean
  /** The conversation of a thread, by the key for what is in no thread. */
  readonly conversationOf: (thread: string) => string
  /** A message in the platform's form; a long one in parts, the buttons under the last. */
  readonly render: (message: ChatMessage) => ReadonlyArray<ChatPost>
  /** The text of a posted message with a line below, and with these buttons in place of its own. */
  readonly closed: (text: string, line: ReadonlyArray<Piece>, buttons?: ReadonlyArray<Button>) => ChatPost
}

/** The calls of the platform. Each is one attempt, with a time-out. */
export interface ChatCalls {
  /** Whether the platform accepts us, and as whom. */
  readonly health: Call<ChatIdentity>
  /**
   * `to`: the key of a thread, or of a conversation. `id`: a UUID, by which the platform accepts a message once if it can,
   * and by which `history` finds it.
   */
  readonly post: (message: { readonly to: string; readonly id: string; readonly post: ChatPost }) => Call<PostedMessage>
  /** Replaces a message of ours. */
  readonly update: (
    message: { readonly conversation: string; readonly id: string; readonly post: ChatPost }
  ) => Call<void>
  /** Answers a command or a button later, at the `answerTo` that came with it. */
  readonly answer: (answerTo: string, post: ChatPost, isInPlace?: boolean) => Call<void>
  /** Nobody sees the file before it is shared, so an upload may be repeated. */
  readonly upload: (file: { readonly name: string; readonly content: Uint8Array }) => Call<string>
  /** Posts uploaded files as one message, each time it is called. */
  readonly share: (
    to: string,
    files: ReadonlyArray<{ readonly id: string; readonly title: string }>
  ) => Call<void>
  /** What the platform knows of a file now; a message may describe it in part. */
  readonly describeFile: (id: string) => Call<ChatFile>
  /** The content of a file as it was sent: `refused` where it is longer than `maxBytes`, or not of the file's size. */
  readonly receiveFile: (file: ChatFile, maxBytes: number) => Call<Uint8Array>
  readonly findUser: (user: string) => Call<ChatUser>
  /** The key of our conversation with the user. */
  readonly openDirect: (user: string) => Call<string>
  /** Null: the platform keeps no messages that we can read. */
  readonly history: {
    /** The last messages of a thread before this one: at least as many, unless there are fewer. */
    readonly before: (
      thread: string,
      message: { readonly at: number },
      atLeast: number
    ) => Call<KeptMessages>
    /** The messages of a thread, or of those of a conversation that are in none, since this time in seconds. */
    readonly since: (thread: string, at: number) => Call<KeptMessages>
  } | null
  /** Null: the platform lists neither its people nor its channels. */
  readonly directory: {
    readonly users: (cursor: string | null) => Call<ChatPage<ChatUser>>
    readonly channel: (channel: string) => Call<ChatChannel>
    /** Public channels and the private ones that we are in, archived ones too. */
    readonly channels: (cursor: string | null) => Call<ChatPage<ChatChannel>>
    readonly members: (channel: string, cursor: string | null) => Call<ChatPage<string>>
  } | null
}

/** A rendered message in one post, for what only one person sees. */
export const wholePost = (posts: ReadonlyArray<ChatPost>): ChatPost => ({
  ...posts.at(-1),
  text: posts.map(({ text }) => text).join("\n")
})

/** A chat platform: its protocol, and its calls. */
export class ChatPlatform extends Context.Tag("troupe/Chat/ChatPlatform")<ChatPlatform, ChatCalls & ChatProtocol>() {}

export const chatFailed = (
  kind: ChatFailed["kind"],
  reason: string,
  more: { readonly about?: ChatFailed["about"]; readonly retryAfter?: Option.Option<Duration.Duration> } = {}
): ChatFailed =>
  new ChatFailed({ kind, reason, about: more.about ?? null, retryAfter: more.retryAfter ?? Option.none() })

const unconfigured = Effect.fail(
  chatFailed("unconfigured", "Team chat is not set up: set CHAT_BOT_TOKEN and CHAT_SIGNING_SECRET.")
)

/** Without a token. */
export const unconfiguredCalls: ChatCalls = {
  health: unconfigured,
  post: () => unconfigured,
  update: () => unconfigured,
  answer: () => unconfigured,
  upload: () => unconfigured,
  share: () => unconfigured,
  describeFile: () => unconfigured,
  receiveFile: () => unconfigured,
  findUser: () => unconfigured,
  openDirect: () => unconfigured,
  history: null,
  directory: null
}
