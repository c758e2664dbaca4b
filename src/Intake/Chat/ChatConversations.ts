import { chatReplyText, chatThreadKey } from "@troupe/domain/ChatReply"
import { fence } from "@troupe/domain/Fence"
import { Context, Duration, Effect, Layer, Option } from "effect"
import { ChannelMessages } from "../../People/ChannelMessages.ts"
import { Channels } from "../../People/Channels.ts"
import { Tasks } from "../../Task/Tasks.ts"
import type { ThreadTask } from "../../Task/TaskThreads.ts"
import { TaskThreads } from "../../Task/TaskThreads.ts"
import { type ChatFailed, ChatPlatform } from "../../Wire/ChatPlatform.ts"
import { mentionedUsers, type Names, plainText, withoutMention } from "../../Wire/MrkdwnText.ts"
import { InboundFailed, type InboundOutcome } from "../InboundMessage.ts"
import { ChatClaims } from "./ChatClaims.ts"
import { ChatFiles, type ReceivedFiles } from "./ChatFiles.ts"
import { ChatPosts } from "./ChatPosts.ts"
import { ChatSchedules } from "./ChatSchedules.ts"
import { type ChatSender, ChatSenders } from "./ChatSenders.ts"
import { answerRefused, help, strangerRefused } from "./ChatTexts.ts"
import type { Message } from "./Event.ts"
import { type Route, routeOf } from "./Route.ts"
import { earlierMessages, threadContext } from "./ThreadContext.ts"

const nothing: InboundOutcome = { taskId: null }

/** The platform repeats an event for a day at most. */
const claimedFor = Duration.days(2)

/** A stranger gets an answer once a day in each channel. */
const refusedFor = Duration.days(1)

type Act = Effect.Effect<InboundOutcome, InboundFailed>

/** What people say to us, and beside us. */
export class ChatConversations extends Context.Tag("troupe/Intake/Chat/ChatConversations")<ChatConversations, {
  /** Asks the platform what the message needs; the result is what it causes, in the transaction of its end. */
  readonly prepare: (message: Message, ourselves: ReadonlyArray<string>) => Effect.Effect<Act, InboundFailed>
}>() {
  static readonly layer: Layer.Layer<
    ChatConversations,
    never,
    | ChannelMessages
    | Channels
    | ChatClaims
    | ChatFiles
    | ChatPlatform
    | ChatPosts
    | ChatSchedules
    | ChatSenders
    | Tasks
    | TaskThreads
  > = Layer.effect(
    this,
    Effect.gen(function*() {
      const tasks = yield* Tasks
      const threads = yield* TaskThreads
      const platform = yield* ChatPlatform
      const channels = yield* Channels
      const kept = yield* ChannelMessages
      const senders = yield* ChatSenders
      const received = yield* ChatFiles
      const claims = yield* ChatClaims
      const posts = yield* ChatPosts
      const schedules = yield* ChatSchedules

      const namesIn = (texts: ReadonlyArray<string>) =>
        Effect.map(senders.names([...new Set(texts.flatMap(mentionedUsers))]), (known): Names => ({
          user: (id) => known.get(id) ?? null,
          channel: () => null
        }))

      const taskOf = ({ channel, isDirect, threadTs }: Message) => {
        const inThread = threadTs === null ? [] : [chatThreadKey({ channel, thread_ts: threadTs })]
        return Effect.flatMap(threads.find("chat", inThread), (found) =>
          Option.isSome(found) || !isDirect
            ? Effect.succeed(found)
            // A direct message outside of the task's thread still answers its question.
            : Effect.map(threads.find("chat", [channel]), Option.filter(({ status }) => status === "waiting_input")))
      }

      const contextOf = Effect.fnUntraced(
        function*({ channel, threadTs, ts }: Message, ourselves: ReadonlyArray<string>) {
          if (threadTs === null || threadTs === ts) return Option.none<string>()
          const before = yield* earlierMessages(platform, { channel, thread: threadTs, ts }).pipe(
            // Without these messages the request may still be understood.
            Effect.catchAll((failed) =>
              failed.kind === "refused"
                ? Effect.as(
                  Effect.logWarning(`Could not read a thread; its task starts without it: ${failed.reason}`),
                  []
                )
                : failLater(failed)
            )
          )
          const people = before.flatMap(({ text, user }) => [...mentionedUsers(text), ...(user === null ? [] : [user])])
          const known = yield* senders.names([...new Set(people)])
          const user = (id: string) => ourselves.includes(id) ? "you" : known.get(id) ?? null
          return threadContext(before, { user, channel: () => null })
        }
      )

      const submit = Effect.fnUntraced(function*(
        message: Message,
        sender: ChatSender,
        text: string,
        ourselves: ReadonlyArray<string>,
        continued: Option.Option<ThreadTask>
      ) {
        const files = yield* Effect.catchAll(received.receive(sender.userId, message), failLater)
        const thread = yield* contextOf(message, ourselves)
        const projectId = message.isDirect ? null : yield* channels.projectOf(message.channel)
        const context = [...Option.toArray(thread), ...leftOut(files)].join("\n\n")
        return Effect.mapBoth(
          tasks.submit({
            message: text === "" ? "See the attached files." : text,
            userId: sender.userId,
            assignee: Option.none(),
            title: Option.none(),
            projectId: Option.fromNullable(projectId),
            attachments: files.paths,
            continueTaskId: Option.map(continued, ({ id }) => id),
            maxTokensTotal: Option.none(),
            idempotency: Option.none(),
            source: Option.some({
              kind: "chat",
              context: context === "" ? Option.none() : Option.some(context),
              reply: Option.some({ channel: "chat", to: chatReplyText(replyTo(message)) }),
              threads: [chatThreadKey(replyTo(message)), ...(message.isDirect ? [message.channel] : [])],
              webhook: Option.none()
            })
          }),
          { onFailure: ({ message }) => InboundFailed.later(message), onSuccess: ({ id }) => ({ taskId: id }) }
        )
      })

      const tell = Effect.fnUntraced(
        function*(message: Message, task: ThreadTask, sender: ChatSender, text: string, isAnswer: boolean) {
          // The agent reads files in the folder of the task's creator.
          const files = yield* Effect.catchAll(received.receive(task.creator, message), failLater)
          const all = [text || "See the attached files.", ...attached(files), ...leftOut(files)].join("\n\n")
          const by = Option.some(sender.userId)
          return Effect.mapBoth(isAnswer ? tasks.answer(task.id, all, by) : tasks.message(task.id, all, by), {
            // The task changed since it was read: the next attempt looks again.
            onFailure: ({ message }) => InboundFailed.later(message),
            onSuccess: ({ id }) => ({ taskId: id })
          })
        }
      )

      const keep = Effect.fnUntraced(function*({ channel, text, threadTs, ts }: Message, { userId }: ChatSender) {
        const plain = plainText(text, yield* namesIn([text]))
        return Effect.as(kept.keep({ channel, ts, threadTs, userId, text: plain }), nothing)
      })

      const refuse = (message: Message, text: string): Act =>
        Effect.as(
          Effect.whenEffect(
            posts.post(replyTo(message), { text }),
            claims.take(`refusal ${message.channel} ${message.user}`, refusedFor)
          ),
          nothing
        )

      const actOf = Effect.fnUntraced(function*(
        route: Exclude<Route, "keep">,
        message: Message,
        sender: ChatSender,
        task: Option.Option<ThreadTask>,
        ourselves: ReadonlyArray<string>
      ) {
        const spoken = ourselves.reduce(withoutMention, message.text)
        const text = plainText(spoken, yield* namesIn([spoken])).trim()
        const isAddressed = message.isDirect || isMention(message, ourselves)
        switch (route) {
          case "refuseStranger":
            return refuse(message, strangerRefused)
          case "refuseAnswer":
            return refuse(message, answerRefused)
          case "answer":
          case "steer":
            return Option.isNone(task)
              ? Effect.succeed(nothing)
              : yield* tell(message, task.value, sender, text, route === "answer")
          case "continue":
          case "new": {
            if (isAddressed && text === "" && message.files.length === 0) {
              return Effect.as(posts.post(replyTo(message), { text: help }), nothing)
            }
            const timed = isAddressed ? yield* schedules.read(text, sender) : Option.none()
            return Option.isSome(timed)
              ? schedules.create(timed.value, sender, { channel: message.channel, thread_ts: message.threadTs }).pipe(
                Effect.flatMap((post) => posts.post(replyTo(message), post)),
                Effect.as(nothing)
              )
              : yield* submit(message, sender, text, ourselves, route === "continue" ? task : Option.none())
          }
        }
      })

      const prepare = Effect.fn("ChatConversations.prepare")(function*(
        message: Message,
        ourselves: ReadonlyArray<string>
      ) {
        if (ourselves.includes(message.user)) return Effect.succeed(nothing)
        const found = yield* Effect.catchAll(senders.find(message.user), failLater)
        if (Option.isNone(found)) return Effect.succeed(nothing)
        const sender = found.value
        const task = yield* taskOf(message)
        const route = routeOf({
          isDirect: message.isDirect,
          isMention: isMention(message, ourselves),
          isInThread: message.threadTs !== null,
          isMember: sender.isMember,
          task: Option.getOrNull(Option.map(task, (one) => ({ status: one.status, mayChange: sender.mayChange(one) })))
        })
        if (route === "keep") return yield* keep(message, sender)
        const act = yield* actOf(route, message, sender, task, ourselves)
        return Effect.flatMap(
          claims.take(`message ${message.channel}/${message.ts}`, claimedFor),
          (isFirst) => isFirst ? act : Effect.succeed(nothing)
        )
      })

      return ChatConversations.of({ prepare })
    })
  )
}

/** Of a message that comes with and without the platform's own mark, both are mentions. */
const isMention = ({ isDirect, isMention, text }: Message, ourselves: ReadonlyArray<string>): boolean =>
  isMention || (!isDirect && mentionedUsers(text).some((id) => ourselves.includes(id)))

const replyTo = ({ channel, threadTs, ts, user }: Message) => ({ channel, thread_ts: threadTs ?? ts, user })

const failLater = (failed: ChatFailed): Effect.Effect<never, InboundFailed> =>
  failed.kind === "refused" || failed.kind === "unconfigured"
    ? InboundFailed.refused(failed.reason)
    : InboundFailed.later(failed.reason, Option.getOrUndefined(failed.retryAfter))

const attached = ({ paths }: ReceivedFiles): ReadonlyArray<string> =>
  paths.length === 0
    ? []
    : [`Files that came with this message, for read_document:\n${fence("attachments", paths.join("\n"))}`]

const leftOut = ({ leftOut }: ReceivedFiles): ReadonlyArray<string> =>
  leftOut.length === 0
    ? []
    : [
      `Files that came with the message and could not be taken:\n${
        fence("left_out", leftOut.map(({ name, reason }) => `${name}: ${reason}`).join("\n"))
      }`
    ]
