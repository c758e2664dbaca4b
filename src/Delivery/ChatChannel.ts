import type { SqlClient } from "@effect/sql/SqlClient"
import type { OutboxId } from "@troupe/domain/Outbox"
import { ChatPostJson, ChatReplyJson } from "@troupe/domain/TeamChat"
import { Effect, Option, Schema } from "effect"
import { v5 } from "uuid"
import { type ChatFailed, ChatPlatform, isMisconfigured, type PostedMessage } from "../Chat/ChatPlatform.ts"
import { UserRepo } from "../People/User/UserRepo.ts"
import { AttemptFailed } from "../Queue/AttemptFailed.ts"
import { taskAddress } from "../Runtime/PublicAddress.ts"
import { answeredKind, makeShowAnswer } from "./ChatAnswers.ts"
import { makeMessageThreads } from "./MessageThreads.ts"
import { notificationMessageOf } from "./NotificationText.ts"
import { AttachedFiles, type ClaimedMessage, type OutboxChannel, type OutboxNotification } from "./OutboxChannel.ts"
import { type KeepProgress, makeSharedFiles, noProgress, progressOf, progressText } from "./SharedFiles.ts"

/** Where a message goes. */
interface Target {
  /** The key of a thread or conversation. */
  readonly to: string
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

    /** Where nobody can look up what was posted, a message that may have been is not posted again. */
    const failureOf = (failed: ChatFailed): AttemptFailed =>
      failed.kind === "uncertain" && platform.history === null ? failure("uncertain", failed.reason) : failedAs(failed)

    const { share, upload } = makeSharedFiles({ attached, failureOf, platform })
    const showAnswer = makeShowAnswer({ platform, threads, nameOf: users.find, failureOf })

    const targetOf = (recipient: string): Effect.Effect<Target, AttemptFailed> =>
      recipient.startsWith("{")
        ? Effect.mapBoth(Schema.decode(ChatReplyJson)(recipient), {
          onFailure: () => failure("refused", "The recipient can't be read."),
          onSuccess: ({ thread }) => ({ to: thread, isOurs: false })
        })
        : Effect.mapBoth(platform.openDirect(recipient), {
          onFailure: failureOf,
          onSuccess: (to) => ({ to, isOurs: true })
        })

    /** A conversation of several people, where a task's messages need a thread. */
    const needsThread = (to: string) => platform.conversationOf(to) === to && !platform.isDirect(to)

    /** In a channel without a thread for the task, its first message begins one. */
    const placeOf = Effect.fnUntraced(function*({ recipient, task_id: taskId }: ClaimedMessage) {
      const target = yield* targetOf(recipient)
      if (taskId === null || !needsThread(target.to)) return target
      const known = yield* threads.inChat(taskId)
      const first = known.find((key) => key !== target.to && platform.conversationOf(key) === target.to)
      return { ...target, to: first ?? target.to }
    })

    const earlierOf = (message: ClaimedMessage, { to }: Target) =>
      message.epoch === 1 || platform.history === null
        ? Effect.succeed([])
        : platform.history.since(to, sinceOf(message.id)).pipe(
          Effect.mapError((failed) =>
            failed.kind === "refused"
              ? failure(isMisconfigured(failed) ? "later" : "uncertain", `${failed.reason} ${unknown}`)
              : failureOf(failed)
          ),
          Effect.filterOrFail(
            ({ isWhole }) => isWhole,
            () => failure("uncertain", `The thread is too long. ${unknown}`)
          ),
          Effect.map(({ items }) => items)
        )

    const mentionOf = (message: ClaimedMessage, { kind }: OutboxNotification, target: Target) =>
      kind !== "question" || message.user_id === null || platform.isDirect(target.to)
        ? Effect.succeed(null)
        : Effect.map(users.find(message.user_id), (user) => Option.getOrNull(user)?.chat_user_id ?? null)

    const linkOf = ({ task_id: taskId }: ClaimedMessage) =>
      taskId === null || options.console === null ? null : taskAddress(options.console, taskId)

    /** The files are uploaded before the text that names the missing ones. */
    const contentOf = (message: ClaimedMessage, target: Target, keep: KeepProgress) =>
      Effect.gen(function*() {
        const stored = yield* progressOf(message.progress)
        if (message.content._tag === "Payload") {
          return { posts: [yield* postOf(message.content.payload)], progress: stored ?? noProgress }
        }
        const { notification } = message.content
        const progress = stored ?? (yield* upload(notification, keep))
        const posts = platform.render(notificationMessageOf(notification, {
          taskId: message.task_id,
          mention: yield* mentionOf(message, notification, target),
          isNamed: target.isOurs && message.task_id !== null,
          link: linkOf(message),
          notShared: progress.missing
        }))
        return { posts, progress }
      })

    return {
      channel: "chat",
      ...(platform.history === null ? {} : { mayRepeat: true as const }),
      deliver: Effect.fn("ChatChannel.deliver")(function*(message, handedOver, keep) {
        if (message.kind === answeredKind) return yield* showAnswer(message, handedOver)
        const answer = yield* answerOf(message)
        if (answer !== null) {
          yield* handedOver
          yield* Effect.mapError(platform.answer(answer.to, answer.post), failureOf)
          return null
        }
        const target = yield* placeOf(message)
        const earlier = yield* earlierOf(message, target)
        const { posts, ...given } = yield* contentOf(message, target, keep)
        const { task_id: taskId } = message
        let { to } = target
        let { progress } = given
        // An answer may come before the platform's result.
        if (taskId !== null && target.isOurs) yield* threads.addChat(taskId, to)
        for (const [at, post] of posts.entries()) {
          const id = v5(String(at), message.id)
          const known = earlier.find((one) => one.ourId === id) ?? progress.posted?.[at]
          if (known === undefined) yield* handedOver
          const posted = known ?? (yield* Effect.mapError(platform.post({ to, id, post }), failureOf))
          const isQuestion = asksIn(message) && (post.controls !== undefined || !platform.hasButtons)
          if (platform.history === null || isQuestion) {
            progress = {
              ...progress,
              ...(platform.history === null
                ? { posted: [...(progress.posted ?? []).slice(0, at), placeIn(posted)] }
                : {}),
              ...(isQuestion
                ? { buttons: { ...placeIn(posted), conversation: platform.conversationOf(to), text: post.text } }
                : {})
            }
            yield* keep(progressText(progress))
          }
          if (taskId !== null && posted.thread !== to) {
            yield* threads.addChat(taskId, posted.thread)
            if (needsThread(to)) to = posted.thread
          }
        }
        const seen = new Set(earlier.flatMap(({ files }) => files.map(({ id }) => id)))
        if (progress.files.length > 0 && !progress.files.some(({ id }) => seen.has(id))) {
          yield* handedOver
          yield* share(message, to, progress.files, keep)
        }
        return null
      })
    }
  })

const placeIn = ({ at, id, thread }: PostedMessage): PostedMessage => ({ at, id, thread })

/** Whether it asks a question with choices. */
const asksIn = ({ content, task_id: taskId }: ClaimedMessage): boolean =>
  taskId !== null && content._tag === "Notification" && (content.notification.asked?.choices ?? []).length > 0

/** The clocks of the platform and of the database differ a little. */
const clockDifference = 300

/** The time in the id of a message (UUIDv7), in seconds. */
const sinceOf = (id: OutboxId): number =>
  Math.floor(Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16) / 1000) - clockDifference

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
      ({ answerTo, ...post }) => answerTo === undefined ? null : { to: answerTo, post }
    )

const { as: failure } = AttemptFailed

/** What is uncertain is looked up by the next attempt. A call that was not made is no attempt. */
const kinds = {
  unconfigured: "later",
  refused: "refused",
  unavailable: "later",
  rate_limited: "later",
  uncertain: "later"
} as const

const failedAs = (failed: ChatFailed): AttemptFailed =>
  failure(
    isMisconfigured(failed) ? "later" : failed.about === "held" ? "outage" : kinds[failed.kind],
    failed.reason,
    failed.retryAfter
  )
