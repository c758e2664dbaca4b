import { formOf, labelOf, onlyField, type QuestionForm } from "@troupe/domain/QuestionForm"
import { asksForSecret } from "@troupe/domain/SecretWords"
import type { AskedInput, CallInput, ServerQuestion } from "@troupe/domain/ServerQuestion"
import { headOf, oneLine, visibleText } from "@troupe/domain/Text"
import { Either, Predicate } from "effect"
import { storable } from "../Runtime/Database/StorableText.ts"

type Json = Readonly<Record<string, unknown>>

/** What a call asks people, or the reason why nobody is asked. */
export type Asked = Either.Either<Omit<AskedInput, "before" | "id">, string>

const maxQuestions = 10
/** How many questions, and repetitions without one, a call may have. */
export const maxRounds = 10
/** Bytes; it goes through the journal, and back in one message. */
const maxState = 256 * 1_024
const maxMessage = 4_000
const maxUrl = 8_000

/** Whether the result says that the call needs an answer, or is to be repeated. */
export const requiresInput = (result: Json): boolean => result["resultType"] === "input_required"

/** The questions in such a result of a server. */
export const askedBy = (server: string, { inputRequests, requestState, ...result }: Json): Asked => {
  const state = Predicate.isString(requestState) ? requestState : undefined
  const requests = Predicate.isReadonlyRecord(inputRequests) ? Object.entries(inputRequests) : []
  if (state !== undefined && Buffer.byteLength(state) > maxState) {
    return Either.left(`the state that it wants back has more than ${maxState / 1_024} kB`)
  }
  if (requests.length > maxQuestions) return Either.left(`it asks more than ${maxQuestions} questions at once`)
  return Either.map(
    Either.all(requests.map(([key, request]) => questionIn(server, key, request))),
    (questions) => ({
      questions,
      ...(state === undefined ? {} : { state }),
      ...(result["live"] === true ? { live: true as const } : {})
    })
  )
}

const questionIn = (server: string, key: string, request: unknown): Either.Either<ServerQuestion, string> => {
  const { method, params } = Predicate.isReadonlyRecord(request) ? request : {}
  if (method !== "elicitation/create" || !Predicate.isReadonlyRecord(params)) {
    return Either.left(`it asks for ${String(method).slice(0, 100)}, which this service does not offer`)
  }
  return Either.map(elicitation(server, params), (question) => ({ key, ...question }))
}

/** A request of a server for a person's answer. */
export const elicitation = (server: string, params: Json): Either.Either<Omit<ServerQuestion, "key">, string> => {
  const said = storable(Predicate.isString(params["message"]) ? params["message"] : "")
  const message = headOf(visibleText(said).trim(), maxMessage)
  const asks = `The tool server ${server} asks${message === "" ? "." : `: ${message}`}`
  if (params["mode"] === "url") {
    return Either.map(pageOf(params["url"]), (url) => ({ url: url.href, text: `${asks}\n\n${onPage(url)}` }))
  }
  return formOf(params["requestedSchema"]).pipe(
    Either.filterOrLeft((form) => !asksForSecret(message, form), () => secret),
    Either.map((form) => ({ form, text: `${asks}${onForm(form)}` }))
  )
}

const maxLabels = 500

const onForm = (form: QuestionForm): string => {
  if (onlyField(form) !== null) return ""
  const labels = Object.entries(form.properties).map(([name, field]) => oneLine(labelOf(name, field), 80))
  return labels.length === 0
    ? ""
    : `\n\nFill in its form on the page of the task in the console: ${headOf(labels.join(", "), maxLabels)}`
}

const secret =
  "it asks for a password, key, token or card number in a form, which is refused: a page of its own may ask for it"

const onPage = ({ host, protocol }: URL): string =>
  `It wants you to open a page at ${host}${
    protocol === "http:" ? " (not encrypted)" : ""
  }. Answer Done when you have done there what it asks.`

const pageOf = (url: unknown): Either.Either<URL, string> => {
  const page = Predicate.isString(url) && url.length <= maxUrl && URL.canParse(url) ? new URL(url) : null
  if (page === null || !["http:", "https:"].includes(page.protocol)) {
    return Either.left("the page that it wants to be opened has no address that begins with https:// or http://")
  }
  return page.username === "" && page.password === ""
    ? Either.right(page)
    : Either.left("the address of the page that it wants to be opened has a user name or a password in it")
}

/** The parameters of a call that is made again with the answers. */
export const answered = ({ answers, state }: CallInput): Json => ({
  ...(answers.size === 0 ? {} : {
    inputResponses: Object.fromEntries(
      Array.from(
        answers,
        ([key, { action, content }]) => [key, { action, ...(content === undefined ? {} : { content }) }]
      )
    )
  }),
  ...(state === undefined ? {} : { requestState: state })
})
