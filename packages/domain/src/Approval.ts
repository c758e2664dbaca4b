import { stripped, visibleText } from "./Text.ts"

/** The answers to choose from where a call needs a person's approval. Only the first one approves. */
export const approvalChoices = ["Send", "Don't send"] as const

const approving = approvalChoices[0].toLowerCase()

/** Around a word that was copied from the question. */
const marks = " \t\r\n\"'`*_“”„‘’‚«»"

const maxMarked = 40

const says = (answer: string, choice: string): boolean => {
  const text = visibleText(answer).trim()
  return text.length <= maxMarked && stripped(text, marks).replaceAll("’", "'").toLowerCase() === choice
}

/** Whether an answer approves: it says nothing else. */
export const approves = (answer: string): boolean => says(answer, approving)

/** Whether an answer approves or refuses. */
export const decides = (answer: string): boolean => approvalChoices.some((choice) => says(answer, choice.toLowerCase()))

/** Whether a question offers the choices of an approval. */
export const asksApproval = ({ choices }: { readonly choices: ReadonlyArray<string> }): boolean =>
  choices.length === approvalChoices.length && approvalChoices.every((choice, at) => choices[at] === choice)

/** The result of a call that was not approved. */
export const notApproved = (answer: string): string => `Nothing was sent. The user answered: ${answer}`
