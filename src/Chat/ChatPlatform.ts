import { Context, type Duration, Effect, Layer, Option, Schema } from "effect"
import type { ChatContent, ChatFile } from "./ChatContent.ts"

export interface ChatIdentity {
  readonly team: string
  readonly userId: string
  /** The workspace and the organisation that it is part of. */
  readonly home: ReadonlyArray<string>
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

export interface ChatMessage extends ChatContent {
  readonly ts: string
  /** Null for a message without a user. */
  readonly user: string | null
  readonly botId: string | null
  /** The `id` with which we posted it. */
  readonly id: string | null
}

/** A page of a list, and the cursor of the next one; null at its end. */
export interface ChatPage<A> {
  readonly items: ReadonlyArray<A>
  readonly next: string | null
}

export interface OutgoingChatMessage {
  /** A UUID: the platform accepts a message once by it (for an undocumented time), and `ChatMessage.id` returns it. */
  readonly id: string
  readonly channel: string
  readonly threadTs: string | null
  readonly text: string
  readonly blocks?: ReadonlyArray<unknown>
}

/**
 * `refused` is permanent; `unavailable` and `rate_limited` may be retried. `uncertain`: the connection broke after the
 * request was sent. `code` is the platform's name of the error. `reason` has no secrets.
 */
export class ChatFailed extends Schema.TaggedError<ChatFailed>()("ChatFailed", {
  kind: Schema.Literal("unconfigured", "refused", "unavailable", "rate_limited", "uncertain"),
  reason: Schema.String,
  code: Schema.NullOr(Schema.String),
  retryAfter: Schema.OptionFromSelf(Schema.DurationFromSelf)
}) {
  override get message() {
    return this.reason
  }
}

const tokenCodes: ReadonlyArray<string | null> = [
  "account_inactive",
  "invalid_auth",
  "not_authed",
  "org_login_required",
  "team_access_not_granted",
  "token_expired",
  "token_revoked"
]

export const isUnauthorized = ({ code }: ChatFailed): boolean => tokenCodes.includes(code)

export const isMisconfigured = (failed: ChatFailed): boolean =>
  failed.kind === "unconfigured" || failed.code === "missing_scope" || isUnauthorized(failed)

/** The chat platform's Web API. A call is one attempt, with a time-out. */
export class ChatPlatform extends Context.Tag("troupe/Chat/ChatPlatform")<ChatPlatform, {
  readonly isConfigured: boolean
  readonly authTest: Effect.Effect<ChatIdentity, ChatFailed>
  readonly postMessage: (
    message: OutgoingChatMessage
  ) => Effect.Effect<{ readonly channel: string; readonly ts: string }, ChatFailed>
  /** Replaces the text and the blocks of a message of ours. */
  readonly updateMessage: (
    message: Pick<OutgoingChatMessage, "blocks" | "channel" | "text"> & { readonly ts: string }
  ) => Effect.Effect<void, ChatFailed>
  /** Answers a slash command or an interaction later, at the `response_url` that came with it. */
  readonly respond: (
    responseUrl: string,
    message: Pick<OutgoingChatMessage, "text" | "blocks"> & { readonly replaceOriginal?: boolean }
  ) => Effect.Effect<void, ChatFailed>
  /** Nobody sees the file before it is shared, so an upload may be repeated. */
  readonly uploadFile: (
    file: { readonly name: string; readonly content: Uint8Array }
  ) => Effect.Effect<string, ChatFailed>
  /** Posts uploaded files as one message. Unlike `postMessage`, it posts them each time it is called. */
  readonly shareFiles: (
    message: {
      readonly channel: string
      readonly threadTs: string | null
      readonly files: ReadonlyArray<{ readonly id: string; readonly title: string }>
    }
  ) => Effect.Effect<void, ChatFailed>
  /** What the platform knows of a file now; a message may describe it in part. */
  readonly fileInfo: (id: string) => Effect.Effect<ChatFile, ChatFailed>
  /** The content of a file as it was sent: `refused` where it is longer than `maxBytes`, or not of the file's size. */
  readonly downloadFile: (file: ChatFile, maxBytes: number) => Effect.Effect<Uint8Array, ChatFailed>
  readonly userInfo: (user: string) => Effect.Effect<ChatUser, ChatFailed>
  readonly users: (cursor: string | null) => Effect.Effect<ChatPage<ChatUser>, ChatFailed>
  readonly channelInfo: (channel: string) => Effect.Effect<ChatChannel, ChatFailed>
  /** Public channels and the private ones that we are in, archived ones too. */
  readonly channels: (cursor: string | null) => Effect.Effect<ChatPage<ChatChannel>, ChatFailed>
  readonly members: (channel: string, cursor: string | null) => Effect.Effect<ChatPage<string>, ChatFailed>
  readonly openDirectMessage: (user: string) => Effect.Effect<string, ChatFailed>
  /** Messages of a thread from `oldest` on, the oldest first. The platform may add the one that began the thread. */
  readonly replies: (
    thread: {
      readonly channel: string
      readonly ts: string
      readonly oldest: string | null
      readonly cursor: string | null
    }
  ) => Effect.Effect<ChatPage<ChatMessage>, ChatFailed>
  /** Messages of a channel that are not in threads, newest first. */
  readonly history: (
    request: { readonly channel: string; readonly oldest: string | null; readonly cursor: string | null }
  ) => Effect.Effect<ChatPage<ChatMessage>, ChatFailed>
}>() {
  static readonly layerUnconfigured: Layer.Layer<ChatPlatform> = Layer.sync(this, () => {
    const unconfigured = Effect.fail(
      chatFailed("unconfigured", "Team chat is not set up: set CHAT_BOT_TOKEN and CHAT_SIGNING_SECRET.")
    )
    const call = () => unconfigured
    return ChatPlatform.of({
      isConfigured: false,
      authTest: unconfigured,
      postMessage: call,
      updateMessage: call,
      respond: call,
      uploadFile: call,
      shareFiles: call,
      fileInfo: call,
      downloadFile: call,
      userInfo: call,
      users: call,
      channelInfo: call,
      channels: call,
      members: call,
      openDirectMessage: call,
      replies: call,
      history: call
    })
  })
}

/** The items of the first pages of a list, and whether they are all. */
export interface FirstPages<A> {
  readonly items: ReadonlyArray<A>
  readonly isWhole: boolean
}

export const firstPages = <A>(
  maxPages: number,
  page: (cursor: string | null) => Effect.Effect<ChatPage<A>, ChatFailed>
): Effect.Effect<FirstPages<A>, ChatFailed> =>
  Effect.gen(function*() {
    let found = yield* page(null)
    for (let pages = 1; pages < maxPages && found.next !== null; pages++) {
      const { items, next } = yield* page(found.next)
      found = { items: [...found.items, ...items], next }
    }
    return { items: found.items, isWhole: found.next === null }
  })

export const chatFailed = (
  kind: ChatFailed["kind"],
  reason: string,
  more: { readonly code?: string; readonly retryAfter?: Option.Option<Duration.Duration> } = {}
): ChatFailed => new ChatFailed({ kind, reason, code: more.code ?? null, retryAfter: more.retryAfter ?? Option.none() })
