import { answerChoiceAction, ChoiceValueJson, stopRemindersAction } from "@troupe/domain/ChatAction"
import type { ChoiceValue } from "@troupe/domain/ChatAction"
import { Either, Option, Schema } from "effect"

/** Who used a button, and where the platform shows the answer. */
interface Pressed {
  readonly user: string
  readonly responseUrl: string | null
}

export type Interaction =
  | Pressed & { readonly _tag: "StopReminders"; readonly schedule: string }
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
    if (action_id === stopRemindersAction && typeof value === "string") {
      return { _tag: "StopReminders", ...pressed, schedule: value }
    }
    const choice = action_id.split(":")[0] === answerChoiceAction ? decodeChoice(value ?? "") : Option.none()
    if (Option.isSome(choice)) return { _tag: "AnswerChoice", ...pressed, choice: choice.value }
  }
  return { _tag: "Ignored" }
}
