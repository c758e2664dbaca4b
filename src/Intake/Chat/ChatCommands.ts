import { CurrentUser } from "@troupe/api/Authentication"
import { type ChatAnswer, ChatCommandRequest } from "@troupe/api/ChatRequestsApi"
import type { ChatPost } from "@troupe/domain/ChatPost"
import { chatReplyText } from "@troupe/domain/ChatReply"
import { TaskId } from "@troupe/domain/Ids"
import { type Task, TaskNotFound } from "@troupe/domain/Task"
import { ChatRequestInvalid } from "@troupe/domain/TeamChat"
import { Context, Duration, Effect, Fiber, Layer, Option, Schema } from "effect"
import { Channels } from "../../People/Channels.ts"
import { asService } from "../../Runtime/Isolation.ts"
import { Tasks } from "../../Task/Tasks.ts"
import { type ChatFailed, ChatPlatform } from "../../Wire/ChatPlatform.ts"
import { escaped } from "../../Wire/Mrkdwn.ts"
import { plainText } from "../../Wire/MrkdwnText.ts"
import { ChatSchedules } from "./ChatSchedules.ts"
import { type ChatSender, ChatSenders } from "./ChatSenders.ts"
import { commandHelp, strangerRefused } from "./ChatTexts.ts"
import { slashCommandOf } from "./SlashCommand.ts"
import { shortId, taskDetails, taskLine } from "./TaskLines.ts"

/** The platform shows an error to the person after 3 s. */
const answerTime = Duration.millis(2_300)

const maxListed = 10

/** The slash command. */
export class ChatCommands extends Context.Tag("troupe/Intake/Chat/ChatCommands")<ChatCommands, {
  /** Does what the form of a verified request says. What takes longer than the platform waits is answered later. */
  readonly run: (form: string) => Effect.Effect<ChatAnswer, ChatRequestInvalid>
}>() {
  static readonly layer: Layer.Layer<
    ChatCommands,
    never,
    Channels | ChatPlatform | ChatSchedules | ChatSenders | Tasks
  > = Layer.scoped(
    this,
    Effect.gen(function*() {
      const tasks = yield* Tasks
      const channels = yield* Channels
      const platform = yield* ChatPlatform
      const schedules = yield* ChatSchedules
      const senders = yield* ChatSenders
      const scope = yield* Effect.scope

      const latest = ({ userId }: ChatSender, limit: number) =>
        tasks.list({
          status: Option.none(),
          creator: Option.some(userId),
          assignee: Option.none(),
          webhookType: Option.none(),
          taskType: Option.none(),
          parentTaskId: Option.none(),
          q: Option.none(),
          includeArchived: false,
          limit,
          cursor: Option.none()
        }).pipe(Effect.map(({ items }) => items))

      /** By the whole id, or the end of it among the sender's latest tasks. */
      const taskIdOf = (id: string, sender: ChatSender) =>
        isTaskId(id)
          ? Effect.succeed(id)
          : Effect.flatMap(latest(sender, 100), (all) => {
            const found = all.filter((task) => task.id.endsWith(id.toLowerCase()))
            return found[0] === undefined || found.length > 1
              ? new TaskNotFound({ id })
              : Effect.succeed(found[0].id)
          })

      /** What the command causes is told to its user alone, in their direct messages. */
      const submit = Effect.fnUntraced(
        function*(text: string, { channel_id, user_id }: ChatCommandRequest, { userId }: ChatSender) {
          const channel = yield* platform.openDirectMessage(user_id)
          const projectId = yield* channels.projectOf(channel_id)
          const task = yield* asService(tasks.submit({
            message: text,
            userId,
            assignee: Option.none(),
            title: Option.none(),
            projectId: Option.fromNullable(projectId),
            attachments: [],
            continueTaskId: Option.none(),
            maxTokensTotal: Option.none(),
            idempotency: Option.none(),
            source: Option.some({
              kind: "chat",
              context: Option.none(),
              reply: Option.some({ channel: "chat", to: chatReplyText({ channel, thread_ts: null, user: user_id }) }),
              threads: [channel],
              webhook: Option.none()
            })
          }))
          return `I am on it: \`${shortId(task.id)}\` *${escaped(task.title)}*. You get the result as a direct message.`
        }
      )

      const answerTo = Effect.fnUntraced(function*(form: ChatCommandRequest, sender: ChatSender) {
        const names = yield* senders.names([])
        const command = slashCommandOf(plainText(form.text, {
          user: (id) => names.get(id) ?? null,
          channel: () => null
        }))
        switch (command._tag) {
          case "Help":
            return commandHelp
          case "Incomplete":
            return `Write \`${escaped(command.usage)}\`. The ids are in \`tasks\`.`
          case "Tasks":
            return listed(yield* latest(sender, maxListed))
          case "Status": {
            if (command.id !== null) return taskDetails(yield* tasks.find(yield* taskIdOf(command.id, sender)))
            const open = (yield* latest(sender, 100)).filter(({ completed_at }) => completed_at === null)
            return open.length === 0 ? "Nothing is at work for you." : listed(open.slice(0, maxListed))
          }
          case "Answer":
            return `Thanks. ${
              taskLine(
                yield* tasks.answer(yield* taskIdOf(command.id, sender), command.text, Option.some(sender.userId))
              )
            }`
          case "Cancel":
            return taskLine(yield* tasks.cancel(yield* taskIdOf(command.id, sender), Option.none()))
          case "Request": {
            const timed = yield* schedules.read(command.text, sender)
            if (Option.isNone(timed)) return yield* submit(command.text, form, sender)
            // We may not be in the channel, and its people did not read the command.
            const channel = yield* platform.openDirectMessage(form.user_id)
            return yield* asService(schedules.create(timed.value, sender, { channel, thread_ts: null }))
          }
        }
      })

      const perform = (form: ChatCommandRequest): Effect.Effect<ChatPost> =>
        Effect.gen(function*() {
          const sender = yield* senders.find(form.user_id)
          if (Option.isNone(sender) || !sender.value.isMember) return strangerRefused
          return yield* Effect.provideService(answerTo(form, sender.value), CurrentUser, sender.value.caller)
        }).pipe(
          Effect.catchAll((error) => Effect.succeed(escaped(messageOf(error)))),
          Effect.map((answer) => typeof answer === "string" ? { text: answer } : answer),
          Effect.catchAllCause((cause) =>
            Effect.as(
              Effect.logError("A slash command failed with a defect", cause),
              { text: "Something went wrong here. Try again in a minute." }
            )
          )
        )

      const later = (form: ChatCommandRequest, answer: ChatPost) =>
        form.response_url === undefined
          ? Effect.void
          : Effect.catchAll(
            platform.respond(form.response_url, answer),
            ({ reason }) => Effect.logWarning(`Could not answer a slash command: ${reason}`)
          )

      const run = Effect.fn("ChatCommands.run")(function*(form: string) {
        const given = yield* Effect.mapError(
          decodeForm(Object.fromEntries(new URLSearchParams(form))),
          () => new ChatRequestInvalid({ reason: "The form needs the fields user_id and channel_id." })
        )
        const performing = yield* Effect.forkIn(perform(given), scope)
        const answer = yield* Effect.timeoutOption(Fiber.join(performing), answerTime)
        if (Option.isSome(answer)) return answerOf(answer.value)
        yield* Effect.forkIn(Effect.flatMap(Fiber.join(performing), (late) => later(given, late)), scope)
        return answerOf({ text: "I am working on it; the answer follows here." })
      })

      return ChatCommands.of({ run })
    })
  )
}

const decodeForm = Schema.decodeUnknown(ChatCommandRequest)

const isTaskId = Schema.is(TaskId)

const listed = (tasks: ReadonlyArray<Task>): string =>
  tasks.length === 0 ? "You have no tasks yet." : tasks.map(taskLine).join("\n")

const messageOf = (error: ChatFailed | { readonly message: string }): string => error.message

const answerOf = (post: ChatPost): ChatAnswer => ({ response_type: "ephemeral", replace_original: false, ...post })
