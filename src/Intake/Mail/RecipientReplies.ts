import { TaskStateConflict } from "@troupe/domain/Task"
import { isTerminal } from "@troupe/domain/TaskState"
import { ChatReplyJson } from "@troupe/domain/TeamChat"
import { Context, Effect, Layer, Option, Schema } from "effect"
import { Reminders } from "../../Delivery/Reminders.ts"
import { Sandbox } from "../../File/Sandbox.ts"
import { UserRepo } from "../../People/UserRepo.ts"
import { TaskCommands } from "../../Task/TaskCommands.ts"
import { TaskThreads, type ThreadTask } from "../../Task/TaskThreads.ts"
import type { ReceivedFiles } from "../ReceivedFiles.ts"
import { saveAttachments } from "./MailAttachments.ts"
import { leave, type MailContent, type MailPlan } from "./MailPlans.ts"
import { type MailText, recipientReplyOf, saysNothing, splitText } from "./MailText.ts"

/**
 * Replies of recipients to an agent's mails. They give no right to the task: the agent reads a reply as data, and it
 * neither answers a question nor starts a task.
 */
export class RecipientReplies extends Context.Tag("troupe/Intake/Mail/RecipientReplies")<RecipientReplies, {
  /** The task that the mail replies to; none: no mail to its sender is among those that it answers. */
  readonly find: (
    references: ReadonlyArray<string>,
    address: string
  ) => Effect.Effect<Option.Option<ThreadTask>>
  readonly plan: (content: MailContent, task: ThreadTask) => Effect.Effect<MailPlan>
}>() {
  static readonly layer: Layer.Layer<
    RecipientReplies,
    never,
    Reminders | Sandbox | TaskCommands | TaskThreads | UserRepo
  > = Layer.effect(
    this,
    Effect.gen(function*() {
      const commands = yield* TaskCommands
      const reminders = yield* Reminders
      const sandbox = yield* Sandbox
      const threads = yield* TaskThreads
      const users = yield* UserRepo

      /** Where the user sees it: in the feed, by the ways that the user wants, and in the task's chat thread. */
      const notify = (task: ThreadTask, { address, mail }: MailContent, text: MailText, files: ReceivedFiles) =>
        Effect.flatMap(
          users.find(task.assignee ?? task.creator),
          Option.match({
            onNone: () => Effect.void,
            onSome: (user) =>
              reminders.send({
                user,
                title: `Answer from ${address}: ${mail.subject}`.slice(0, 200),
                body: reminderBodyOf(task, address, text, files),
                postedTo: Option.getOrNull(Option.flatMap(Option.fromNullable(task.reply_to), decodeReply)),
                repeatedBy: null,
                label: "Mail"
              })
          })
        )

      const pass = (task: ThreadTask, text: string) =>
        Effect.filterOrFail(
          commands.steer(task.id, text, null, { whileAsking: true }),
          (isSent) => isSent,
          () => new TaskStateConflict({ id: task.id, status: task.status, wanted: "it takes no message now" })
        )

      return RecipientReplies.of({
        find: (references, address) => threads.findAddressed(references, address),
        plan: Effect.fnUntraced(function*(content, task) {
          const { address, mail } = content
          const text = yield* splitText(mail)
          if (saysNothing(text, content)) return leave("ignored", "it has no text of its own")
          const isOver = isTerminal(task.status)
          const files = isOver ? unsaved(content) : yield* saveAttachments(sandbox, content, task.creator)
          const notified = isOver || task.status === "waiting_input" ? notify(task, content, text, files) : Effect.void
          const passed = isOver ? Effect.void : pass(task, recipientReplyOf(address, text, files))
          return {
            outcome: "message",
            reason: isOver ? `task ${task.id} is finished: its user is notified` : null,
            act: Effect.zipRight(passed, notified)
          } satisfies MailPlan
        })
      })
    })
  )
}

const decodeReply = Schema.decodeOption(ChatReplyJson)

const unsaved = ({ mail: { attachments } }: MailContent): ReceivedFiles => ({
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
