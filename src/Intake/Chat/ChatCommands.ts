import { CurrentUser } from "@troupe/api/Authentication"
import type { ChatCommandRequest } from "@troupe/api/ChatRequestsApi"
import type { Task } from "@troupe/domain/Task"
import { ChatRequestInvalid } from "@troupe/domain/TeamChat"
import { Duration, Effect, Fiber, Option } from "effect"
import { ChatPlatform } from "../../Chat/ChatPlatform.ts"
import { escaped } from "../../Chat/Slack/Mrkdwn.ts"
import { plainText } from "../../Chat/Slack/MrkdwnText.ts"
import { Tasks } from "../../Task/UseCase/Tasks.ts"
import { InboundQueue } from "../InboundQueue.ts"
import { chatSource } from "./ChatEvent.ts"
import { type ChatSender, ChatSenders } from "./ChatSenders.ts"
import { commandHelp, nonMemberRefused, shownToPerson, taskDetails, taskLine } from "./ChatTexts.ts"
import { readForm } from "./CommandRequests.ts"
import { commandUrl, findTask, latestTasks, type SlashCommand, slashCommandOf } from "./SlashCommand.ts"

/** The platform shows an error to the person after 3 s. */
const answerTime = Duration.millis(2_300)

const maxListed = 10

type Reading = Extract<SlashCommand, { readonly _tag: "Help" | "Incomplete" | "Status" | "Tasks" }>

/**
 * Answers the form of a verified request. Changes are queued, once for each `deliveryId`, and answered by the handler;
 * slow answers follow later.
 */
export const makeChatCommands = Effect.gen(function*() {
  const tasks = yield* Tasks
  const platform = yield* ChatPlatform
  const queue = yield* InboundQueue
  const senders = yield* ChatSenders
  const scope = yield* Effect.scope

  const read = Effect.fnUntraced(function*(command: Reading, sender: ChatSender) {
    switch (command._tag) {
      case "Help":
        return commandHelp
      case "Incomplete":
        return `Write \`${escaped(command.usage)}\`. The ids are in \`tasks\`.`
      case "Tasks":
        return listed(yield* latestTasks(tasks, sender, maxListed))
      case "Status": {
        if (command.id !== null) return taskDetails(yield* findTask(tasks, command.id, sender))
        const open = (yield* latestTasks(tasks, sender, 100)).filter(({ completed_at }) => completed_at === null)
        return open.length === 0 ? "None of your tasks is running." : listed(open.slice(0, maxListed))
      }
    }
  })

  const perform = (command: Reading, user: string): Effect.Effect<string> =>
    Effect.gen(function*() {
      const sender = yield* senders.find(user)
      if (Option.isNone(sender) || !sender.value.isMember) return nonMemberRefused
      return yield* Effect.provideService(read(command, sender.value), CurrentUser, sender.value.caller)
    }).pipe(
      Effect.catchAll((error) => Effect.succeed(escaped(error.message))),
      Effect.catchAllCause((cause) =>
        Effect.as(
          Effect.logError("A slash command failed with a defect", cause),
          "The command failed because of an error in the service. Try again in a minute."
        )
      )
    )

  const later = (form: ChatCommandRequest, text: string) =>
    form.response_url === undefined
      ? Effect.void
      : Effect.catchAll(
        platform.respond(form.response_url, { text }),
        ({ reason }) => Effect.logWarning(`Replying to a slash command failed: ${reason}`)
      )

  const store = ({ channel_id, response_url, text, user_id }: ChatCommandRequest, deliveryId: string) => {
    const kept = { user_id, channel_id, text, ...(response_url === undefined ? {} : { response_url }) }
    return queue.accept({
      source: chatSource,
      type: "slash_command",
      deliveryId,
      orderingKey: `command ${user_id}`,
      body: Buffer.from(new URLSearchParams(kept).toString()),
      headers: {},
      contentType: "application/x-www-form-urlencoded",
      url: commandUrl,
      sourceIp: null,
      sender: user_id,
      creator: null,
      isVerified: true
    }).pipe(
      Effect.disconnect,
      Effect.timeoutOption(answerTime),
      Effect.map(Option.match({
        onNone: () => "Your request may not have been stored. Check `tasks` before you repeat it.",
        onSome: () => "I am working on it; the answer follows here."
      }))
    )
  }

  return Effect.fn("ChatCommands.run")(function*(text: string, deliveryId: string) {
    const form = yield* Effect.mapError(
      readForm(text),
      () => new ChatRequestInvalid({ reason: "The form needs the fields user_id and channel_id." })
    )
    // Which command it is does not depend on the names in it.
    const command = slashCommandOf(plainText(form.text, () => null))
    if (!isReading(command)) return shownToPerson(yield* store(form, deliveryId))
    const performing = yield* Effect.forkIn(perform(command, form.user_id), scope)
    const answer = yield* Effect.timeoutOption(Fiber.join(performing), answerTime)
    if (Option.isSome(answer)) return shownToPerson(answer.value)
    yield* Effect.forkIn(Effect.flatMap(Fiber.join(performing), (text) => later(form, text)), scope)
    return shownToPerson("I am working on it; the answer follows here.")
  })
})

const isReading = (command: SlashCommand): command is Reading =>
  command._tag === "Help" || command._tag === "Incomplete" || command._tag === "Status" || command._tag === "Tasks"

const listed = (tasks: ReadonlyArray<Task>): string =>
  tasks.length === 0 ? "You have no tasks yet." : tasks.map(taskLine).join("\n")
