import { CurrentUser } from "@troupe/api/Authentication"
import { approves, asksApproval, decides } from "@troupe/domain/Approval"
import { NotAllowed } from "@troupe/domain/Caller"
import type { SearchUnfinished } from "@troupe/domain/Search"
import type { Task, TaskNotFound } from "@troupe/domain/Task"
import { chatReplyText } from "@troupe/domain/TeamChat"
import { Effect, Option } from "effect"
import type { CommandEvent } from "../../Chat/ChatEvent.ts"
import { mentionedIn } from "../../Chat/ChatText.ts"
import { questionMessage } from "../../Delivery/NotificationText.ts"
import { Channels } from "../../People/Channel/Channels.ts"
import type { AttemptFailed } from "../../Queue/AttemptFailed.ts"
import { TaskThreads } from "../../Task/Read/TaskThreads.ts"
import { Tasks } from "../../Task/UseCase/Tasks.ts"
import { type ChatContext, inboundFailureOf, type Place } from "./ChatContext.ts"
import { type ChatPlan, limited, post } from "./ChatPlans.ts"
import type { ChatSender } from "./ChatSenders.ts"
import { nonMemberRefused } from "./ChatTexts.ts"
import { type Command, commandOf, findTask, readCommand, type Reading } from "./Commands.ts"

const openCalls = ({ approvals }: Task): number => approvals.filter(({ status }) => status === "open").length

const notAllowed = new NotAllowed({
  reason: "Only its creator, its assignee, an owner or an admin may change the task."
})

/** Plans what commands do. They are told what became of them where they were written. */
export const makeCommandPlans = ({ agents, platform, schedules, senders }: ChatContext) =>
  Effect.gen(function*() {
    const tasks = yield* Tasks
    const channels = yield* Channels
    const threads = yield* TaskThreads

    /** Finds the task with the rights of the sender; the change itself runs with those of the service. */
    const changing = (id: string, at: Place, sender: ChatSender, change: (task: Task) => ChatPlan) =>
      findTask(tasks, id, sender).pipe(
        Effect.provideService(CurrentUser, sender.caller),
        Effect.tap(({ id }) =>
          Effect.filterOrFail(threads.ofTask(id), Option.exists(sender.mayChange), () => notAllowed)
        ),
        Effect.match({
          onFailure: ({ message }: NotAllowed | SearchUnfinished | TaskNotFound) => post(at, message),
          onSuccess: change
        })
      )

    /** A command of this person, other than a request. */
    const planOf = (
      command: Exclude<Command, { readonly _tag: "Request" }>,
      at: Place,
      sender: ChatSender
    ): Effect.Effect<ChatPlan> => {
      switch (command._tag) {
        case "Answer":
          return changing(command.id, at, sender, (task) =>
            // The text does not say which question it approves, nor which of several calls it denies: the person gets the buttons.
            asksApproval(task) && (approves(command.text) || (decides(command.text) && openCalls(task) > 1))
              ? { _tag: "Post", at, message: questionMessage(task) }
              : {
                _tag: "Tell",
                task: task.id,
                text: command.text,
                by: sender.userId,
                isAnswer: true,
                decision: { call: task.last_tool_call_id },
                told: at
              })
        case "Cancel":
          return changing(
            command.id,
            at,
            sender,
            ({ id }) => ({ _tag: "Cancel", task: id, by: sender.userId, told: at })
          )
        default:
          return Effect.map(reading(command, sender), (said) => post(at, ...said))
      }
    }

    const reading = (command: Reading, sender: ChatSender) =>
      Effect.provideService(readCommand(tasks, command, sender), CurrentUser, sender.caller).pipe(
        Effect.catchAll(({ message }) => Effect.succeed([message]))
      )

    const requestOf = Effect.fnUntraced(function*(
      given: string,
      event: CommandEvent,
      at: Place,
      sender: ChatSender
    ): Effect.fn.Return<ChatPlan, AttemptFailed> {
      // Only the user has read the command, and we may not be in the channel.
      const direct = yield* Effect.mapError(platform.openDirect(event.user), inboundFailureOf)
      const { agent, text } = yield* agents.addressedIn(given)
      const timed = yield* schedules.read(text, sender)
      if (Option.isSome(timed)) {
        const enclosed = { files: [], quoted: [], mentioned: mentionedIn(event.text).users, agent }
        return { _tag: "Schedule", at, request: timed.value, sender, postedTo: direct, enclosed }
      }
      return {
        _tag: "Submit",
        sender,
        submission: {
          message: text,
          agent,
          user_id: sender.userId,
          project_id: yield* channels.projectOf(event.channel),
          source: {
            kind: "chat",
            claim: yield* agents.claimOf(event.channel),
            reply: { channel: "chat", to: chatReplyText({ thread: direct, user: event.user }) },
            threads: [direct],
            toolAccess: "all"
          }
        },
        limited: limited(at, sender),
        told: at
      }
    })

    return {
      planOf,
      /** A command of the platform's own. */
      prepare: Effect.fn("CommandPlans.prepare")(function*(event: CommandEvent) {
        const at = event.answerTo === null
          ? { recipient: event.user }
          : { recipient: chatReplyText({ thread: event.channel, user: event.user }), answerTo: event.answerTo }
        const sender = yield* Effect.mapError(senders.find(event.user), inboundFailureOf)
        if (Option.isNone(sender) || !sender.value.isMember) return post(at, nonMemberRefused)
        const command = commandOf(yield* senders.plainText(event.text))
        return command._tag === "Request"
          ? yield* requestOf(command.text, event, at, sender.value)
          : yield* planOf(command, at, sender.value)
      })
    }
  })
