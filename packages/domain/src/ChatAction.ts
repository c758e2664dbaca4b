import { Schema } from "effect"
import { TaskId } from "./Ids.ts"

/** The button under a reminder that ends its schedule; its value is the schedule's id. */
export const stopRemindersAction = "stop_reminders"

/** The buttons under a question. An `action_id` is unique in its block, so a number follows: `answer_choice:0`. */
export const answerChoiceAction = "answer_choice"

/** The platform's maximum for the value of a button. */
export const maxActionValue = 2_000

/** The value of a button under a question. */
export const ChoiceValue = Schema.Struct({
  task_id: TaskId,
  /** The call that asked, so that an old button answers no later question; null: whatever the task asks. */
  call: Schema.NullOr(Schema.String),
  answer: Schema.String
})
export type ChoiceValue = typeof ChoiceValue.Type

export const ChoiceValueJson = Schema.parseJson(ChoiceValue)

export const choiceValueText: (value: ChoiceValue) => string = Schema.encodeSync(ChoiceValueJson)
