import { askedCalls } from "@troupe/domain/Approval"
import type { TaskId } from "@troupe/domain/Ids"
import type { MailReply } from "@troupe/domain/Mailbox"
import type { AskedRow, NotificationKind } from "@troupe/domain/Notification"
import type { Task } from "@troupe/domain/Task"
import { cancelText, endLabel } from "@troupe/domain/TaskEnd"
import { answerChoiceAction, choiceValueText } from "@troupe/domain/TeamChat"
import { choiceList, oneLine, shortened, withChoices } from "@troupe/domain/Text"
import MarkdownIt from "markdown-it"
import {
  bold,
  type Button,
  type ChatMessage,
  formatted,
  link,
  mention,
  type Piece,
  typedLines
} from "../Chat/ChatMessage.ts"
import { taskAddress } from "../Runtime/PublicAddress.ts"
import type { OutboxNotification } from "./OutboxChannel.ts"

const labels: Record<NotificationKind, string> = {
  completion: "Done",
  question: "Question",
  failure: "Failed",
  reminder: "Reminder",
  alarm: "Alarm"
}

/** Agents write Markdown; the words of a reminder and the reason of a failure are plain text. */
const isMarkdown = (kind: NotificationKind): boolean => kind === "completion" || kind === "question"

const labelOf = ({ end, kind }: OutboxNotification): string =>
  (end === undefined ? null : endLabel(end)) ?? labels[kind]

/** The reason of a cancel says who cancelled. */
const saidOf = (notification: OutboxNotification): OutboxNotification => {
  const { body, end } = notification
  return end?.by === "cancelled" ? { ...notification, body: cancelText(body, endLabel(end)) } : notification
}

/** Raw HTML is shown as text and a picture as its description, so that a mail fetches nothing. */
const markdown = new MarkdownIt({ html: false, linkify: true })
markdown.renderer.rules["image"] = (tokens, index) =>
  markdown.utils.escapeHtml(`[Image: ${tokens[index]?.content || "no description"}]`)

/** Words of outsiders, such as the subject of their mail, make no link with another label. */
const plain = new MarkdownIt("zero", { html: false, linkify: true, breaks: true }).enable(["newline", "linkify"])

/** Both parts of a mail; the text part is the markdown itself. What is none is shown as it is. */
export const mailTextOf = (body: string, isMarkdown = true): { readonly text: string; readonly html: string } => ({
  text: body,
  html: (isMarkdown ? markdown : plain).render(body)
})

export interface NotificationMailOptions {
  /** Where people open the console; null: nowhere that is known. */
  readonly console: URL | null
  /** Whether the service reads the answers to its mails. */
  readonly readsAnswers: boolean
}

const maxMailBody = 200_000

/** Subject and text of a notification; `missing` are files that can't be attached. */
export const notificationMailOf = (
  given: OutboxNotification,
  taskId: TaskId | null,
  reply: MailReply | null,
  missing: ReadonlyArray<string>,
  options: NotificationMailOptions
) => {
  const notification = saidOf(given)
  const body = [
    shortened(notification.body, maxMailBody),
    ...(missing.length === 0 ? [] : [`Not attached, because the files are gone or too large: ${missing.join(", ")}`])
  ].join("\n\n")
  const { html, text } = mailTextOf(body, isMarkdown(notification.kind))
  const footer = footerOf(notification, taskId, options)
  return {
    subject: oneLine(
      reply === null
        ? `${labelOf(notification)}: ${notification.title}`
        : `Re: ${reply.subject.replace(/^(?:re:\s*)+/i, "")}`,
      200
    ),
    text: footer.length === 0 ? text : `${text}\n\n-- \n${footer.join("\n")}\n`,
    html: footer.length === 0 ? html : `${html}<hr>\n${footer.map((line) => mailTextOf(line).html).join("")}`
  }
}

/** How the recipient goes on, and where they see it in the console. */
const footerOf = (
  { asked, kind }: OutboxNotification,
  taskId: TaskId | null,
  { console, readsAnswers }: NotificationMailOptions
): ReadonlyArray<string> => {
  if (taskId === null) return console === null ? [] : [`See it in Troupe: ${console.href}`]
  const isQuestion = asked !== undefined
  const address = console === null ? null : taskAddress(console, taskId)
  if (!readsAnswers) {
    const where = isQuestion ? "Answer at" : "The task:"
    return address !== null
      ? [`${where} ${address}`]
      : isQuestion
      ? ["Answer it in Troupe. The task waits for it."]
      : []
  }
  if (asked?.rows !== undefined) {
    return [...replyRules(asked.rows), ...(address === null ? [] : [`The task: ${address}`])]
  }
  return [
    isQuestion
      ? "Reply to this mail to answer. The task waits for it."
      : kind === "question"
      // A message of the agent, which waits for no answer.
      ? "Reply to this mail to write to the agent."
      : "Reply to this mail to continue the task.",
    ...(address === null ? [] : [`The task: ${address}`])
  ]
}

/** How a reply decides about the calls, and which no mail approves. */
const replyRules = (rows: ReadonlyArray<AskedRow>): ReadonlyArray<string> => {
  const isSingle = rows.length === 1
  const named = (which: (row: AskedRow) => boolean, words: string): ReadonlyArray<string> => {
    const places = rows.flatMap((row, at) => which(row) ? [at + 1] : [])
    return places.length === 0
      ? []
      : [`${isSingle ? "The call" : `Call ${places.join(", ")}`} ${words}: decide in the console.`]
  }
  return [
    isSingle
      ? "Reply to this mail with `approve` or `deny` as its first line. Any other reply is a message to the agent. The task waits."
      : "Reply to this mail with `approve` or `deny` as its first line, for all of the calls, or with some of their numbers, such as "
        + "`approve 1 2`. Any other reply is a message to the agent. The task waits.",
    ...named(({ isDestructive }) => isDestructive, "destroys something, which no mail approves"),
    ...named(({ isDestructive, isWhole }) => !isWhole && !isDestructive, "is not shown whole, so no mail approves it")
  ]
}

export interface NotificationPostOptions {
  readonly taskId: TaskId | null
  /** The platform's id of who must answer; null where it is clear. */
  readonly mention: string | null
  /** The conversation is about other things too, so the task is named. */
  readonly isNamed: boolean
  /** Where the task is in the console; null: not known. */
  readonly link: string | null
  /** Files that can't be shared, with the reason. */
  readonly notShared: ReadonlyArray<string>
}

/** Ten messages at most; the rest is in the task. */
const maxPostBody = 36_000

/** A notification as a message of the team chat. */
export const notificationMessageOf = (
  given: OutboxNotification,
  { isNamed, link: address, mention: user, notShared, taskId }: NotificationPostOptions
): ChatMessage => {
  const notification = saidOf(given)
  const { asked } = notification
  return {
    text: [
      ...(!isNamed ? [] : [bold(`${labelOf(notification)}: ${notification.title}`), "\n\n"]),
      ...(user === null ? [] : [mention(user), " "]),
      ...bodyOf(notification),
      ...notShared.map((why) => `\n\nNot attached: ${why}`),
      ...(address === null ? [] : ["\n\n", link(address, "Open the task")])
    ],
    buttons: asked === undefined || taskId === null ? [] : asked.rows === undefined
      ? choiceButtons(taskId, asked.call, asked.choices)
      : approvalButtons(taskId, asked, asked.rows)
  }
}

/** The question of a task, with the buttons that answer it. */
export const questionMessage = (
  { approvals, choices, id, last_tool_call_id: call, question }: Task
): ChatMessage => {
  const calls = call === null ? [] : askedCalls(call)
  const rows = calls.flatMap((one) => approvals.findLast(({ tool_call_id }) => tool_call_id === one) ?? [])
  return {
    text: [formatted(question ?? "", withChoices(question ?? "", choices))],
    buttons: call === null || rows.length < calls.length
      ? choiceButtons(id, call, choices)
      : approvalButtons(
        id,
        { call, choices },
        rows.map((row) => ({ approval: row.id, call: row.tool_call_id, isOpen: row.status === "open" }))
      )
  }
}

const choiceButtons = (taskId: TaskId, call: string | null, choices: ReadonlyArray<string>): ReadonlyArray<Button> =>
  choices.map((answer) => ({
    action: answerChoiceAction,
    label: answer,
    value: choiceValueText({ task_id: taskId, call, answer })
  }))

/** The platform shows at most so many. */
const maxButtons = 25

/** Buttons for all open calls of a question, and for each of several by its place. */
export const approvalButtons = (
  taskId: TaskId,
  { call, choices }: { readonly call: string; readonly choices: ReadonlyArray<string> },
  rows: ReadonlyArray<{ readonly approval: string; readonly call: string; readonly isOpen?: boolean }>
): ReadonlyArray<Button> => {
  const open = rows.flatMap((row, at) => row.isOpen === false ? [] : [{ ...row, place: at + 1 }])
  const [first] = open
  if (first === undefined) return []
  const isSingle = rows.length === 1
  const button = (label: string, answer: string, about: string, approval: string): Button => ({
    action: answerChoiceAction,
    label,
    value: choiceValueText({ task_id: taskId, call: about, answer, approval })
  })
  const all = choices.map((answer) =>
    button(isSingle ? answer : `${answer} all (${open.length})`, answer, call, first.approval)
  )
  const single = isSingle
    ? []
    : open.flatMap((row) => choices.map((answer) => button(`${answer} ${row.place}`, answer, row.call, row.approval)))
  const shown = open.length === 1 ? single : [...all, ...single]
  return isSingle || shown.length > maxButtons ? all : shown
}

/** The list of choices stays where the buttons do not show them whole. */
const bodyOf = ({ asked, body, end, kind }: OutboxNotification): ReadonlyArray<Piece> => {
  if (end?.by === "cancelled" && end.detail !== null) return [shortened(body, maxPostBody)]
  if (kind === "failure") return ["The task failed: ", shortened(body, maxPostBody)]
  if (kind === "alarm") return [shortened(body, maxPostBody)]
  if (kind === "reminder") return [typedLines(shortened(body, maxPostBody))]
  const list = choiceList(asked?.choices ?? [])
  const alone = body.endsWith(list) ? body.slice(0, body.length - list.length) : body
  return [formatted(shortened(alone, maxPostBody), shortened(body, maxPostBody))]
}
