import type { UserId } from "@troupe/domain/Ids"
import type { ChatPost, ChatReply } from "@troupe/domain/TeamChat"
import { DateTime, Effect, Either } from "effect"
import { reminderBlocks } from "../../Delivery/ChatBlocks.ts"
import { Users } from "../../People/Users.ts"
import { recurrenceOf } from "../Recurrence.ts"
import { scheduledTimeOf, type TimeContext } from "../ScheduledTimes.ts"
import { zoneOf } from "../ScheduleRow.ts"
import { Schedules } from "../Schedules.ts"
import type { ChatSender } from "./ChatSenders.ts"
import { nothingToDo, noTime, notScheduled, scheduled } from "./ChatTexts.ts"
import { type TimedRequest, timedRequestOf, type TimeReaders } from "./TimedRequest.ts"

/** Schedules and reminders that people ask for in the team chat. */
export const makeChatSchedules = Effect.gen(function*() {
  const schedules = yield* Schedules
  const users = yield* Users

  const clockOf = (userId: UserId) =>
    Effect.gen(function*() {
      const now = yield* DateTime.now
      const { timezone } = yield* Effect.orDie(users.existing(userId))
      return { now, zone: zoneOf(timezone ?? "") }
    })

  return {
    /** The request for a later time in the text, in the sender's time zone; none if it names no time. */
    read: (text: string, { userId }: ChatSender) =>
      Effect.map(clockOf(userId), (clock) => timedRequestOf(text, readersOf(clock))),
    /** Makes the schedule, whose results and reminders come to this place, or not; the result says so. */
    create: Effect.fn("ChatSchedules.create")(function*(
      request: TimedRequest,
      { userId }: ChatSender,
      { channel, thread_ts }: Pick<ChatReply, "channel" | "thread_ts">
    ): Effect.fn.Return<ChatPost> {
      if (request._tag === "Unreadable") {
        return { text: notScheduled(whyNot(request.when, yield* clockOf(userId))) }
      }
      const made = yield* Effect.either(schedules.create({
        kind: request.kind,
        message: request.what,
        when: request._tag === "Recurring" ? { every: request.every } : { at: request.at },
        userId,
        postedTo: { channel, thread_ts }
      }))
      if (Either.isLeft(made)) {
        const { left } = made
        return { text: notScheduled(left._tag === "ScheduleInvalid" ? left.reason : left.message) }
      }
      const text = scheduled(made.right)
      return made.right.kind === "reminder" && made.right.cron !== null
        ? { text, blocks: reminderBlocks(text, made.right.id) }
        : { text }
    })
  }
})

const readersOf = (clock: TimeContext): TimeReaders => ({
  isTime: (words) => Either.isRight(scheduledTimeOf(words, clock)),
  isRecurrence: (words) => Either.isRight(recurrenceOf(words))
})

const whyNot = (when: string, clock: TimeContext): string => {
  if (when === "") return noTime
  return /^(?:every|each|hourly|daily|weekly|monthly|yearly)\b/i.test(when)
    ? Either.match(recurrenceOf(when), { onLeft: (reason) => reason, onRight: () => nothingToDo })
    : Either.match(scheduledTimeOf(when, clock), { onLeft: (reason) => reason, onRight: () => nothingToDo })
}
