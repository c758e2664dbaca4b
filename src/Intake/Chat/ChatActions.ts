import { CurrentUser } from "@troupe/api/Authentication"
import { approves } from "@troupe/domain/Approval"
import { isScheduleId, type Schedule } from "@troupe/domain/Schedule"
import {
  answerChoiceAction,
  type ChoiceValue,
  ChoiceValueJson,
  makeTaskAction,
  stopRemindersAction
} from "@troupe/domain/TeamChat"
import { Effect, Either, Option, Schema } from "effect"
import type { PressedButton } from "../../Chat/ChatEvent.ts"
import { bold, type ChatMessage, mention, saying } from "../../Chat/ChatMessage.ts"
import { ChatPlatform, wholePost } from "../../Chat/ChatPlatform.ts"
import { recurringButtons } from "../../Delivery/Reminders.ts"
import { notAllowedTo } from "../../Policy/ApprovalRights.ts"
import { asService } from "../../Runtime/Database/Isolation.ts"
import { via } from "../../Task/Command/CurrentVia.ts"
import { TaskThreads } from "../../Task/Read/TaskThreads.ts"
import { Tasks } from "../../Task/UseCase/Tasks.ts"
import { Schedules } from "../Schedule/Schedules.ts"
import { type ChatSender, ChatSenders, mayAnswer } from "./ChatSenders.ts"
import { answerRefused, nonMemberRefused, type Said, scheduled } from "./ChatTexts.ts"

/** What somebody who pressed a button is shown: in place of the message with the button, or alone. */
export interface Shown {
  readonly message: ChatMessage
  readonly isInPlace: boolean
}

/** Does what a pressed button stands for; the result is shown where the button was. */
export const makeChatActions = Effect.gen(function*() {
  const schedules = yield* Schedules
  const senders = yield* ChatSenders
  const tasks = yield* Tasks
  const threads = yield* TaskThreads
  const platform = yield* ChatPlatform
  const scope = yield* Effect.scope

  const changeReminder = (
    { action, schedule: id }: Extract<Meaning, { _tag: "ChangeReminder" }>,
    { userId }: ChatSender
  ): Effect.Effect<Shown> => {
    if (!isScheduleId(id)) return Effect.succeed(onlyToPerson("There is no such reminder."))
    const changed = action === stopRemindersAction
      ? Effect.map(schedules.stop(id, userId), (schedule) => inPlace(...stopped(schedule)))
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

  /** Null: nobody has answered it, and the person may. */
  const whyNot = ({ approval, call, task_id }: ChoiceValue, sender: ChatSender) =>
    asService(Effect.gen(function*() {
      const asking = Option.getOrNull(yield* threads.ofTask(task_id))
      const rows = asking === null ? [] : yield* threads.askedIn(asking)
      const isOthers = asking !== null && !mayAnswer(sender, asking, rows)
      const named = call === null || asking?.call === call ? rows : rows.filter((row) => row.tool_call_id === call)
      const open = named.filter(({ status }) => status === "open")
      const isOpen = rows.length > 0
        ? open.length > 0 && (approval === undefined || named.some(({ id }) => id === approval))
        : asking !== null && asking.call !== null && (call === null || asking.call === call)
      // The message of several calls stays, with what was decided.
      if (!isOpen) return (isOthers || rows.length > 1 ? onlyToPerson : inPlace)("This question has been answered.")
      const others = asking === null ? undefined : open.find((row) => !sender.mayDecide(row, asking))
      if (others !== undefined) return onlyToPerson(notAllowedTo(others))
      return isOthers ? onlyToPerson(answerRefused) : null
    }))

  const answerQuestion = (choice: ChoiceValue, sender: ChatSender): Effect.Effect<Shown> =>
    Effect.gen(function*() {
      const { answer, approval, call, task_id } = choice
      const refused = yield* whyNot(choice, sender)
      if (refused !== null) return refused
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
      return approval === undefined
        ? inPlace(mention(sender.chatUserId), " answered: ", bold(answer))
        : onlyToPerson("You answered: ", bold(answer))
    }).pipe(
      Effect.catchTags({
        NotAllowed: ({ reason }) => Effect.succeed(onlyToPerson(reason)),
        TaskNotFound: () => Effect.succeed(inPlace("This task no longer exists.")),
        TaskRequestInvalid: ({ reason }) => Effect.succeed(onlyToPerson(reason)),
        TaskStateConflict: () => Effect.succeed(inPlace("This question has been answered."))
      })
    )

  return Effect.fn("ChatActions.press")(function*({ actions, answerTo, user }: PressedButton) {
    const meaning = meaningOf(actions)
    if (meaning === null) return onlyToPerson("This button is no longer valid.")
    const lookup = yield* Effect.either(senders.allowed(user))
    if (Either.isLeft(lookup)) {
      return onlyToPerson(`I could not load your profile from the chat platform: ${lookup.left.reason}`)
    }
    const sender = lookup.right
    if (Option.isNone(sender)) return onlyToPerson(nonMemberRefused)
    const shown = meaning._tag === "ChangeReminder"
      ? yield* changeReminder(meaning, sender.value)
      : yield* answerQuestion(meaning.choice, sender.value)
    if (answerTo !== null) {
      yield* platform.answer(answerTo, wholePost(platform.render(shown.message)), shown.isInPlace).pipe(
        Effect.catchAll(({ reason }) => Effect.logWarning(`Posting the result of a button failed: ${reason}`)),
        Effect.forkIn(scope)
      )
    }
    return shown
  })
})

const stopped = ({ kind, message }: Schedule): Said => [
  `${kind === "task" ? "I no longer start this" : "I no longer remind you of this"}: `,
  bold(message)
]

const onlyToPerson = (...said: Said): Shown => ({ message: saying(...said), isInPlace: false })

const inPlace = (...said: Said): Shown => ({ message: saying(...said), isInPlace: true })

const started = (schedule: Schedule): Shown => ({
  message: { text: scheduled(schedule), buttons: recurringButtons(schedule) },
  isInPlace: true
})

type Meaning =
  | {
    readonly _tag: "ChangeReminder"
    readonly action: typeof stopRemindersAction | typeof makeTaskAction
    readonly schedule: string
  }
  | { readonly _tag: "AnswerChoice"; readonly choice: ChoiceValue }

const decodeChoice = Schema.decodeOption(ChoiceValueJson)

/** The first of these actions that is known. */
const meaningOf = (actions: PressedButton["actions"]): Meaning | null => {
  for (const { action, value } of actions) {
    if (action === stopRemindersAction || action === makeTaskAction) {
      return { _tag: "ChangeReminder", action, schedule: value }
    }
    const choice = action === answerChoiceAction ? decodeChoice(value) : Option.none()
    if (Option.isSome(choice)) return { _tag: "AnswerChoice", choice: choice.value }
  }
  return null
}
