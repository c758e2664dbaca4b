import { maxLabel } from "@troupe/domain/Choices"
import type { TaskId } from "@troupe/domain/Ids"
import type { Schedule } from "@troupe/domain/Schedule"
import {
  answerChoiceAction,
  choiceValueText,
  makeTaskAction,
  maxActionValue,
  stopRemindersAction
} from "@troupe/domain/TeamChat"
import { headOf, shortened } from "@troupe/domain/Text"

/** The platform's maximum length of a section's text. */
export const maxSection = 3_000
const maxButtons = 25

/** Text with the platform's markup. Verbatim: a bare @here in it notifies nobody. */
export const section = (text: string) => ({
  type: "section",
  text: { type: "mrkdwn", text: headOf(text, maxSection), verbatim: true }
})

const button = (actionId: string, label: string, value: string) => ({
  type: "button",
  action_id: actionId,
  text: { type: "plain_text", text: shortened(label, maxLabel), emoji: false },
  value
})

/** What recurs, with a button that stops it, and one that makes a task of a reminder which its user has set. */
export const recurringBlocks = (
  text: string,
  { id, kind }: Pick<Schedule, "id" | "kind">,
  mayBecomeTask = false
): ReadonlyArray<unknown> => [
  section(text),
  {
    type: "actions",
    elements: [
      button(stopRemindersAction, kind === "task" ? "Stop this task" : "Stop reminding me", id),
      ...(mayBecomeTask ? [button(makeTaskAction, "Make it a task", id)] : [])
    ]
  }
]

/** Whether the buttons show the choices whole, as `choiceBlocks` labels them. */
export const areShownWhole = (choices: ReadonlyArray<string>): boolean =>
  choices.every((choice) => choice.length <= maxLabel)

/** The buttons that answer a question; none where a choice is too long for one. */
export const choiceBlocks = (
  { call, choices, taskId }: {
    readonly taskId: TaskId
    readonly call: string | null
    readonly choices: ReadonlyArray<string>
  }
): ReadonlyArray<unknown> => {
  const values = choices.map((answer) => choiceValueText({ task_id: taskId, call, answer }))
  if (choices.length === 0 || choices.length > maxButtons || values.some(({ length }) => length > maxActionValue)) {
    return []
  }
  const elements = choices.map((choice, at) => button(`${answerChoiceAction}:${at}`, choice, values[at] ?? ""))
  return [{ type: "actions", elements }]
}
