import { SqlClient } from "@effect/sql/SqlClient"
import { systemUser, TaskId, UserId } from "@troupe/domain/Ids"
import { mailboxOf, MailReplyJson } from "@troupe/domain/Mailbox"
import { isNamed } from "@troupe/domain/SeenContext"
import { TaskSourceKind, TaskType, ToolAccess } from "@troupe/domain/Task"
import { ChatReplyJson, threadHalves } from "@troupe/domain/TeamChat"
import { addressesIn, comparable, trustedTexts } from "@troupe/domain/TrustedText"
import { Effect, Either, Layer, Option, Schema } from "effect"
import { posix } from "node:path"
import { Senders } from "../../People/Team/Senders.ts"
import { rowsOf } from "../../Runtime/Database/Query.ts"
import { MailRecipients } from "../../Tool/MailRecipients.ts"
import { Journal } from "../Journal/Journal.ts"

/**
 * Recipients that need no approval: the creator and the assignee, known people, addresses in trusted texts of the task,
 * participants of the mail that began it, and `domains`. A model writes the description of a subtask, so the texts of its
 * parent count instead.
 */
export const MailRecipientsLayer = (
  options: { readonly domains: ReadonlyArray<string> }
): Layer.Layer<MailRecipients, never, Journal | Senders | SqlClient> =>
  Layer.effect(
    MailRecipients,
    Effect.gen(function*() {
      const journal = yield* Journal
      const senders = yield* Senders
      const sql = yield* SqlClient

      const isPerson = (task: typeof MailTask.Type, address: string) =>
        Effect.map(
          senders.find(address),
          Option.exists(({ id, isKnown }) => isKnown || id === task.creator || id === task.assignee)
        )

      const namedIn = (task: typeof MailTask.Type) =>
        Effect.map(journal.read(task.id, 0), (steps) => {
          const texts = trustedTexts(task, steps.map(({ step }) => step))
          return { texts, addresses: new Set(texts.flatMap((text) => [...addressesIn(text)])) }
        })

      /** A channel of the chat with guests, or with nobody who is known. A direct conversation is no channel. */
      const hasGuests = (channel: string) =>
        Effect.map(
          guests(
            sql`select not exists (select from channel_members m where m.channel_id = c.channel_id) or exists (
  select from channel_members m join users u on u.id = m.user_id
  where m.channel_id = c.channel_id and u.is_guest and not 'email' = any(u.overrides)
    and not exists (select from team_members t where t.user_id = u.id)
) as has_guests from channels c where c.channel_id = ${channel}`
          ),
          ([found]) => found?.has_guests === true
        )

      return MailRecipients.of({
        checkPost: Effect.fn("MailRecipients.checkPost")(function*(taskId, file) {
          const [task] = yield* mailTasks(mailTaskOf(sql, taskId))
          if (task === undefined) return { mayAsk: false, leaves: true }
          const conversation = task.replyChannel === "chat" ? chatChannelOf(task.replyTo) : null
          const isOpen = conversation !== null && (yield* hasGuests(conversation))
          return {
            mayAsk: mayAsk(task),
            leaves: isOpen && !namesFile((yield* namedIn(task)).texts, file)
          }
        }),
        check: Effect.fn("MailRecipients.check")(function*(taskId, addresses, files) {
          const [task] = yield* mailTasks(mailTaskOf(sql, taskId))
          if (task === undefined) return { unexpected: addresses, mayAsk: false, leaves: true }
          const { addresses: named, texts } = yield* namedIn(task)
          const participants = participantsOf(task)
          const others = yield* Effect.filter(addresses, (given) => isPerson(task, comparable(given)), { negate: true })
          const unnamed = others.map(comparable).filter((address) => !named.has(address))
          const unexpected = others.filter((given) => {
            const address = comparable(given)
            return unnamed.includes(address) && !options.domains.includes(domainOf(address)) &&
              !participants.includes(address)
          })
          const areFilesNamed = files.every((path) => namesFile(texts, path))
          return {
            unexpected,
            mayAsk: mayAsk(task),
            leaves: others.length > 0 && !(unnamed.length === 0 && areFilesNamed)
          }
        })
      })
    })
  )

const decodeChatReply = Schema.decodeOption(ChatReplyJson)

const chatChannelOf = (replyTo: string | null): string | null =>
  Option.match(decodeChatReply(replyTo ?? ""), {
    onNone: () => null,
    onSome: ({ thread }) => threadHalves(thread).channel
  })

const guests = rowsOf(Schema.Struct({ has_guests: Schema.Boolean }).annotations({ identifier: "ChannelGuests" }))

/** By its path or its name alone. */
const namesFile = (texts: ReadonlyArray<string>, path: string): boolean =>
  isNamed({ texts }, path) || isNamed({ texts }, posix.basename(path))

const domainOf = (address: string): string => address.slice(address.indexOf("@") + 1)

/** Webhooks and their like have the system as creator, and subagents can't ask. */
const mayAsk = ({ assignee, creator, toolAccess, type }: typeof MailTask.Type): boolean =>
  type === "task" && toolAccess === "all" && (assignee ?? creator) !== systemUser

const decodeReply = Schema.decodeOption(MailReplyJson)

/** Of the mail that made the task. An answer by mail goes to its sender, who is the creator. */
const participantsOf = ({ replyChannel, replyTo, toolAccess }: typeof MailTask.Type): ReadonlyArray<string> =>
  replyChannel !== "email" || replyTo === null || toolAccess !== "all"
    ? []
    : Option.match(decodeReply(replyTo), {
      onNone: () => [],
      onSome: ({ participants = [] }) =>
        participants.flatMap((text) =>
          Either.match(mailboxOf(text), { onLeft: () => [], onRight: ({ address }) => [comparable(address)] })
        )
    })

/** The task, or the parent of a subtask; `type` is the type of the task itself. */
const MailTask = Schema.Struct({
  id: TaskId,
  type: TaskType,
  creator: UserId,
  assignee: Schema.NullOr(UserId),
  /** Null of a continuation: a person has written its request, whatever made the earlier task. */
  source: Schema.NullOr(TaskSourceKind),
  title: Schema.NullOr(Schema.String),
  description: Schema.String,
  toolAccess: ToolAccess,
  replyChannel: Schema.NullOr(Schema.String),
  replyTo: Schema.NullOr(Schema.String)
}).annotations({ identifier: "MailTask" })

const mailTasks = rowsOf(MailTask)

const mailTaskOf = (sql: SqlClient, id: TaskId) =>
  sql`select r.id::text, t.task_type as type, r.creator,
  case when not r.assigned_by_answer then r.assignee end as assignee,
  case when r.continued_from is null then r.source end as source, r.title, r.description,
  r.tool_access as "toolAccess", r.reply_channel as "replyChannel", r.reply_to as "replyTo"
from tasks t join tasks r on r.id = coalesce(t.parent_task_id, t.id) where t.id = ${id}::uuid`
