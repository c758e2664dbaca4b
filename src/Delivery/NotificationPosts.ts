import type { ChatPost } from "@troupe/domain/ChatPost"
import type { TaskId } from "@troupe/domain/Ids"
import type { NotificationKind } from "@troupe/domain/Notification"
import { shortened } from "@troupe/domain/ToolResult"
import { escaped, mrkdwnOf } from "../Wire/Mrkdwn.ts"
import { splitMessage } from "../Wire/MrkdwnText.ts"
import { choiceBlocks, maxSection, section } from "./ChatBlocks.ts"
import type { OutboxNotice } from "./OutboxChannel.ts"

export interface NotificationPostOptions {
  readonly taskId: TaskId | null
  /** The platform's id of who must answer; null where it is clear. */
  readonly mention: string | null
  /** The conversation is about other things too, so the task is named, with its address. */
  readonly link: string | null
  /** Files that can't be shared, with the reason. */
  readonly notShared: ReadonlyArray<string>
}

/** Ten messages at most; the rest is in the task. */
const maxBody = 36_000

const labels: Record<NotificationKind, string> = {
  completion: "Done",
  question: "Question",
  failure: "Failed",
  reminder: "Reminder"
}

/** A notification as messages of the chat platform, in their order. */
export const notificationPostsOf = (
  notice: OutboxNotice,
  options: NotificationPostOptions
): ReadonlyArray<ChatPost> => {
  const { link, mention, notShared, taskId } = options
  const { asked } = notice
  const buttons = asked === undefined || taskId === null ? [] : choiceBlocks({ taskId, ...asked })
  const text = [
    ...(link === null ? [] : [`*${labels[notice.kind]}: ${escaped(notice.title)}*`]),
    `${mention === null ? "" : `<@${mention}> `}${bodyOf(notice, buttons.length > 0)}`,
    ...notShared.map((why) => `Not attached: ${escaped(why)}`),
    ...(link === null ? [] : [`<${escaped(link)}|Open the task>`])
  ].join("\n\n")
  const parts = splitMessage(text, buttons.length > 0 ? maxSection : undefined)
  return parts.map((part, at) =>
    buttons.length > 0 && at === parts.length - 1 ? { text: part, blocks: [section(part), ...buttons] } : { text: part }
  )
}

const bodyOf = ({ asked, body, kind }: OutboxNotice, hasButtons: boolean): string => {
  if (kind === "failure") return `The task failed: ${escaped(shortened(body, maxBody))}`
  const list = hasButtons ? (asked?.choices ?? []).map((choice) => `\n- ${choice}`).join("") : ""
  return mrkdwnOf(shortened(body.endsWith(list) ? body.slice(0, body.length - list.length) : body, maxBody))
}
