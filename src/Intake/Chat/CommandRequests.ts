import { CurrentUser } from "@troupe/api/Authentication"
import { ChatCommandRequest } from "@troupe/api/ChatRequestsApi"
import { NotAllowed } from "@troupe/domain/Caller"
import { type ChatPost, chatReplyText } from "@troupe/domain/TeamChat"
import { Context, Effect, Layer, Option, Schema } from "effect"
import { Channels } from "../../People/Channels.ts"
import { Tasks } from "../../Task/Tasks.ts"
import { ChatPlatform } from "../../Wire/ChatPlatform.ts"
import { escaped } from "../../Wire/Mrkdwn.ts"
import { InboundFailed, type InboundOutcome } from "../InboundMessage.ts"
import { taskRequestOf } from "../TaskRequests.ts"
import { inboundFailureOf } from "./ChatFailure.ts"
import { ChatLimits } from "./ChatLimits.ts"
import { ChatPosts } from "./ChatPosts.ts"
import { ChatSchedules } from "./ChatSchedules.ts"
import { type ChatSender, ChatSenders } from "./ChatSenders.ts"
import { limitReached, nonMemberRefused, shortId, taskLine } from "./ChatTexts.ts"
import { findTask, type SlashCommand, slashCommandOf } from "./SlashCommand.ts"

/** The text that tells the user what the command did. */
interface CommandResult extends InboundOutcome {
  readonly post: ChatPost
}

type Change = Effect.Effect<CommandResult, { readonly message: string }>

/** Slash commands that change something. */
export class CommandRequests extends Context.Tag("troupe/Intake/Chat/CommandRequests")<CommandRequests, {
  /** Asks the platform what the form needs; the result is what it causes, in the transaction of its end. */
  readonly prepare: (form: string) => Effect.Effect<Effect.Effect<InboundOutcome>, InboundFailed>
}>() {
  static readonly layer: Layer.Layer<
    CommandRequests,
    never,
    Channels | ChatLimits | ChatPlatform | ChatPosts | ChatSchedules | ChatSenders | Tasks
  > = Layer.effect(
    this,
    Effect.gen(function*() {
      const tasks = yield* Tasks
      const channels = yield* Channels
      const limits = yield* ChatLimits
      const platform = yield* ChatPlatform
      const posts = yield* ChatPosts
      const schedules = yield* ChatSchedules
      const senders = yield* ChatSenders

      /** Only the user reads what follows from the command: it goes to their direct messages. */
      const submit = Effect.fnUntraced(
        function*(text: string, { channel_id, user_id }: ChatCommandRequest, { userId }: ChatSender) {
          const channel = yield* Effect.mapError(platform.openDirectMessage(user_id), inboundFailureOf)
          const projectId = yield* channels.projectOf(channel_id)
          const request = taskRequestOf({
            message: text,
            userId,
            projectId: Option.fromNullable(projectId),
            source: {
              kind: "chat",
              reply: Option.some({ channel: "chat", to: chatReplyText({ channel, thread_ts: null, user: user_id }) }),
              threads: [channel],
              toolAccess: "all"
            }
          })
          const submission = Effect.map(tasks.submit(request), ({ id, title }) => ({
            taskId: id,
            post: {
              text: `I started \`${shortId(id)}\` *${escaped(title)}*. You get the result as a direct message.`
            }
          }))
          return Effect.if(limits.isReached(userId), {
            onTrue: () => Effect.succeed({ taskId: null, post: { text: limitReached } }),
            onFalse: () => submission
          })
        }
      )

      /** Found with the rights of the sender; the change itself runs with those of the service. */
      const ofTask = (id: string, sender: ChatSender) =>
        findTask(tasks, id, sender).pipe(
          Effect.provideService(CurrentUser, sender.caller),
          Effect.filterOrFail(
            (task) => sender.mayChange(task),
            () =>
              new NotAllowed({ reason: "Only its creator, its assignee, an owner or an admin may change the task." })
          )
        )

      const changeOf = (
        command: SlashCommand,
        form: ChatCommandRequest,
        sender: ChatSender
      ): Effect.Effect<Change, InboundFailed> => {
        switch (command._tag) {
          case "Answer":
            return Effect.match(ofTask(command.id, sender), {
              onFailure: (error): Change => Effect.fail(error),
              onSuccess: ({ id }): Change =>
                Effect.map(tasks.answer(id, command.text, Option.some(sender.userId)), (task) => ({
                  taskId: id,
                  post: { text: `Thanks. ${taskLine(task)}` }
                }))
            })
          case "Cancel":
            return Effect.match(ofTask(command.id, sender), {
              onFailure: (error): Change => Effect.fail(error),
              onSuccess: ({ id }): Change =>
                Effect.map(tasks.cancel(id, Option.none()), (task) => ({ taskId: id, post: { text: taskLine(task) } }))
            })
          case "Request":
            return Effect.flatMap(
              schedules.read(command.text, sender),
              Option.match({
                onNone: (): Effect.Effect<Change, InboundFailed> => submit(command.text, form, sender),
                // We may not be in the channel, and its people did not read the command.
                onSome: (timed) =>
                  Effect.mapBoth(platform.openDirectMessage(form.user_id), {
                    onFailure: inboundFailureOf,
                    onSuccess: (channel): Change =>
                      Effect.map(
                        schedules.create(timed, sender, { channel, thread_ts: null }),
                        (post) => ({ taskId: null, post })
                      )
                  })
              })
            )
          default:
            return InboundFailed.refused("The command changes nothing.")
        }
      }

      const prepare = Effect.fn("CommandRequests.prepare")(function*(text: string) {
        const form = yield* Effect.mapError(
          readForm(text),
          () => InboundFailed.refused("The stored form is not readable.")
        )
        const sender = yield* Effect.mapError(senders.find(form.user_id), inboundFailureOf)
        if (Option.isNone(sender) || !sender.value.isMember) {
          return Effect.as(posts.respond(form, { text: nonMemberRefused }), { taskId: null })
        }
        const command = slashCommandOf(yield* senders.plainText(form.text))
        const change = yield* changeOf(command, form, sender.value)
        return change.pipe(
          Effect.catchAll(({ message }) => Effect.succeed({ taskId: null, post: { text: escaped(message) } })),
          Effect.flatMap(({ post, taskId }) => Effect.as(posts.respond(form, post), { taskId }))
        )
      })

      return CommandRequests.of({ prepare })
    })
  )
}

const decodeForm = Schema.decodeUnknown(ChatCommandRequest)

export const readForm = (form: string) => decodeForm(Object.fromEntries(new URLSearchParams(form)))
