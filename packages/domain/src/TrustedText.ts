import { Either } from "effect"
import { mailboxOf } from "./Mailbox.ts"
import type { Step } from "./Step.ts"
import type { TaskSourceKind, ToolAccess } from "./Task.ts"
import { trustedText } from "./Text.ts"

const delimiters = /[\s<>()[\],;:"“”„«»‹›‚‘、。，；：（）]+/u

/** A sign that closes a sentence or a quotation; no domain ends with one. */
const closing = ".!?…’"
const wrapped = /^([`'*_~])(.*)\1$/su

const bare = (word: string): string => {
  let end = word.length
  while (end > 0 && closing.includes(word.charAt(end - 1))) end--
  const stripped = word.slice(0, end)
  const inner = wrapped.exec(stripped)?.[2] ?? stripped
  return inner === word ? word : bare(inner)
}

/** As two spellings of one address are compared. */
export const comparable = (address: string): string => address.toLowerCase()

/** Of a word that may be an address with signs around it. */
const maxWord = 400

/**
 * The addresses that are whole words of a text. A part of a longer word is none, so that `evil@x.org.example` does not
 * name `evil@x.org`.
 */
export const addressesIn = (text: string): ReadonlySet<string> =>
  new Set(
    text.split(delimiters).filter((word) => word.includes("@") && word.length <= maxWord).flatMap((word) =>
      Either.match(mailboxOf(bare(word)), { onLeft: () => [], onRight: ({ address }) => [comparable(address)] })
    )
  )

export interface TrustedRequest {
  readonly source: TaskSourceKind | null
  readonly toolAccess: ToolAccess
  readonly title: string | null
  readonly description: string
}

/** Titles of tasks from mails are cut. */
const maxTitle = 200

const isSubject = (description: string, title: string | null): boolean =>
  title !== null && (description === title || (title.length >= maxTitle && description.startsWith(title)))

/**
 * What people with a right to the task wrote in it: the request, messages and answers. The description of a webhook's
 * task has words of its payload, and the task of a mail without own words is described by its subject, which may be of
 * the mail that it forwards.
 */
export const trustedTexts = (
  { description, source, title, toolAccess }: TrustedRequest,
  steps: Iterable<Step>
): ReadonlyArray<string> => {
  if (toolAccess !== "all") return []
  const isOwn = source !== "webhook" && !(source === "email" && isSubject(description, title))
  const texts = isOwn ? [trustedText(description)] : []
  for (const step of steps) texts.push(...trustedIn(step))
  return texts
}

/** What people with a right to the task wrote in a step. */
export const trustedIn = (step: Step): ReadonlyArray<string> => {
  if (step.kind === "steered") {
    return step.messages.filter(({ aside, trusted }) => trusted === true && aside !== true).map(({ text }) =>
      trustedText(text)
    )
  }
  if (step.kind !== "results" || step.trusted === undefined) return []
  const { results, trusted } = step
  return results.filter(({ message }) => trusted.includes(message.tool_call_id))
    .map(({ message }) => trustedText(message.content))
}
