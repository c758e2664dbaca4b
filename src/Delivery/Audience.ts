import { deliveryWays, notifyAddresses, type NotifyWay, notifyWays, type ReplyWay } from "@troupe/domain/DeliveryWay"
import { Schema } from "effect"
import { addressOf } from "../People/User/Addresses.ts"

/** What decides whom the notifications of a task reach and by which ways, as the database has it now. */
export interface Audience {
  readonly creator: string
  readonly assignee: string | null
  /** The assignee only answered a question. */
  readonly assigned_by_answer: boolean
  /** Where the task came from. */
  readonly reply_channel: ReplyWay | null
  readonly reply_to: string | null
  /** The creator is an unknown sender, who gets as many mails as they sent. */
  readonly counts_replies: boolean
  /** The creator and the assignee, as far as they are users. */
  readonly people: ReadonlyArray<Contacts>
}

/** By which ways a user wants to be notified, and where. */
export const Contacts = Schema.Struct({
  id: Schema.String,
  role: Schema.optional(Schema.String),
  notify_by: Schema.Array(Schema.String),
  addresses: Schema.Record({ key: Schema.String, value: Schema.NullOr(Schema.String) })
})
export type Contacts = typeof Contacts.Type

/** The `Contacts` of a row of users, as jsonb. */
export const contactsOf = (user: string): string =>
  `jsonb_build_object('id', ${user}.id, 'role', ${user}.role, 'notify_by', ${user}.notify_by, 'addresses', jsonb_build_object(${
    notifyAddresses.map(([way, field]) => `'${way}', ${addressOf(user, field)}`).join(", ")
  }))`

/** Where a row of tasks came from, as jsonb. */
const placeOf = (task: string): string =>
  `jsonb_build_object('reply_channel', ${task}.reply_channel, 'reply_to', ${task}.reply_to,
    'counts_replies', ${task}.replies_left is not null)`

const peopleOf = (task: string, assignedByAnswer: string): string =>
  `jsonb_build_object('creator', ${task}.creator, 'assignee', ${task}.assignee,
    'assigned_by_answer', ${assignedByAnswer}, 'people', coalesce((
      select jsonb_agg(${contactsOf("u")} order by u.id) from users u
      where u.id = any(array[${task}.creator, ${task}.assignee])), '[]'))`

/** The `Audience` of a row of tasks, as jsonb. A subtask came from where the task came from that dispatched it. */
export const audienceOf = (task: string): string =>
  `(${peopleOf(task, `${task}.assigned_by_answer`)} || case when ${task}.parent_task_id is null then ${placeOf(task)}
    else coalesce((select ${placeOf("p")} from tasks p where p.id = ${task}.parent_task_id), ${placeOf(task)}) end)`

/** The same of a row of new tasks, which are no subtasks. */
export const audienceOfNew = (task: string): string => `(${peopleOf(task, "false")} || ${placeOf(task)})`

/** A message for a notification. */
interface Message {
  readonly channel: NotifyWay
  readonly recipient: string
  /** Replaces digits of the notification's id. */
  readonly mark: string
  /** It is sent only if the task has a reply left, and takes it. */
  readonly takes_reply: boolean
}

/** A notification of a step: the `place`th, for this user, with its messages. */
export interface Notice {
  readonly place: number
  readonly user_id: string
  readonly messages: ReadonlyArray<Message>
}

/** A question and a message go to the assignee who may answer it, results and failures to the creator. */
const readerOf = ({ assigned_by_answer, assignee, creator }: Audience, asks: "approval" | "question" | null): string =>
  asks === null || assignee === null || (asks === "approval" && assigned_by_answer) ? creator : assignee

/**
 * Where a user is notified: by the ways that they want or, where none of these leads anywhere or they have said nothing,
 * where the task came from. Who chose the feed alone gets nothing else. A question to an assignee does not go to the
 * mailbox of the creator.
 */
const waysTo = (
  reader: string,
  { creator, people, reply_channel: replyChannel, reply_to: replyTo }: Omit<Audience, "assignee">
): ReadonlyArray<readonly [way: NotifyWay, recipient: string]> => {
  const contacts = people.find(({ id }) => id === reader)
  const leadingTo = (ways: ReadonlyArray<NotifyWay>) =>
    ways.flatMap((way) => {
      const isReply = way === replyChannel && (deliveryWays[way].replies === "all" || reader === creator)
      const recipient = isReply ? replyTo : contacts?.addresses[way] ?? null
      return recipient === null ? [] : [[way, recipient] as const]
    })
  const wanted = contacts?.notify_by ?? []
  const chosen = leadingTo(notifyWays.filter((way) => wanted.includes(way)))
  if (chosen.length > 0 || replyChannel === null) return chosen
  return wanted.length > 0 && wanted.every((way) => way === "ui") ? [] : leadingTo([replyChannel])
}

/** The notifications of one step. A mail to an unknown sender takes one of the replies that are left: the last one may. */
export const noticesOf = (
  count: number,
  asks: "approval" | "question" | null,
  audience: Audience
): ReadonlyArray<Notice> => {
  const reader = readerOf(audience, asks)
  const messages = waysTo(reader, audience).map(([channel, recipient]): Message => ({
    channel,
    recipient,
    mark: deliveryWays[channel].mark ?? "",
    takes_reply: audience.counts_replies && reader === audience.creator && deliveryWays[channel].replies === "creator"
  }))
  return Array.from({ length: count }, (_, place) => ({
    place,
    user_id: reader,
    messages: place === count - 1 ? messages : messages.filter((message) => !message.takes_reply)
  }))
}

/** The messages of a notification that no task causes; null: the user has no row. */
export const messagesTo = (contacts: Contacts | null): ReadonlyArray<Message> =>
  contacts === null ? [] : noticesOf(1, null, {
    creator: contacts.id,
    assignee: null,
    assigned_by_answer: false,
    reply_channel: null,
    reply_to: null,
    counts_replies: false,
    people: [contacts]
  }).flatMap(({ messages }) => messages)
