import { approvalReplyIn, decisionsOf, type ReplyRow } from "@troupe/domain/ApprovalReply"
import { isShownWhole } from "@troupe/domain/AskedText"
import { defaultUser } from "@troupe/domain/Ids"
import { TaskStateConflict } from "@troupe/domain/Task"
import { shortened } from "@troupe/domain/Text"
import { Effect, Option } from "effect"
import { mailPayloadText, plainName } from "../../Delivery/MailChannel.ts"
import { newOutboxId, Outbox } from "../../Delivery/Outbox.ts"
import { Sandbox } from "../../File/Sandbox.ts"
import type { Sender } from "../../People/Team/Senders.ts"
import { mayDecide } from "../../Policy/ApprovalRights.ts"
import { taskAddress } from "../../Runtime/PublicAddress.ts"
import { via } from "../../Task/Command/CurrentVia.ts"
import { type AskedRow, TaskThreads, type ThreadTask } from "../../Task/Read/TaskThreads.ts"
import { Tasks } from "../../Task/UseCase/Tasks.ts"
import type { ParsedMail } from "../../Wire/MailParser.ts"
import { saveAttachments } from "./MailAttachments.ts"
import type { AuthoredMail, MailPlan } from "./MailPlan.ts"
import { replyOf } from "./MailText.ts"
import type { MailText } from "./OwnWords.ts"

interface Services {
  /** Where people open the console; null: nowhere that is known. */
  readonly console: URL | null
  /** Whether the sender may change the task. */
  readonly mayWrite: (sender: Sender, task: ThreadTask) => boolean
  readonly ownText: (mail: ParsedMail) => Effect.Effect<MailText>
}

const maxReason = 4_000

/** Plans replies that decide about calls of a task. What they don't decide is said to their sender in a mail. */
export const makeMailApprovals = ({ console, mayWrite, ownText }: Services) =>
  Effect.gen(function*() {
    const outbox = yield* Outbox
    const sandbox = yield* Sandbox
    const tasks = yield* Tasks
    const threads = yield* TaskThreads

    const tell = Effect.fnUntraced(
      function*({ address, mail }: AuthoredMail, sender: Sender, task: ThreadTask, lines: ReadonlyArray<string>) {
        const where = console === null ? "in the console" : `at ${taskAddress(console, task.id)}`
        yield* outbox.enqueue([{
          id: yield* newOutboxId,
          channel: "email",
          recipient: address,
          kind: "reply",
          user_id: sender.id,
          task_id: task.id,
          payload: mailPayloadText({
            to: [{
              address,
              name: plainName(Option.match(mail.from, { onNone: () => "", onSome: ({ name }) => name }))
            }],
            cc: [],
            subject: shortened(`Re: ${mail.subject.replace(/^(?:re:\s*)+/i, "").replaceAll(/\p{C}+/gu, " ")}`, 200),
            body: `Your reply did not decide about all of the task's calls.\n\n${
              lines.slice(0, 20).map((line) => `- ${line}`).join("\n")
            }\n\nSee what is open and decide ${where}`,
            attachments: []
          })
        }])
      }
    )

    /** Null: the reply decides about no call that asks. */
    const planOf = Effect.fnUntraced(function*(
      content: AuthoredMail,
      sender: Sender,
      task: ThreadTask
    ): Effect.fn.Return<MailPlan | null> {
      const asked = yield* threads.askedIn(task)
      const rows = asked.map((row) => replyRowOf(row, asked.length === 1, sender, task))
      if (!rows.some(({ isAllowed }) => isAllowed)) return null
      const text = yield* ownText(content.mail)
      const reply = approvalReplyIn(text.own)
      if (reply === null) return null
      const { decisions, left } = task.has_question
        ? decisionsOf(reply, rows)
        : { decisions: [], left: ["It answers another mail than the one that asks. Reply to that one."] }
      const isTheirs = mayWrite(sender, task)
      const reason = reply.rest === "" ? null : shortened(reply.rest, maxReason)
      const hasMessage = isTheirs && decisions.some(({ approves }) => approves) &&
        (reply.rest !== "" || content.mail.attachments.length > 0)
      const message = hasMessage
        ? replyOf({ ...text, own: reply.rest }, yield* saveAttachments(sandbox, content, task.creator))
        : null
      const by = Option.some(sender.id)
      return {
        outcome: "answer",
        code: null,
        reason: null,
        act: Effect.gen(function*() {
          if (decisions.length > 0) {
            yield* tasks.decide(
              task.id,
              decisions.map(({ approves, call }) => ({
                tool_call_id: call,
                decision: approves ? "approve" : "deny",
                ...(reason === null || (approves && isTheirs) ? {} : { reason })
              })),
              by
            ).pipe(
              // Somebody has decided since the plan was made: the next attempt reads the calls again.
              Effect.catchTag(
                "ApprovalDecided",
                ({ message }) =>
                  new TaskStateConflict({ id: task.id, status: task.status, wanted: message.replace(/\.$/, "") })
              )
            )
          }
          if (message !== null) {
            yield* tasks.message(task.id, message, by, { mayContinue: false, approves: false, call: null })
          }
          if (left.length > 0) yield* tell(content, sender, task, left)
        }).pipe(via("email"))
      }
    })
    return { planOf }
  })

const replyRowOf = (row: AskedRow, isAlone: boolean, sender: Sender, task: ThreadTask): ReplyRow => ({
  call: row.tool_call_id,
  isOpen: row.status === "open",
  isDestructive: row.class === "destructive",
  isWhole: isShownWhole(row, isAlone),
  isAllowed: mayDecide(row, task, {
    by: sender.id === defaultUser ? null : sender.id,
    role: sender.role,
    isProgram: false
  })
})
