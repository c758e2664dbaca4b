import type { UserId } from "@troupe/domain/Ids"
import { DateTime, Effect, Either } from "effect"
import { type ChatMessage, saying } from "../../Chat/ChatMessage.ts"
import { ChatPlatform } from "../../Chat/ChatPlatform.ts"
import { recurringButtons } from "../../Delivery/Reminders.ts"
import { Users } from "../../People/User/Users.ts"
import { recurrenceOf, saysEvery } from "../Schedule/Recurrence.ts"
import { scheduledTimeOf, type TimeContext } from "../Schedule/ScheduledTimes.ts"
import { zoneOf } from "../Schedule/ScheduleRow.ts"
import { Schedules } from "../Schedule/Schedules.ts"
import { type ChatSender, ChatSenders } from "./ChatSenders.ts"
import {
  filesNotKept,
  guestsRemind,
  nothingToDo,
  noTime,
  notReminded,
  notScheduled,
  notWhole,
  scheduled
} from "./ChatTexts.ts"
import { type TimedRequest, timedRequestOf } from "./TimedRequest.ts"

/** Schedules and reminders that people ask for in the team chat. */
export const makeChatSchedules = Effect.gen(function*() {
  const schedules = yield* Schedules
  const senders = yield* ChatSenders
  const users = yield* Users
  const { isDirect } = yield* ChatPlatform

  const nameOf = ({ userId }: ChatSender) =>
    Effect.map(Effect.orDie(users.existing(userId)), ({ display_name, name }) => display_name ?? name ?? userId)

  const clockOf = (userId: UserId) =>
    Effect.gen(function*() {
      const now = yield* DateTime.now
      const { timezone } = yield* Effect.orDie(users.existing(userId))
      return { now, zone: zoneOf(timezone ?? "") }
    })

  return {
    /** The request for a later time in the text, in the sender's time zone; none if it names no time. */
    read: (text: string, { userId }: ChatSender) => Effect.map(clockOf(userId), (clock) => timedRequestOf(text, clock)),
    /**
     * Makes the schedule, whose results and reminders come to this conversation or thread, or not; the result says so. A reminder for
     * somebody else that was set in a direct message comes to their own. It has what the message quotes, not its files.
     */
    create: Effect.fn("ChatSchedules.create")(function*(
      request: TimedRequest,
      sender: ChatSender,
      postedTo: string,
      { agent, files, mentioned, quoted }: Enclosed
    ): Effect.fn.Return<ChatMessage> {
      const found = request.who === undefined ? null : yield* senders.named(request.who, mentioned)
      const [other = null, ...more] = found?.members ?? []
      if (request.who !== undefined && found !== null && (other === null || more.length > 0)) {
        const named = found.members.map(({ id, name }) => name ?? id)
        return saying(notScheduled(notReminded(request.who, { isKnown: found.isKnown, named })))
      }
      const isForOther = other !== null && other.id !== sender.userId
      if (isForOther && sender.isGuest) return saying(notScheduled(guestsRemind))
      const clock = yield* clockOf(sender.userId)
      if (request._tag === "Unreadable") return saying(notScheduled(whyNot(request, clock)))
      const what = isForOther ? `${request.what} (set by ${yield* nameOf(sender)})` : request.what
      const made = yield* Effect.either(schedules.create({
        kind: request.kind,
        agent,
        message: [what, ...quoted].join("\n\n"),
        ...(request._tag === "Recurring" ? { every: request.every } : { at: request.at }),
        ...(isForOther
          ? {
            user_id: other.id,
            timezone: DateTime.zoneToString(clock.zone),
            postedTo: isDirect(postedTo) ? other.chat_user_id ?? undefined : postedTo
          }
          : { user_id: sender.userId, postedTo })
      }))
      if (Either.isLeft(made)) {
        const { left } = made
        return saying(notScheduled(left._tag === "ScheduleInvalid" ? left.reason : left.message))
      }
      const confirmed = scheduled({ ...made.right, message: what }, isForOther ? other.name ?? other.id : null)
      const text = [...confirmed, ...filesNotKept(files).map((line) => `\n${line}`)]
      if (made.right.cron === null) return { text }
      // Only one's own words become a task that runs with one's rights.
      const isOwn = !isForOther && quoted.length === 0
      return { text, buttons: recurringButtons(made.right, made.right.kind === "reminder" && isOwn) }
    })
  }
})

/** What a message has beside its text. */
export interface Enclosed {
  /** Names. */
  readonly files: ReadonlyArray<string>
  /** Paragraphs of marked data. */
  readonly quoted: ReadonlyArray<string>
  /** The platform's ids of the people whom the text mentions. */
  readonly mentioned: ReadonlyArray<string>
  /** The agent by whose name the message begins. */
  readonly agent: string | null
}

const whyNot = ({ unread, when }: Extract<TimedRequest, { _tag: "Unreadable" }>, clock: TimeContext): string => {
  if (when === "") return noTime
  if (unread !== undefined) return notWhole(when, unread)
  return saysEvery(when)
    ? Either.match(recurrenceOf(when), { onLeft: (reason) => reason, onRight: () => nothingToDo })
    : Either.match(scheduledTimeOf(when, clock), { onLeft: (reason) => reason, onRight: () => nothingToDo })
}
