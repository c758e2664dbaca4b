import type { SqlClient } from "@effect/sql/SqlClient"
import { type ChatPost, ChatPostJson, ChatReplyJson, isDirectMessage } from "@troupe/domain/TeamChat"
import { Effect, Option, Schema } from "effect"
import { v5 } from "uuid"
import { type ChatFailed, type ChatMessage, ChatPlatform, isMisconfigured } from "../Chat/ChatPlatform.ts"
import { splitMessage } from "../Chat/Slack/MrkdwnText.ts"
import { heldCode } from "../Chat/Slack/SlackFailure.ts"
import { UserRepo } from "../People/User/UserRepo.ts"
import { AttemptFailed } from "../Queue/AttemptFailed.ts"
import { taskAddress } from "../Runtime/PublicAddress.ts"
import type { AttachedFile } from "../Wire/Mail.ts"
import { answeredKind, makeShowAnswer } from "./ChatAnswers.ts"
import { type Conversation, messagesSince } from "./ChatHistory.ts"
import { makeMessageThreads, PostedButtons } from "./MessageThreads.ts"
import { notificationPostsOf } from "./NotificationText.ts"
import { AttachedFiles, type ClaimedMessage, type OutboxChannel, type OutboxNotification } from "./OutboxChannel.ts"

/** Files are held in memory while they are sent. */
const maxSharedBytes = 25 * 1_024 * 1_024

type Keep = Parameters<OutboxChannel["deliver"]>[2]

interface Target extends Conversation {
  /** A direct message that no message of the user began. */
  readonly isOurs: boolean
}

/**
 * Posts each part of a message once, by an id that derives from the message's. A retry first looks up what was posted.
 */
export const make = (
  /** `console`: where people open the console; null: nowhere that is known. */
  options: { readonly console: URL | null }
): Effect.Effect<OutboxChannel, never, AttachedFiles | ChatPlatform | SqlClient | UserRepo> =>
  Effect.gen(function*() {
    const attached = yield* AttachedFiles
    const platform = yield* ChatPlatform
    const threads = yield* makeMessageThreads
    const users = yield* UserRepo

    const showAnswer = makeShowAnswer({ platform, threads, nameOf: users.find, failureOf })

    const targetOf = (recipient: string): Effect.Effect<Target, AttemptFailed> =>
      recipient.startsWith("{")
        ? Effect.mapBoth(Schema.decode(ChatReplyJson)(recipient), {
          onFailure: () => failure("refused", "The recipient can't be read."),
          onSuccess: ({ channel, thread_ts }) => ({ channel, threadTs: thread_ts, isOurs: false })
        })
        : Effect.mapBoth(platform.openDirectMessage(recipient), {
          onFailure: failureOf,
          onSuccess: (channel) => ({ channel, threadTs: null, isOurs: true })
        })

    /** In a channel without a thread for the task, its first message begins one. */
    const placeOf = ({ recipient, task_id: taskId }: ClaimedMessage) =>
      Effect.flatMap(
        targetOf(recipient),
        (target) =>
          taskId === null || target.threadTs !== null || isDirectMessage(target.channel)
            ? Effect.succeed(target)
            : Effect.map(threads.firstInChat(taskId, target.channel), (threadTs) => ({ ...target, threadTs }))
      )

    const earlierOf = (message: ClaimedMessage, target: Target) =>
      message.epoch === 1 ? Effect.succeed([]) : messagesSince(platform, target, message.id).pipe(
        Effect.mapError((failed) =>
          failed.kind === "refused"
            ? failure(isMisconfigured(failed) ? "later" : "uncertain", `${failed.reason} ${unknown}`)
            : failureOf(failed)
        ),
        Effect.filterOrFail(({ isWhole }) => isWhole, () => failure("uncertain", `The thread is too long. ${unknown}`)),
        Effect.map(({ messages }) => messages)
      )

    const filesOf = ({ files = [], filesOf: owner, kind }: OutboxNotification) =>
      kind === "completion" && files.length > 0
        ? attached.read(owner, files, maxSharedBytes)
        : Effect.succeed({ files: [], missing: [] })

    const uploadOf = (file: AttachedFile) =>
      platform.uploadFile({ name: file.filename, content: file.content }).pipe(
        Effect.map((id) => ({ files: [{ id, title: file.filename }], missing: [] })),
        Effect.catchAll((failed) =>
          failed.kind === "refused"
            ? Effect.succeed({ files: [], missing: [`${file.filename} (${failed.reason})`] })
            : failureOf(failed)
        )
      )

    /** Uploaded files are not visible. By their ids, the next attempt finds out whether this one has shared them. */
    const uploadsOf = (message: ClaimedMessage, notification: OutboxNotification, keep: Keep) =>
      Effect.gen(function*() {
        if (message.progress !== null) {
          return yield* Effect.mapError(
            Schema.decode(ChatUploads)(message.progress),
            () => failure("refused", "What an earlier attempt has stored can't be read.")
          )
        }
        const { files, missing } = yield* filesOf(notification)
        const results = yield* Effect.forEach(files, uploadOf)
        const uploads = {
          files: results.flatMap((result) => result.files),
          missing: [
            ...missing.map((path) => `${path} (gone or too large)`),
            ...results.flatMap((result) => result.missing)
          ]
        }
        if (uploads.files.length > 0) yield* keep(chatUploadsText(uploads))
        return uploads
      })

    const mentionOf = (message: ClaimedMessage, { kind }: OutboxNotification, target: Target) =>
      kind !== "question" || message.user_id === null || isDirectMessage(target.channel)
        ? Effect.succeed(null)
        : Effect.map(users.find(message.user_id), (user) => Option.getOrNull(user)?.chat_user_id ?? null)

    const linkOf = ({ task_id: taskId }: ClaimedMessage) =>
      taskId === null || options.console === null ? null : taskAddress(options.console, taskId)

    /** What is left to send: the files are uploaded before the text that names the missing ones. */
    const contentOf = (message: ClaimedMessage, target: Target, earlier: ReadonlyArray<ChatMessage>, keep: Keep) =>
      Effect.gen(function*() {
        if (message.content._tag === "Payload") {
          return { posts: partsOf(yield* postOf(message.content.payload)), files: [] }
        }
        const { notification } = message.content
        const { files, missing: notShared } = yield* uploadsOf(message, notification, keep)
        const seen = new Set(earlier.flatMap(({ files }) => files.map(({ id }) => id)))
        const mention = yield* mentionOf(message, notification, target)
        const isNamed = target.isOurs && message.task_id !== null
        return {
          posts: notificationPostsOf(notification, {
            taskId: message.task_id,
            mention,
            isNamed,
            link: linkOf(message),
            notShared
          }),
          files: files.some(({ id }) => seen.has(id)) ? [] : files
        }
      })

    /** The platform deletes an upload that is not shared in time; the files are then uploaded again. */
    const share = (
      { progress }: ClaimedMessage,
      { channel, threadTs }: Conversation,
      files: ChatUploads["files"],
      keep: Keep
    ) =>
      platform.shareFiles({ channel, threadTs, files }).pipe(
        Effect.catchAll((failed) =>
          progress !== null && failed.code === "file_not_found"
            ? Effect.zipRight(keep(null), failure("later", failed.reason))
            : failureOf(failed)
        )
      )

    return {
      channel: "chat",
      mayRepeat: true,
      deliver: Effect.fn("ChatChannel.deliver")(function*(message, handedOver, keep) {
        const answer = message.kind === answeredKind ? null : yield* answerOf(message)
        if (answer !== null) {
          yield* handedOver
          yield* Effect.mapError(platform.respond(answer.url, answer.post), failureOf)
          return null
        }
        if (message.kind === answeredKind) return yield* showAnswer(message, handedOver)
        const target = yield* placeOf(message)
        const earlier = yield* earlierOf(message, target)
        const { files, posts } = yield* contentOf(message, target, earlier, keep)
        const { channel } = target
        let { threadTs } = target
        // An answer may come before the platform's result.
        if (message.task_id !== null && target.isOurs) {
          yield* threads.addChat(message.task_id, { channel, thread_ts: null })
        }
        for (const [at, post] of posts.entries()) {
          const id = v5(String(at), message.id)
          const posted = earlier.find((one) => one.id === id)
          if (posted === undefined) yield* handedOver
          const { ts } = posted ??
            (yield* Effect.mapError(platform.postMessage({ ...post, channel, threadTs, id }), failureOf))
          if (post.blocks !== undefined && message.content._tag === "Notification") {
            yield* keep(chatUploadsText({ files: [], missing: [], buttons: { channel, ts, text: post.text } }))
          }
          if (message.task_id !== null && threadTs === null && at === 0) {
            yield* threads.addChat(message.task_id, { channel, thread_ts: ts })
            if (!isDirectMessage(channel)) threadTs = ts
          }
        }
        if (files.length > 0) {
          yield* handedOver
          yield* share(message, { channel, threadTs }, files, keep)
        }
        return null
      })
    }
  })

const unknown = "It is unknown whether an earlier attempt has arrived."

const postOf = (payload: string) =>
  Effect.mapError(
    Schema.decode(ChatPostJson)(payload),
    () => failure("refused", "The stored message can't be read.")
  )

const answerOf = ({ content }: ClaimedMessage) =>
  content._tag === "Notification"
    ? Effect.succeed(null)
    : Effect.map(
      postOf(content.payload),
      ({ response_url, ...post }) => response_url === undefined ? null : { url: response_url, post }
    )

/** Buttons belong to the last part. */
const partsOf = ({ blocks, text }: ChatPost): ReadonlyArray<ChatPost> =>
  blocks === undefined ? splitMessage(text).map((part) => ({ text: part })) : [{ text, blocks }]

const { as: failure } = AttemptFailed

/** What is uncertain is looked up by the next attempt. A call that was not made is no attempt. */
const kinds = {
  unconfigured: "later",
  refused: "refused",
  unavailable: "later",
  rate_limited: "later",
  uncertain: "later"
} as const

const failureOf = (failed: ChatFailed) =>
  failure(
    isMisconfigured(failed) ? "later" : failed.code === heldCode ? "outage" : kinds[failed.kind],
    failed.reason,
    failed.retryAfter
  )

/** Progress of a message, stored for the next attempt: the platform's ids of its files and its posted buttons. */
const ChatUploads = Schema.parseJson(Schema.Struct({
  files: Schema.Array(Schema.Struct({ id: Schema.String, title: Schema.String })),
  /** Files that can't be shared, with the reason. */
  missing: Schema.Array(Schema.String),
  buttons: Schema.optionalWith(PostedButtons, { exact: true })
}))
export type ChatUploads = typeof ChatUploads.Type

const chatUploadsText: (uploads: ChatUploads) => string = Schema.encodeSync(ChatUploads)
