import { TaskStateConflict } from "@troupe/domain/Task"
import { isTerminal } from "@troupe/domain/TaskState"
import { ChatReplyJson } from "@troupe/domain/TeamChat"
import { Effect, Option, Schema } from "effect"
import { Reminders } from "../../Delivery/Reminders.ts"
import { Sandbox } from "../../File/Sandbox.ts"
import { UserRepo } from "../../People/User/UserRepo.ts"
import { via } from "../../Task/Command/CurrentVia.ts"
import { TaskCommands } from "../../Task/Command/TaskCommands.ts"
import type { ThreadTask } from "../../Task/Read/TaskThreads.ts"
import type { ReceivedFiles } from "../ReceivedFiles.ts"
import { saveAttachments } from "./MailAttachments.ts"
import { type AuthoredMail, leave, type MailPlan, saidNothing } from "./MailPlan.ts"
import { recipientReplyOf } from "./MailText.ts"
import { type MailText, saysNothing, splitText } from "./OwnWords.ts"

/**
 * Plans for replies of recipients to an agent's mails, which give no right to the task: the agent reads a reply as data,
 * and it neither answers a question nor starts a task.
 */
export const makeGuestReplies = Effect.gen(function*() {
  const commands = yield* TaskCommands
  const reminders = yield* Reminders
  const sandbox = yield* Sandbox
  const users = yield* UserRepo

  /** Notifies the task's user: in the feed, by `notify_by`, and in the task's thread of the team chat. */
  const notify = (task: ThreadTask, { address, mail }: AuthoredMail, text: MailText, files: ReceivedFiles) =>
    Effect.flatMap(
      users.find(task.assignee ?? task.creator),
      Option.match({
        onNone: () => Effect.void,
        onSome: (user) =>
          reminders.send({
            user,
            taskId: task.id,
            title: `Answer from ${address}: ${mail.subject}`.slice(0, 200),
            body: reminderBodyOf(task, address, text, files),
            postedTo: Option.getOrNull(
              Option.map(Option.flatMap(Option.fromNullable(task.reply_to), decodeReply), ({ thread }) => thread)
            ),
            repeatedBy: null,
            label: "Mail"
          })
      })
    )

  const pass = (task: ThreadTask, name: string, text: string) =>
    Effect.filterOrFail(
      via("email")(commands.steer(task.id, text, null, { fromOutside: true, name })),
      (isSent) => isSent,
      () => new TaskStateConflict({ id: task.id, status: task.status, wanted: "it takes no message now" })
    )

  return Effect.fnUntraced(function*(content: AuthoredMail, task: ThreadTask): Effect.fn.Return<MailPlan> {
    const { address, mail } = content
    const text = yield* splitText(mail, true)
    if (saysNothing(text, content)) return leave("ignored", saidNothing)
    const isFinished = isTerminal(task.status)
    const files = isFinished ? unsaved(content) : yield* saveAttachments(sandbox, content, task.creator)
    const notified = isFinished || task.status === "waiting_input" ? notify(task, content, text, files) : Effect.void
    const passed = isFinished ? Effect.void : pass(task, address, recipientReplyOf(address, text, files))
    return {
      outcome: "message",
      code: null,
      reason: isFinished ? `task ${task.id} is finished: its user is notified` : null,
      act: Effect.zipRight(passed, notified)
    }
  })
})

const decodeReply = Schema.decodeOption(ChatReplyJson)

const unsaved = ({ mail: { attachments } }: AuthoredMail): ReceivedFiles => ({
  paths: [],
  leftOut: attachments.map(({ filename }) => ({ name: filename ?? "a file", reason: "the task is finished" }))
})

const maxShown = 4_000

const reminderBodyOf = (
  { status, title }: ThreadTask,
  address: string,
  { enclosed, own }: MailText,
  { leftOut, paths }: ReceivedFiles
): string => {
  const said = [own, enclosed].filter((text) => text !== "").join("\n\n")
  return [
    `${address} has answered a mail of the task “${title}”${
      isTerminal(status)
        ? ", which is finished. Continue the task if there is more to do."
        : ", which waits for your answer. The agent reads it after that."
    }`,
    ...(said === "" ? [] : [said.slice(0, maxShown).split("\n").map((line) => `> ${line}`).join("\n")]),
    ...(paths.length === 0 ? [] : [`Files: ${paths.join(", ")}`]),
    ...(leftOut.length === 0
      ? []
      : [`Left out: ${leftOut.map(({ name, reason }) => `${name} (${reason})`).join(", ")}`])
  ].join("\n\n")
}
