import { approves, decides } from "@troupe/domain/Approval"
import { mergedShown } from "@troupe/domain/Shown"
import { chatReplyText } from "@troupe/domain/TeamChat"
import { Duration, Effect, Option } from "effect"
import type { MessageEvent } from "../../Chat/ChatEvent.ts"
import { mentionedIn, type NameOf, plainText, withoutMention } from "../../Chat/ChatText.ts"
import { buttonsIn } from "../../Delivery/MessageThreads.ts"
import { Channels } from "../../People/Channel/Channels.ts"
import { notAllowedTo } from "../../Policy/ApprovalRights.ts"
import type { AttemptFailed } from "../../Queue/AttemptFailed.ts"
import { type AskedRow, TaskThreads, type ThreadTask } from "../../Task/Read/TaskThreads.ts"
import { leftOutText } from "../ReceivedFiles.ts"
import type { Addressed } from "./ChatAgents.ts"
import { type ChatContext, inboundFailureOf, type Place } from "./ChatContext.ts"
import { type ChatPlan, leave, limited, once, post } from "./ChatPlans.ts"
import { type ChatSender, mayAnswer } from "./ChatSenders.ts"
import {
  answerRefused,
  approvalUnclear,
  destructiveTyped,
  help,
  nonMemberRefused,
  nothingRead,
  severalOpen
} from "./ChatTexts.ts"
import type { makeCommandPlans } from "./CommandPlans.ts"
import { commandOf } from "./Commands.ts"
import { fileNames, isOnlyForwarded, messageOf, namedIn, quotedText, requestOf, spokenText } from "./MessageContent.ts"
import { isMention, requestAnew, type Route, routeOf } from "./MessageRoute.ts"
import { threadContextOf } from "./ThreadContext.ts"

/** The platform repeats an event for a day at most. */
const claimedFor = Duration.days(2)

/** A person outside the team gets one reply a day in each channel, and a colleague one for each question. */
const refusedFor = Duration.days(1)

/** Direct messages are one conversation, unless so long passes after the last message or result. */
const conversationFor = Duration.hours(1)

/** A message, who wrote it, the names of whom and what it mentions, and our own ids. */
interface Said {
  readonly message: MessageEvent
  readonly sender: ChatSender
  readonly nameOf: NameOf
  readonly ourselves: ReadonlyArray<string>
}

/** Plans what messages of people cause, to the bot and in its channels; asks the platform what a plan needs. */
export const makeConversations = (
  { agents, claims, isLimited, linkTo, platform, receiveFiles, schedules, senders }: ChatContext,
  commands: Effect.Effect.Success<ReturnType<typeof makeCommandPlans>>
) =>
  Effect.gen(function*() {
    const threads = yield* TaskThreads
    const channels = yield* Channels

    const taskOf = Effect.fnUntraced(
      function*({ message: { channel, isDirect, thread }, sender: { userId } }: Said, receivedAt: string) {
        const found = yield* threads.find("chat", thread === null ? [] : [thread])
        if (Option.isSome(found) || !isDirect) return found
        // A direct message outside of the task's thread still answers its question.
        const waiting = Option.filter(
          yield* threads.find("chat", [channel]),
          ({ status }) => status === "waiting_input"
        )
        return Option.isSome(waiting) || thread !== null
          ? waiting
          : yield* threads.findRecent("chat", channel, { creator: userId, at: receivedAt, within: conversationFor })
      }
    )

    const submit = Effect.fnUntraced(function*(
      { message, nameOf, ourselves, sender }: Said,
      { agent, text }: Addressed,
      continued: Option.Option<ThreadTask>
    ): Effect.fn.Return<ChatPlan, AttemptFailed> {
      const at = placeOf(message)
      // Checked again in the transaction, which sees messages that were planned at the same time.
      if (yield* isLimited(sender.userId)) return limited(at, sender)
      const files = yield* Effect.mapError(receiveFiles(sender.userId, message), inboundFailureOf)
      const thread = yield* threadContextOf({ platform, senders }, message, ourselves)
      const quoted = quotedText(message.quoted, nameOf)
      const isForwarded = isOnlyForwarded(text, message)
      return {
        _tag: "Submit",
        sender,
        submission: {
          message: requestOf(text, message, files),
          agent,
          title: isForwarded ? "Forwarded message" : null,
          user_id: sender.userId,
          project_id: message.isDirect ? null : yield* channels.projectOf(message.channel),
          attachments: files.paths,
          continue_task_id: Option.getOrNull(continued)?.id,
          source: {
            kind: "chat",
            ...message.isDirect ? {} : { claim: yield* agents.claimOf(message.channel) },
            context: [...thread.text, ...quoted, ...leftOutText(files)].join("\n\n"),
            shown: mergedShown([
              thread.shown,
              quoted.length === 0 ? undefined : { outside: "a forwarded chat message" }
            ]),
            reply: { channel: "chat", to: at.recipient },
            threads: [message.replyTo, ...(message.isDirect ? [message.channel] : [])],
            // As a mail that only forwards: what others wrote starts nothing that changes something.
            toolAccess: isForwarded ? "read" : "all"
          }
        },
        limited: limited(at, sender),
        told: null
      }
    })

    const tell = Effect.fnUntraced(function*(
      { message, nameOf, sender }: Said,
      task: ThreadTask,
      rows: ReadonlyArray<AskedRow>,
      text: string,
      isAnswer: boolean
    ): Effect.fn.Return<ChatPlan, AttemptFailed> {
      const isSeen = Option.exists(
        buttonsIn(task.question_post),
        ({ at, conversation, id }) => conversation === message.channel && (at ?? Number(id)) < message.at
      )
      if (task.asks_approval && decides(text)) {
        const open = rows.filter(({ status }) => status === "open")
        // Of several calls, a typed word does not say which it is about.
        if (open.length > 1) {
          return post(placeOf(message), ...severalOpen(open.length, platform.hasButtons, linkTo(task)))
        }
        // Several tasks ask in one direct conversation; what was written before the question approves nothing.
        if (approves(text) && (message.thread === null || !isSeen)) {
          return post(placeOf(message), approvalUnclear(platform.hasButtons))
        }
        if (approves(text) && open.some((row) => row.class === "destructive")) {
          return post(placeOf(message), ...destructiveTyped(platform.hasButtons, linkTo(task)))
        }
      }
      // The agent reads files in the folder of the task's creator.
      const files = yield* Effect.mapError(receiveFiles(task.creator, message), inboundFailureOf)
      const all = messageOf(text, message, nameOf, files)
      const call = task.status === "waiting_input" ? task.call : null
      return {
        _tag: "Tell",
        task: task.id,
        text: all,
        by: sender.userId,
        isAnswer,
        decision: { approves: call !== null && isSeen && approves(all), call },
        told: null
      }
    })

    const refuse = ({ message }: Said, text: string, of: string): ChatPlan =>
      once(`refusal ${of} ${message.user}`, refusedFor, post(placeOf(message), text))

    const planOf = Effect.fnUntraced(function*(
      route: Exclude<Route, "keep">,
      said: Said,
      task: Option.Option<ThreadTask>,
      rows: ReadonlyArray<AskedRow>,
      text: string
    ): Effect.fn.Return<ChatPlan, AttemptFailed> {
      const { message, nameOf, ourselves, sender } = said
      const at = placeOf(message)
      const isMentioned = isMention(message, ourselves)
      const isAddressed = message.isDirect || isMentioned
      if (text === "" && message.files.length === 0 && message.quoted.length === 0 && !route.startsWith("refuse")) {
        return post(at, ...(isAddressed ? help : [nothingRead]))
      }
      const mayCommand = !platform.hasCommands && sender.isMember &&
        (isMentioned || (isAddressed && route !== "answer"))
      const command = mayCommand ? commandOf(text) : null
      if (command !== null && command._tag !== "Request") return yield* commands.planOf(command, at, sender)
      // What is written to a running task in its thread is for its agent.
      const mayBeTimed = route === "new" || route === "continue" || (route === "steer" && isUnthreaded(message))
      // `@troupe sales: text`; what is said without a mention is for whoever has the thread.
      const forAgent = isAddressed && (route === "new" || route === "continue")
        ? yield* agents.addressedIn(text)
        : { agent: null, text }
      const timed = isAddressed && mayBeTimed ? yield* schedules.read(forAgent.text, sender) : Option.none()
      if (Option.isSome(timed)) {
        const enclosed = {
          quoted: quotedText(message.quoted, nameOf),
          files: fileNames(message),
          mentioned: mentionedIn(message.text).users,
          agent: forAgent.agent
        }
        const postedTo = message.thread ?? message.channel
        return { _tag: "Schedule", at, request: timed.value, sender, postedTo, enclosed }
      }
      switch (route) {
        case "refuseNonMember":
          return refuse(said, nonMemberRefused, message.channel)
        case "refuseAnswer":
          return refuse(
            said,
            rows[0] === undefined ? answerRefused : notAllowedTo(rows[0]),
            Option.match(task, { onNone: () => message.channel, onSome: ({ call, id }) => `${id} ${call}` })
          )
        case "answer":
        case "steer":
          return Option.isNone(task) ? leave : yield* tell(said, task.value, rows, text, route === "answer")
        case "continue":
        case "new":
          return yield* submit(said, forAgent, route === "continue" ? task : Option.none())
      }
    })

    return Effect.fn("ChatConversations.plan")(function*(
      message: MessageEvent,
      ourselves: ReadonlyArray<string>,
      receivedAt: string
    ): Effect.fn.Return<ChatPlan, AttemptFailed> {
      if (ourselves.includes(message.user)) return leave
      const found = yield* Effect.mapError(senders.find(message.user), inboundFailureOf)
      if (Option.isNone(found)) return leave
      const nameOf = yield* senders.nameOf(namedIn(message))
      const said = { message, nameOf, ourselves, sender: found.value }
      const spoken = plainText(withoutMention(message.text, ourselves), nameOf).trim()
      const isMentioned = isMention(message, ourselves)
      const anew = isUnthreaded(message) || isMentioned ? requestAnew(spoken) : Option.none()
      const task = Option.isSome(anew) ? Option.none() : yield* taskOf(said, receivedAt)
      const rows = Option.isSome(task) ? yield* threads.askedIn(task.value) : []
      const route = routeOf({
        isDirect: message.isDirect,
        isMention: isMentioned,
        isMember: said.sender.isMember,
        task: Option.getOrNull(Option.map(task, (one) => ({
          status: one.status,
          mayChange: mayAnswer(said.sender, one, rows),
          isDecided: one.asks_approval && decides(spoken)
        })))
      })
      if (route === "keep") {
        return { _tag: "Keep", message, userId: said.sender.userId, text: spokenText(message, nameOf) }
      }
      const claim = `message ${message.channel}/${message.id}`
      // The agent may be reading its files by now.
      if (yield* claims.isTaken(claim)) return leave
      const plan = yield* planOf(route, said, task, rows, Option.getOrElse(anew, () => spoken).trim())
      return once(claim, claimedFor, plan)
    })
  })

const isUnthreaded = ({ isDirect, thread }: MessageEvent): boolean => isDirect && thread === null

const placeOf = ({ replyTo, user }: MessageEvent): Place => ({ recipient: chatReplyText({ thread: replyTo, user }) })
