import { Schema } from "effect"
import { formChoices } from "./FormFields.ts"
import { ToolCallId } from "./Ids.ts"
import { Fields, QuestionForm } from "./QuestionForm.ts"

/** What a tool server asks a person during a call: to fill in a form, or to open a page. */
export const ServerQuestion = Schema.Struct({
  /** By which the server finds the answer. */
  key: Schema.String,
  text: Schema.String,
  form: Schema.optional(QuestionForm),
  url: Schema.optional(Schema.String)
})
export type ServerQuestion = typeof ServerQuestion.Type

export const ServerAnswer = Schema.Struct({
  action: Schema.Literal("accept", "decline", "cancel"),
  content: Schema.optional(Fields),
  /** Nobody has answered in time. */
  expired: Schema.optional(Schema.Literal(true))
})
export type ServerAnswer = typeof ServerAnswer.Type

/** The questions that a call asked at once. The call is made again with their answers and the server's state. */
export const AskedInput = Schema.Struct({
  id: ToolCallId,
  questions: Schema.Array(ServerQuestion),
  /** As the server sent it; only this call gets it back. */
  state: Schema.optional(Schema.String),
  /** The call still runs in the process that made it: only there it can be answered. */
  live: Schema.optional(Schema.Literal(true)),
  /** How many questions the call had asked before. */
  before: Schema.Int
})
export type AskedInput = typeof AskedInput.Type

export const GivenInput = Schema.Struct({ id: ToolCallId, key: Schema.String, ...ServerAnswer.fields })
export type GivenInput = typeof GivenInput.Type

/** The input of a call: what it asked last, and the answers so far. */
export interface CallInput extends AskedInput {
  readonly answers: ReadonlyMap<string, ServerAnswer>
}

export const unanswered = (asked: AskedInput): CallInput => ({ ...asked, answers: new Map() })

/** The question of a call that is to be answered next, with an id of its own; null: the call can go on. */
export const openQuestion = (
  { answers, before, id, questions }: CallInput
): (ServerQuestion & { readonly id: ToolCallId }) | null => {
  const index = questions.findIndex(({ key }) => !answers.has(key))
  const question = questions[index]
  return question === undefined ? null : { ...question, id: questionId(id, before + index) }
}

/** The first question of a call has the call's id. */
export const questionId = (call: ToolCallId, before: number): ToolCallId =>
  before === 0 ? call : ToolCallId.make(`${call}~${before + 1}`)

export const decline = "Decline"
export const cancelAnswer = "Cancel"
export const opened = "Done"

/** Answers in one word. */
export const choicesOf = ({ form, url }: Pick<ServerQuestion, "form" | "url">): ReadonlyArray<string> => [
  ...url === undefined ? [] : [opened],
  ...form === undefined ? [] : formChoices(form),
  decline,
  cancelAnswer
]
