import { fence } from "@troupe/domain/Fence"
import { mentionedUsers } from "../../Wire/MrkdwnText.ts"
import type { ReceivedFiles } from "../ReceivedFiles.ts"
import type { Message } from "./ChatEvent.ts"

/** Of a message that comes with and without the platform's own mark, both are mentions. */
export const isMention = ({ isDirect, isMention, text }: Message, ourselves: ReadonlyArray<string>): boolean =>
  isMention || (!isDirect && mentionedUsers(text).some((id) => ourselves.includes(id)))

export const replyTo = ({ channel, threadTs, ts, user }: Message) => ({ channel, thread_ts: threadTs ?? ts, user })

export const attached = ({ paths }: ReceivedFiles): ReadonlyArray<string> =>
  paths.length === 0
    ? []
    : [`Files that came with this message, for read_document:\n${fence("attachments", paths.join("\n"))}`]

export const leftOut = ({ leftOut }: ReceivedFiles): ReadonlyArray<string> =>
  leftOut.length === 0
    ? []
    : [
      `Files that came with the message and could not be taken:\n${
        fence("left_out", leftOut.map(({ name, reason }) => `${name}: ${reason}`).join("\n"))
      }`
    ]
