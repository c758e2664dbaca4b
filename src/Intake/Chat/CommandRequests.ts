import { CurrentUser } from "@troupe/api/Authentication"
import { ChatCommandRequest } from "@troupe/api/ChatRequestsApi"
import { approves, asksApproval } from "@troupe/domain/Approval"
import { NotAllowed } from "@troupe/domain/Caller"
import type { UserId } from "@troupe/domain/Ids"
import type { Task } from "@troupe/domain/Task"
import { type ChatPost, chatReplyText } from "@troupe/domain/TeamChat"
import { Effect, Option, Schema } from "effect"
import { escaped } from "../../Chat/Slack/Mrkdwn.ts"
import { mentionedUsers } from "../../Chat/Slack/MrkdwnText.ts"
import { questionPosts } from "../../Delivery/NotificationText.ts"
import { Channels } from "../../People/Channel/Channels.ts"
import { AttemptFailed } from "../../Queue/AttemptFailed.ts"
import { via } from "../../Task/Command/CurrentVia.ts"
import { TaskThreads } from "../../Task/Read/TaskThreads.ts"
import { Tasks } from "../../Task/UseCase/Tasks.ts"
import { type InboundOutcome, noTask } from "../InboundMessage.ts"
import { type ChatContext, inboundFailureOf } from "./ChatContext.ts"
import { type ChatSender } from "./ChatSenders.ts"
import { limitReached, nonMemberRefused, shortId, taskLine } from "./ChatTexts.ts"
import { findTask, type SlashCommand, slashCommandOf } from "./SlashCommand.ts"

/** Tells the user what the command did. */
interface CommandResult extends InboundOutcome {
  readonly posts: ReadonlyArray<ChatPost>
}

const notAllowed = new NotAllowed({
  reason: "Only its creator, its assignee, an owner or an admin may change the task."
})

type Change<A> = Effect.Effect<A, { readonly message: string }>

/**
 * Processes slash commands that change something: asks the platform what the form needs, and returns the changes;
 * the consumer commits them together with the message.
 */
export const makeCommandRequests = ({ isLimited, platform, posts, schedules, senders }: ChatContext) =>
  Effect.gen(function*() {
    const tasks = yield* Tasks
    const channels = yield* Channels
    const threads = yield* TaskThreads

    const submit = Effect.fnUntraced(
      function*(text: string, form: ChatCommandRequest, { userId }: ChatSender, channel: string) {
        const projectId = yield* channels.projectOf(form.channel_id)
        const reply = { channel, thread_ts: null, user: form.user_id }
        const submission = Effect.map(
          tasks.submit({
            message: text,
            user_id: userId,
            project_id: projectId,
            source: {
              kind: "chat",
              reply: { channel: "chat", to: chatReplyText(reply) },
              threads: [channel],
              toolAccess: "all"
            }
          }),
          ({ id, title }) => ({
            taskId: id,
            posts: [
              { text: `I started \`${shortId(id)}\` *${escaped(title)}*. You get the result as a direct message.` }
            ]
          })
        )
        return Effect.if(isLimited(userId), {
          onTrue: () => Effect.succeed({ ...noTask, posts: [{ text: limitReached }] }),
          onFalse: () => submission
        })
      }
    )

    /** Finds the task with the rights of the sender; the change itself runs with those of the service. */
    const changing = (id: string, sender: ChatSender, change: (task: Task) => Change<CommandResult>) =>
      findTask(tasks, id, sender).pipe(
        Effect.provideService(CurrentUser, sender.caller),
        Effect.tap(({ id }) =>
          Effect.filterOrFail(threads.ofTask(id), Option.exists(sender.mayChange), () => notAllowed)
        ),
        Effect.match({
          onFailure: (error): Change<CommandResult> => Effect.fail(error),
          onSuccess: change
        })
      )

    const changed = (change: Change<Task>, thanks = ""): Change<CommandResult> =>
      Effect.map(via("chat")(change), (task) => ({ taskId: task.id, posts: [{ text: `${thanks}${taskLine(task)}` }] }))

    /** The text of a command says not which question it approves, so the person gets the question with its buttons. */
    const answer = (text: string, by: UserId) => (task: Task): Change<CommandResult> =>
      approves(text) && asksApproval(task)
        ? Effect.succeed({ taskId: task.id, posts: questionPosts(task) })
        : changed(tasks.answer(task.id, text, Option.some(by), { call: task.last_tool_call_id }), "Thanks. ")

    const changeOf = Effect.fnUntraced(function*(
      command: SlashCommand,
      form: ChatCommandRequest,
      sender: ChatSender
    ): Effect.fn.Return<Change<CommandResult>, AttemptFailed> {
      switch (command._tag) {
        case "Answer":
          return yield* changing(command.id, sender, answer(command.text, sender.userId))
        case "Cancel":
          return yield* changing(
            command.id,
            sender,
            ({ id }) => changed(tasks.cancel(id, Option.none(), sender.userId))
          )
        case "Request": {
          // Only the user has read the command, and we may not be in the channel.
          const channel = yield* Effect.mapError(platform.openDirectMessage(form.user_id), inboundFailureOf)
          const timed = yield* schedules.read(command.text, sender)
          return Option.isNone(timed)
            ? yield* submit(command.text, form, sender, channel)
            : Effect.map(
              schedules.create(timed.value, sender, { channel, thread_ts: null }, {
                files: [],
                quoted: [],
                mentioned: mentionedUsers(form.text)
              }),
              (post) => ({ ...noTask, posts: [post] })
            )
        }
        default:
          return yield* AttemptFailed.refused("The command changes nothing.")
      }
    })

    return Effect.fn("CommandRequests.prepare")(function*(text: string) {
      const form = yield* Effect.mapError(
        readForm(text),
        () => AttemptFailed.refused("The stored form is not readable.")
      )
      const sender = yield* Effect.mapError(senders.find(form.user_id), inboundFailureOf)
      if (Option.isNone(sender) || !sender.value.isMember) {
        return Effect.as(posts.respond(form, { text: nonMemberRefused }), noTask)
      }
      const command = slashCommandOf(yield* senders.plainText(form.text))
      const change = yield* changeOf(command, form, sender.value)
      return change.pipe(
        Effect.catchAll(({ message }) => Effect.succeed({ ...noTask, posts: [{ text: escaped(message) }] })),
        Effect.flatMap(({ posts: all, taskId }) =>
          Effect.as(Effect.forEach(all, (post) => posts.respond(form, post)), { taskId })
        )
      )
    })
  })

const decodeForm = Schema.decodeUnknown(ChatCommandRequest)

export const readForm = (form: string) => decodeForm(Object.fromEntries(new URLSearchParams(form)))
