import { Predicate } from "effect"
import type { AskedCall } from "./Approval.ts"
import { beginningOf } from "./Text.ts"
import { visibleSigns } from "./VisibleSigns.ts"

/** Characters of a call's arguments, and lines and characters of a mail, that a question shows. */
const maxShown = 4_000
const maxLines = 100

/** All arguments of a call as JSON, a line each. */
const argumentsText = (json: string): string => {
  const parsed: unknown = JSON.parse(json)
  return Predicate.isReadonlyRecord(parsed) && Object.keys(parsed).length === 0
    ? "none"
    : visibleSigns(JSON.stringify(parsed, null, 2))
}

/** The lines of all arguments; of long ones the beginning, and how much follows. */
export const shownArguments = (json: string): ReadonlyArray<string> => {
  const text = argumentsText(json)
  return text.length <= maxShown
    ? text.split("\n")
    : [
      ...text.slice(0, maxShown).split("\n"),
      `[${text.length - maxShown} more characters: the task in the console shows all of them.]`
    ]
}

/** The beginning of a mail's text, and how much was left out. */
export const shownMail = (body: string): string => {
  const all = visibleSigns(body.replace(/\r\n?/g, "\n")).replaceAll("\t", "  ")
  const lines = all.split("\n")
  const begin = lines.slice(0, maxLines).join("\n")
  const shown = beginningOf(begin, maxShown)
  return begin.length === all.length || begin.length > maxShown
    ? shown
    : `${shown}\n[The first ${maxLines} of ${lines.length} lines; the rest was left out.]`
}

type Asked = Pick<AskedCall, "arguments" | "server" | "tool">

/** A single mail is asked about by what it says, and any other call by its arguments. */
export const isMailQuestion = ({ server, tool }: Omit<Asked, "arguments">, isAlone: boolean): boolean =>
  isAlone && server === null && tool === "send_email"

/** Whether the question shows the whole call. */
export const isShownWhole = (call: Asked, isAlone: boolean): boolean => {
  if (!isMailQuestion(call, isAlone)) return argumentsText(call.arguments).length <= maxShown
  const parsed: unknown = JSON.parse(call.arguments)
  const body = Predicate.hasProperty(parsed, "body") && typeof parsed.body === "string" ? parsed.body : ""
  const whole = visibleSigns(body.replace(/\r\n?/g, "\n")).replaceAll("\t", "  ")
  return whole === shownMail(body)
}
