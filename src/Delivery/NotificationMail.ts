import type { TaskId } from "@troupe/domain/Ids"
import type { MailReply } from "@troupe/domain/MailReply"
import type { NotificationKind } from "@troupe/domain/Notification"
import { headOf, shortened } from "@troupe/domain/ToolResult"
import { mailTextOf } from "./MailText.ts"
import type { OutboxNotice } from "./OutboxChannel.ts"
import { taskAddress } from "./TaskAddress.ts"

export interface NotificationMailOptions {
  readonly publicUrl: URL
  /** Whether the service reads the answers to its mails. */
  readonly readsAnswers: boolean
}

const maxBody = 200_000

const labels: Record<NotificationKind, string> = {
  completion: "Done",
  question: "Question",
  failure: "Failed",
  reminder: "Reminder"
}

/** Subject and text of a notification; `missing` are files that can't be attached. */
export const notificationMailOf = (
  notice: OutboxNotice,
  taskId: TaskId | null,
  reply: MailReply | null,
  missing: ReadonlyArray<string>,
  options: NotificationMailOptions
) => {
  const body = [
    shortened(notice.body, maxBody),
    ...(missing.length === 0 ? [] : [`Not attached, because the files are gone or too large: ${missing.join(", ")}`])
  ].join("\n\n")
  const { html, text } = mailTextOf(body)
  const footer = taskId === null ? [] : footerOf(notice.kind, taskId, options)
  return {
    subject: oneLine(
      reply === null ? `${labels[notice.kind]}: ${notice.title}` : `Re: ${reply.subject.replace(/^(?:re:\s*)+/i, "")}`
    ),
    text: footer.length === 0 ? text : `${text}\n\n-- \n${footer.join("\n")}\n`,
    html: footer.length === 0 ? html : `${html}<hr>\n${footer.map((line) => mailTextOf(line).html).join("")}`
  }
}

const footerOf = (kind: NotificationKind, taskId: TaskId, { publicUrl, readsAnswers }: NotificationMailOptions) => [
  ...(readsAnswers
    ? [
      kind === "question"
        ? "Reply to this mail to answer. The task waits for it."
        : "Reply to this mail to continue the task."
    ]
    : []),
  `${kind === "question" && !readsAnswers ? "Answer at" : "The task:"} ${taskAddress(publicUrl, taskId)}`
]

const oneLine = (text: string): string => headOf(text.replace(/[\p{C}\s\u2028\u2029]+/gu, " ").trim(), 200)
