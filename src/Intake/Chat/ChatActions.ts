import { CurrentUser } from "@troupe/api/Authentication"
import type { ChatAnswer } from "@troupe/api/ChatRequestsApi"
import { approves } from "@troupe/domain/Approval"
import { isScheduleId, type Schedule } from "@troupe/domain/Schedule"
import {
  answerChoiceAction,
  ChatRequestInvalid,
  type ChoiceValue,
  ChoiceValueJson,
  makeTaskAction,
  stopRemindersAction
} from "@troupe/domain/TeamChat"
import { Effect, Either, Option, Schema } from "effect"
import { ChatPlatform } from "../../Chat/ChatPlatform.ts"
import { escaped } from "../../Chat/Slack/Mrkdwn.ts"
import { recurringBlocks } from "../../Delivery/ChatBlocks.ts"
import { asService } from "../../Runtime/Database/Isolation.ts"
import { via } from "../../Task/Command/CurrentVia.ts"
import { TaskThreads } from "../../Task/Read/TaskThreads.ts"
import { Tasks } from "../../Task/UseCase/Tasks.ts"
import { Schedules } from "../Schedule/Schedules.ts"
import { type ChatSender, ChatSenders, mayAnswer } from "./ChatSenders.ts"
import { answerRefused, nonMemberRefused, scheduled, shownToPerson } from "./ChatTexts.ts"

/** Handles the form of a verified request; its answer is shown where the button was. */
export const makeChatActions = Effect.gen(function*() {
  const schedules = yield* Schedules
  const senders = yield* ChatSenders
  const tasks = yield* Tasks
  const threads = yield* TaskThreads
  const platform = yield* ChatPlatform
  const scope = yield* Effect.scope

  const changeReminder = (
    { action, schedule: id }: Extract<Interaction, { _tag: "ChangeReminder" }>,
    { userId }: ChatSender
  ): Effect.Effect<ChatAnswer> => {
    if (!isScheduleId(id)) return Effect.succeed(onlyToPerson("There is no such reminder."))
    const changed = action === stopRemindersAction
      ? Effect.map(schedules.stop(id, userId), (schedule) => inPlace(stopped(schedule)))
      : Effect.map(schedules.makeTask(id, userId), started)
    return changed.pipe(
      asService,
      Effect.catchTags({
        NotAllowed: ({ reason }) => Effect.succeed(onlyToPerson(reason)),
        ScheduleEnded: () => Effect.succeed(inPlace("This reminder has ended.")),
        ScheduleNotFound: () => Effect.succeed(inPlace("This reminder no longer exists."))
      })
    )
  }

  const answerQuestion = (
    { answer, call, task_id }: ChoiceValue,
    sender: ChatSender
  ): Effect.Effect<ChatAnswer> =>
    Effect.gen(function*() {
      const asking = yield* asService(threads.ofTask(task_id))
      const isOpen = Option.exists(asking, (task) => task.call !== null && (call === null || task.call === call))
      const isOthers = Option.exists(asking, (task) => !mayAnswer(sender, task))
      if (!isOpen) return (isOthers ? onlyToPerson : inPlace)("This question has been answered.")
      if (isOthers) return onlyToPerson(answerRefused)
      yield* Effect.provideService(
        // Of an approval, only the button of its own question counts.
        tasks.answer(task_id, answer, Option.some(sender.userId), {
          call,
          approves: call !== null && approves(answer),
          byButton: true
        }),
        CurrentUser,
        sender.caller
      ).pipe(via("chat"))
      return inPlace(`<@${sender.chatUserId}> answered: *${escaped(answer)}*`)
    }).pipe(
      Effect.catchTags({
        NotAllowed: ({ reason }) => Effect.succeed(onlyToPerson(reason)),
        TaskNotFound: () => Effect.succeed(inPlace("This task no longer exists.")),
        TaskRequestInvalid: ({ reason }) => Effect.succeed(onlyToPerson(reason)),
        TaskStateConflict: () => Effect.succeed(inPlace("This question has been answered."))
      })
    )

  return Effect.fn("ChatActions.press")(function*(form: string) {
    const interaction = interactionOf(form)
    switch (interaction._tag) {
      case "Unreadable":
        return yield* new ChatRequestInvalid({ reason: interaction.reason })
      case "Ignored":
        return onlyToPerson("This button is no longer valid.")
    }
    const lookup = yield* Effect.either(senders.allowed(interaction.user))
    if (Either.isLeft(lookup)) {
      return onlyToPerson(`I could not load your profile from the chat platform: ${lookup.left.reason}`)
    }
    const sender = lookup.right
    if (Option.isNone(sender)) return onlyToPerson(nonMemberRefused)
    const result = interaction._tag === "ChangeReminder"
      ? yield* changeReminder(interaction, sender.value)
      : yield* answerQuestion(interaction.choice, sender.value)
    const { responseUrl } = interaction
    if (responseUrl !== null) {
      const { blocks, replace_original: replaceOriginal, text } = result
      const message = { text, replaceOriginal, ...(blocks === undefined ? {} : { blocks }) }
      yield* platform.respond(responseUrl, message).pipe(
        Effect.catchAll(({ reason }) => Effect.logWarning(`Posting the result of a button failed: ${reason}`)),
        Effect.forkIn(scope)
      )
    }
    return result
  })
})

const stopped = ({ kind, message }: Schedule): string =>
  `${kind === "task" ? "I no longer start this" : "I no longer remind you of this"}: *${escaped(message)}*`

const onlyToPerson = (text: string): ChatAnswer => shownToPerson(escaped(text))

/** In place of the message with the button. */
const inPlace = (text: string): ChatAnswer => ({ ...shownToPerson(text), replace_original: true })

const started = (schedule: Schedule): ChatAnswer => {
  const text = scheduled(schedule)
  return { ...inPlace(text), blocks: recurringBlocks(text, schedule) }
}

/** Who used a button, and where the platform shows the answer. */
interface Pressed {
  readonly user: string
  readonly responseUrl: string | null
}

type ReminderAction = typeof stopRemindersAction | typeof makeTaskAction

export type Interaction =
  | Pressed & { readonly _tag: "ChangeReminder"; readonly action: ReminderAction; readonly schedule: string }
  | Pressed & { readonly _tag: "AnswerChoice"; readonly choice: ChoiceValue }
  | { readonly _tag: "Ignored" }
  | { readonly _tag: "Unreadable"; readonly reason: string }

const Payload = Schema.parseJson(Schema.Struct({
  user: Schema.Struct({ id: Schema.NonEmptyString }),
  response_url: Schema.optional(Schema.NullOr(Schema.String)),
  actions: Schema.optional(Schema.Array(Schema.Struct({
    action_id: Schema.String,
    value: Schema.optional(Schema.NullOr(Schema.String))
  })))
}))

const decodePayload = Schema.decodeEither(Payload)
const decodeChoice = Schema.decodeOption(ChoiceValueJson)

/** Reads a form with the field `payload`: the first of its actions that is known. */
export const interactionOf = (form: string): Interaction => {
  const text = new URLSearchParams(form).get("payload")
  if (text === null) return { _tag: "Unreadable", reason: "the form has no field payload" }
  const payload = decodePayload(text)
  if (Either.isLeft(payload)) {
    return { _tag: "Unreadable", reason: "the field payload is not JSON with a user and actions" }
  }
  const { actions = [], response_url, user } = payload.right
  const pressed = { user: user.id, responseUrl: response_url ?? null }
  for (const { action_id, value } of actions) {
    if ((action_id === stopRemindersAction || action_id === makeTaskAction) && typeof value === "string") {
      return { _tag: "ChangeReminder", ...pressed, action: action_id, schedule: value }
    }
    const choice = action_id.split(":")[0] === answerChoiceAction ? decodeChoice(value ?? "") : Option.none()
    if (Option.isSome(choice)) return { _tag: "AnswerChoice", ...pressed, choice: choice.value }
  }
  return { _tag: "Ignored" }
}
