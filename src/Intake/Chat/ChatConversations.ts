import { CurrentUser } from "@troupe/api/Authentication"
import { approves, decides } from "@troupe/domain/Approval"
import { chatReplyText, chatThreadKey } from "@troupe/domain/TeamChat"
import { Duration, Effect, Option } from "effect"
import { mentionedUsers, withoutMention } from "../../Chat/Slack/MrkdwnText.ts"
import { buttonsIn } from "../../Delivery/MessageThreads.ts"
import { ChannelMessages } from "../../People/Channel/ChannelMessages.ts"
import { Channels } from "../../People/Channel/Channels.ts"
import { AttemptFailed } from "../../Queue/AttemptFailed.ts"
import { via } from "../../Task/Command/CurrentVia.ts"
import { TaskThreads, type ThreadTask } from "../../Task/Read/TaskThreads.ts"
import { Tasks } from "../../Task/UseCase/Tasks.ts"
import { type InboundOutcome, noTask } from "../InboundMessage.ts"
import { leftOutText } from "../ReceivedFiles.ts"
import { type ChatContext, inboundFailureOf } from "./ChatContext.ts"
import type { MessageEvent } from "./ChatEvent.ts"
import { type ChatSender, mayAnswer } from "./ChatSenders.ts"
import { answerRefused, approvalUnclear, help, limitReached, nonMemberRefused, nothingRead } from "./ChatTexts.ts"
import { fileNames, isOnlyForwarded, messageOf, namedIn, quotedText, requestOf, spokenText } from "./MessageContent.ts"
import { chatReplyOf, isMention, requestAnew, type Route, routeOf } from "./MessageRoute.ts"
import { threadContextOf } from "./ThreadContext.ts"
import type { TimedRequest } from "./TimedRequest.ts"

/** The platform repeats an event for a day at most. */
const claimedFor = Duration.days(2)

/** A person outside the team gets one reply a day in each channel, and a colleague one for each question. */
const refusedFor = Duration.days(1)

/** Direct messages are one conversation, unless so long passes after the last message or result. */
const conversationFor = Duration.hours(1)

const limitedFor = Duration.minutes(10)

type Act = Effect.Effect<InboundOutcome, AttemptFailed>

const isUnthreaded = ({ isDirect, threadTs }: MessageEvent): boolean => isDirect && threadTs === null

/**
 * Processes messages of people, to the bot and in its channels: asks the platform what a message needs, and returns the
 * changes; the consumer commits them together with the message.
 */
export const makeConversations = (
  { claims, isLimited, platform, posts, receiveFiles, schedules, senders }: ChatContext
) =>
  Effect.gen(function*() {
    const tasks = yield* Tasks
    const threads = yield* TaskThreads
    const channels = yield* Channels
    const kept = yield* ChannelMessages

    const namesIn = (message: MessageEvent) => senders.nameOf(namedIn(message))

    const postOnce = (message: MessageEvent, text: string, isFirst: Effect.Effect<boolean>): Act =>
      Effect.as(Effect.whenEffect(posts.post(chatReplyOf(message), { text }), isFirst), noTask)

    const limit = (message: MessageEvent, { userId }: ChatSender): Act =>
      postOnce(message, limitReached, claims.take(`limit ${userId}`, limitedFor))

    const taskOf = Effect.fnUntraced(
      function*({ channel, isDirect, threadTs }: MessageEvent, { userId }: ChatSender, receivedAt: string) {
        const inThread = threadTs === null ? [] : [chatThreadKey({ channel, thread_ts: threadTs })]
        const found = yield* threads.find("chat", inThread)
        if (Option.isSome(found) || !isDirect) return found
        // A direct message outside of the task's thread still answers its question.
        const waiting = Option.filter(
          yield* threads.find("chat", [channel]),
          ({ status }) => status === "waiting_input"
        )
        return Option.isSome(waiting) || threadTs !== null
          ? waiting
          : yield* threads.findRecent("chat", channel, { creator: userId, at: receivedAt, within: conversationFor })
      }
    )

    const submit = Effect.fnUntraced(function*(
      message: MessageEvent,
      sender: ChatSender,
      text: string,
      ourselves: ReadonlyArray<string>,
      continued: Option.Option<ThreadTask>
    ) {
      const files = yield* Effect.mapError(receiveFiles(sender.userId, message), inboundFailureOf)
      const thread = yield* threadContextOf({ platform, senders }, message, ourselves)
      const quoted = quotedText(message.quoted, yield* namesIn(message))
      const isForwarded = isOnlyForwarded(text, message)
      const projectId = message.isDirect ? null : yield* channels.projectOf(message.channel)
      const context = [...thread, ...quoted, ...leftOutText(files)].join("\n\n")
      return Effect.mapBoth(
        tasks.submit({
          message: requestOf(text, message, files),
          title: isForwarded ? "Forwarded message" : null,
          user_id: sender.userId,
          project_id: projectId,
          attachments: files.paths,
          continue_task_id: Option.getOrNull(continued)?.id,
          source: {
            kind: "chat",
            context,
            reply: { channel: "chat", to: chatReplyText(chatReplyOf(message)) },
            threads: [chatThreadKey(chatReplyOf(message)), ...(message.isDirect ? [message.channel] : [])],
            // As a mail that only forwards: what others wrote starts nothing that changes something.
            toolAccess: isForwarded ? "read" : "all"
          }
          // A continuation contains of the earlier task what its sender may read.
        }).pipe(Effect.provideService(CurrentUser, sender.caller)),
        { onFailure: ({ message }) => AttemptFailed.later(message), onSuccess: ({ id }) => ({ taskId: id }) }
      )
    })

    /** Checks again in the transaction, which sees messages that were prepared at the same time. */
    const submitWithin = Effect.fnUntraced(function*(...given: Parameters<typeof submit>) {
      const [message, sender] = given
      const limited = limit(message, sender)
      if (yield* isLimited(sender.userId)) return limited
      const made = yield* submit(...given)
      return Effect.if(isLimited(sender.userId), { onTrue: () => limited, onFalse: (): Act => made })
    })

    const tell = Effect.fnUntraced(
      function*(message: MessageEvent, task: ThreadTask, sender: ChatSender, text: string, isAnswer: boolean) {
        const isSeen = Option.exists(
          buttonsIn(task.question_post),
          ({ channel, ts }) => channel === message.channel && Number(ts) < Number(message.ts)
        )
        // Several tasks ask in one direct conversation; what was written before the question approves nothing.
        if (task.asks_approval && approves(text) && (message.threadTs === null || !isSeen)) {
          return Effect.as(posts.post(chatReplyOf(message), { text: approvalUnclear }), noTask)
        }
        // The agent reads files in the folder of the task's creator.
        const files = yield* Effect.mapError(receiveFiles(task.creator, message), inboundFailureOf)
        const all = messageOf(text, message, yield* namesIn(message), files)
        const by = Option.some(sender.userId)
        const call = task.status === "waiting_input" ? task.call : null
        const answering = {
          approves: call !== null && isSeen && approves(all),
          call
        }
        return Effect.mapBoth(
          via("chat")(
            isAnswer ? tasks.answer(task.id, all, by, answering) : tasks.message(task.id, all, by, answering)
          ),
          {
            // The task changed since it was read: the next attempt reads it again.
            onFailure: ({ message }) => AttemptFailed.later(message),
            onSuccess: ({ id }) => ({ taskId: id })
          }
        )
      }
    )

    const schedule = Effect.fnUntraced(function*(message: MessageEvent, sender: ChatSender, request: TimedRequest) {
      const place = { channel: message.channel, thread_ts: message.threadTs }
      const enclosed = {
        quoted: quotedText(message.quoted, yield* namesIn(message)),
        files: fileNames(message),
        mentioned: mentionedUsers(message.text)
      }
      return schedules.create(request, sender, place, enclosed).pipe(
        Effect.flatMap((post) => posts.post(chatReplyOf(message), post)),
        Effect.as(noTask)
      )
    })

    const keep = Effect.fnUntraced(function*(message: MessageEvent, { userId }: ChatSender) {
      const { channel, ts } = message
      const text = spokenText(message, yield* namesIn(message))
      return Effect.as(kept.keep({ channel, ts, userId, text }), noTask)
    })

    const refuse = (message: MessageEvent, text: string, of: string): Act =>
      postOnce(message, text, claims.take(`refusal ${of} ${message.user}`, refusedFor))

    const actOf = Effect.fnUntraced(function*(
      route: Exclude<Route, "keep">,
      message: MessageEvent,
      sender: ChatSender,
      task: Option.Option<ThreadTask>,
      ourselves: ReadonlyArray<string>,
      spoken: string
    ) {
      const text = (yield* senders.plainText(spoken)).trim()
      const isAddressed = message.isDirect || isMention(message, ourselves)
      if (text === "" && message.files.length === 0 && message.quoted.length === 0 && !route.startsWith("refuse")) {
        return Effect.as(posts.post(chatReplyOf(message), { text: isAddressed ? help : nothingRead }), noTask)
      }
      // What is written to a running task in its thread is for its agent.
      const mayBeTimed = route === "new" || route === "continue" || (route === "steer" && isUnthreaded(message))
      const timed = isAddressed && mayBeTimed ? yield* schedules.read(text, sender) : Option.none()
      if (Option.isSome(timed)) return yield* schedule(message, sender, timed.value)
      switch (route) {
        case "refuseNonMember":
          return refuse(message, nonMemberRefused, message.channel)
        case "refuseAnswer":
          return refuse(
            message,
            answerRefused,
            Option.match(task, { onNone: () => message.channel, onSome: ({ call, id }) => `${id} ${call}` })
          )
        case "answer":
        case "steer":
          return Option.isNone(task)
            ? Effect.succeed(noTask)
            : yield* tell(message, task.value, sender, text, route === "answer")
        case "continue":
        case "new":
          return yield* submitWithin(message, sender, text, ourselves, route === "continue" ? task : Option.none())
      }
    })

    return Effect.fn("ChatConversations.prepare")(function*(
      message: MessageEvent,
      ourselves: ReadonlyArray<string>,
      receivedAt: string
    ) {
      if (ourselves.includes(message.user)) return Effect.succeed(noTask)
      const found = yield* Effect.mapError(senders.find(message.user), inboundFailureOf)
      if (Option.isNone(found)) return Effect.succeed(noTask)
      const sender = found.value
      const spoken = ourselves.reduce(withoutMention, message.text)
      const mayBeAnew = isUnthreaded(message) || isMention(message, ourselves)
      const anew = mayBeAnew ? requestAnew(spoken) : Option.none()
      const task = Option.isSome(anew) ? Option.none() : yield* taskOf(message, sender, receivedAt)
      const route = routeOf({
        isDirect: message.isDirect,
        isMention: isMention(message, ourselves),
        isMember: sender.isMember,
        task: Option.getOrNull(Option.map(task, (one) => ({
          status: one.status,
          mayChange: mayAnswer(sender, one),
          isDecided: one.asks_approval && decides(message.text)
        })))
      })
      if (route === "keep") return yield* keep(message, sender)
      const claim = `message ${message.channel}/${message.ts}`
      // The agent may be reading its files by now.
      if (yield* claims.isTaken(claim)) return Effect.succeed(noTask)
      const act = yield* actOf(route, message, sender, task, ourselves, Option.getOrElse(anew, () => spoken))
      return Effect.flatMap(
        claims.take(claim, claimedFor),
        (isFirst) => isFirst ? act : Effect.succeed(noTask)
      )
    })
  })
