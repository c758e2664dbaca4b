import { fieldsIn, fitting } from "@troupe/domain/FormFields"
import { type Fields, labelOf, type QuestionForm } from "@troupe/domain/QuestionForm"
import { cancelAnswer, decline, opened, type ServerAnswer } from "@troupe/domain/ServerQuestion"
import { TaskRequestInvalid } from "@troupe/domain/Task"
import { Either, Predicate } from "effect"
import type { TaskRow } from "../Row/TaskRow.ts"

/** An answer to a task's question: what people read of it, and what the tool server that asked gets. */
export interface QuestionAnswer {
  readonly text: string
  readonly given?: ServerAnswer
}

type Asking = Pick<TaskRow, "form" | "url">

export const asksForInput = ({ form, url }: Asking): boolean => form !== null || url !== null

const invalid = (path: string, reason: string) => new TaskRequestInvalid({ path, reason })

/** The answer that a text, or the fields of a form, are; fails where they do not fit the question. */
export const answerIn = (
  row: Asking,
  response: string,
  fields: Readonly<Record<string, unknown>> | null = null
): Either.Either<QuestionAnswer, TaskRequestInvalid> => {
  const { form, url } = row
  const said = response.trim().toLowerCase()
  if (fields === null) {
    if (said === "") return Either.left(invalid("response", "1 to 100,000 characters, not blanks alone"))
    if (!asksForInput(row)) return Either.right({ text: response })
    if (said === decline.toLowerCase()) return Either.right({ text: decline, given: { action: "decline" } })
    if (said === cancelAnswer.toLowerCase()) return Either.right({ text: cancelAnswer, given: { action: "cancel" } })
    if (url !== null) {
      return said === opened.toLowerCase()
        ? Either.right({ text: opened, given: { action: "accept" } })
        : Either.left(
          invalid("response", `open the page, then answer ${opened}; or answer ${decline} or ${cancelAnswer}`)
        )
    }
  }
  if (form === null) return Either.left(invalid("fields", "the task's question has no form; answer with a text"))
  const given = fields ?? fieldsIn(form, response)
  return given === null
    ? Either.left(
      invalid(
        "fields",
        `the question has a form of several fields; send them as an object, or answer ${decline} or ${cancelAnswer}`
      )
    )
    : filledIn(form, given)
}

const filledIn = (
  form: QuestionForm,
  given: Readonly<Record<string, unknown>>
): Either.Either<QuestionAnswer, TaskRequestInvalid> =>
  Either.mapBoth(fitting(form, given), {
    onLeft: (faults) => {
      const errors = faults.map(({ field, message }) => ({ path: `fields.${field}`, message }))
      const [first] = errors
      return new TaskRequestInvalid({ path: first?.path ?? "fields", reason: first?.message ?? "does not fit", errors })
    },
    onRight: (content) => ({ text: summary(form, content), given: { action: "accept" as const, content } })
  })

const summary = ({ properties }: QuestionForm, content: Fields): string => {
  const lines = Object.entries(content).flatMap(([name, value]) => {
    const field = properties[name]
    return field === undefined ? [] : `${labelOf(name, field)}: ${words(value)}`
  })
  return lines.length === 0 ? opened : lines.join("\n").slice(0, 20_000)
}

const words = (value: Fields[string]): string =>
  Predicate.isBoolean(value) ? value ? "yes" : "no" : typeof value === "object" ? value.join(", ") : String(value)
