import { CurrentUser } from "@troupe/api/Authentication"
import { MailReplyJson, mailReplyText } from "@troupe/domain/Mailbox"
import { isTerminal } from "@troupe/domain/TaskState"
import { Effect, Option, Schema } from "effect"
import type { Claim } from "../../Agent/Definition/AgentClaims.ts"
import { Agents } from "../../Agent/Definition/Agents.ts"
import { Sandbox } from "../../File/Sandbox.ts"
import { type Sender, Senders } from "../../People/Team/Senders.ts"
import { via } from "../../Task/Command/CurrentVia.ts"
import { TaskThreads, type ThreadTask } from "../../Task/Read/TaskThreads.ts"
import { type TaskRequest, Tasks } from "../../Task/UseCase/Tasks.ts"
import { continuing } from "../../Task/UseCase/TaskSubmission.ts"
import type { ParsedMail } from "../../Wire/MailParser.ts"
import { makeMailApprovals } from "./MailApprovals.ts"
import { saveAttachments } from "./MailAttachments.ts"
import { type AuthoredMail, leave, type MailPlan, saidNothing } from "./MailPlan.ts"
import { isApproval, mailContextOf, mailReplyOf, messageOf, participantsOf, replyOf } from "./MailText.ts"
import { type MailText, ownSubject, requestOf, saysNothing, splitText } from "./OwnWords.ts"

/** Turns a mail into a new task, or into an answer, a message or a continuation of the task whose thread it is in. */
export const makeMailPlans = (
  { console, ownAddresses }: { readonly console: URL | null; readonly ownAddresses: ReadonlyArray<string> }
) =>
  Effect.gen(function*() {
    const sandbox = yield* Sandbox
    const { mayContinue } = yield* Senders
    const tasks = yield* Tasks
    const threads = yield* TaskThreads
    const agentOf = yield* makeMailAgents

    const submit = Effect.fnUntraced(
      function*(
        content: AuthoredMail,
        sender: Sender,
        text: MailText,
        earlier: Option.Option<ThreadTask>
      ): Effect.fn.Return<MailPlan> {
        const { address, mail } = content
        const { leftOut, paths } = yield* saveAttachments(sandbox, content, sender.id)
        const previous = Option.getOrUndefined(earlier)
        // A later mail of the thread may name whom the agent has written to, or who was added to its mails.
        const participants = previous === undefined ? participantsOf(mail) : participantsOfThread(previous)
        const { agent, claim } = yield* agentOf(mail, ownAddresses)
        const request: TaskRequest = {
          ...previous === undefined ? { agent } : continuing(previous),
          message: messageOf(mail, text),
          user_id: sender.id,
          title: requestOf(mail, text) === null ? "Mail without a request" : ownSubject(mail, text)?.slice(0, 200),
          attachments: paths,
          source: {
            kind: "email",
            claim,
            context: mailContextOf(mail, text, leftOut, sender.isKnown),
            shown: text.hasOthers || text.hidden !== ""
              ? { outside: "what a mail quotes, forwards or hides", private: true }
              : {},
            isAnsweredOnce: !sender.isKnown,
            toolAccess: requestOf(mail, text) === null ? "read" : sender.isKnown ? "all" : "own",
            reply: { channel: "email", to: mailReplyText(mailReplyOf(mail, address, participants)) },
            threads: mail.messageId === null ? [] : [mail.messageId]
          }
        }
        return {
          outcome: Option.isSome(earlier) ? "continuation" : "task",
          code: null,
          reason: null,
          // A continuation contains of the earlier task what its sender may read.
          act: tasks.submit(request).pipe(
            Effect.provideService(CurrentUser, sender.caller),
            Effect.catchTag("IdempotencyConflict", Effect.die)
          )
        }
      }
    )

    /** Whether the mail that it answers is one of a task, and not the one that made the task: that may be of others. */
    const answersOurs = ({ references }: ParsedMail) => {
      const parent = references.slice(-1)
      return Effect.map(
        threads.find("email", parent),
        Option.exists(({ reply_to }) =>
          !Option.exists(decodeReply(reply_to ?? ""), ({ messageId }) => messageId === parent[0])
        )
      )
    }

    const ownText = (mail: ParsedMail) => Effect.flatMap(answersOurs(mail), (isAnswer) => splitText(mail, isAnswer))
    const approvals = yield* makeMailApprovals({ console, mayWrite, ownText })

    const replyIn = Effect.fnUntraced(
      function*(content: AuthoredMail, found: Option.Option<Sender>, task: ThreadTask): Effect.fn.Return<MailPlan> {
        const isFinished = isTerminal(task.status)
        const approval = Option.isNone(found) ? null : yield* approvals.planOf(content, found.value, task)
        if (approval !== null) return approval
        const sender = Option.filter(found, (one) => mayWrite(one, task) || (isFinished && mayContinue))
        if (Option.isNone(sender)) {
          return leave("refused", {
            code: "not_allowed",
            words: `its sender has no right to task ${task.id}, which it answers`
          })
        }
        const text = yield* ownText(content.mail)
        if (saysNothing(text, content)) return leave("ignored", saidNothing)
        if (isFinished) return yield* submit(content, sender.value, text, Option.some(task))
        const message = replyOf(text, yield* saveAttachments(sandbox, content, task.creator))
        return {
          outcome: task.status === "waiting_input" ? "answer" : "message",
          code: null,
          reason: null,
          // A task that ends before this is continued by the next attempt, with what else the mail says and may.
          act: Effect.zipRight(
            tasks.message(task.id, message, Option.some(sender.value.id), {
              mayContinue: false,
              approves: task.has_question && isApproval(text),
              call: task.status === "waiting_input" ? task.call : null
            }).pipe(via("email")),
            sender.value.id === task.creator
              ? threads.allowReply(task.id, sender.value.isKnown ? "any number" : "one more")
              : Effect.void
          )
        }
      }
    )

    return {
      /** None: it answers no mail of a task. */
      reply: Effect.fnUntraced(function*(content: AuthoredMail, sender: Option.Option<Sender>) {
        const task = yield* threads.find("email", content.mail.references)
        return yield* Effect.transposeMapOption(task, (one) => replyIn(content, sender, one))
      }),
      task: Effect.fnUntraced(function*(content: AuthoredMail, sender: Sender) {
        const { mail } = content
        const text = yield* splitText(mail, false)
        const isEmpty = mail.subject === "" && text.rest === "" && saysNothing(text, content)
        return isEmpty ? leave("ignored", saidNothing) : yield* submit(content, sender, text, Option.none())
      })
    }
  })

const decodeReply = Schema.decodeOption(MailReplyJson)

const participantsOfThread = ({ reply_to }: ThreadTask): ReadonlyArray<string> =>
  Option.match(decodeReply(reply_to ?? ""), { onNone: () => [], onSome: ({ participants = [] }) => participants })

const mayWrite = ({ id, role }: Sender, { assignee, creator }: ThreadTask): boolean =>
  id === creator || id === assignee || role !== "member"

interface ForAgent {
  readonly agent: string | null
  readonly claim: Claim
}

/** The agent that a mail is for: `troupe+sales@...` names it. A name that no agent has counts as no name. */
export const makeMailAgents = Effect.map(
  Agents,
  (agents) => (mail: ParsedMail, ownAddresses: ReadonlyArray<string>): Effect.Effect<ForAgent> => {
    const delivered = deliveredTo(mail)
    const all = [...new Set([...delivered, ...[...mail.to, ...mail.cc].map(({ address }) => address.toLowerCase())])]
    const tagged = all.flatMap((address) => {
      const { base, tag } = splitTag(address)
      const isOurs = ownAddresses.length === 0 || ownAddresses.includes(base) || delivered.includes(address)
      return tag === "" || !isOurs ? [] : [tag]
    })
    const names = [...new Set(all.flatMap((address) => [address, splitTag(address).base]))]
    return Effect.map(
      Effect.forEach(tagged, (tag) => Effect.option(agents.find(tag))),
      (found) => ({
        agent: Option.match(Option.firstSomeOf(found), { onNone: () => null, onSome: ({ name }) => name }),
        claim: { field: "mailboxes", names }
      })
    )
  }
)

const splitTag = (address: string): { readonly base: string; readonly tag: string } => {
  const [local = "", domain = ""] = address.split("@")
  const plus = local.indexOf("+")
  return plus <= 0
    ? { base: address, tag: "" }
    : { base: `${local.slice(0, plus)}@${domain}`, tag: local.slice(plus + 1) }
}

/** In which mail servers write whom they delivered a mail to, whatever it says of itself. */
const deliveryHeaders = new Set(["delivered-to", "envelope-to", "x-delivered-to", "x-envelope-to", "x-original-to"])

const deliveredTo = ({ headers }: ParsedMail): ReadonlyArray<string> =>
  headers.filter(({ name }) => deliveryHeaders.has(name)).map(({ value }) =>
    value.trim().replace(/^<|>$/g, "").toLowerCase()
  )
