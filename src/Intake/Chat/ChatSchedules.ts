import { recurrenceOf } from "@troupe/domain/Recurrence"
import type { ChatPost, ChatReply } from "@troupe/domain/TeamChat"
import { timeZoneOf } from "@troupe/domain/User"
import { Context, DateTime, Effect, Either, Layer, Option } from "effect"
import { reminderBlocks } from "../../Delivery/ChatBlocks.ts"
import { Users } from "../../People/Users.ts"
import { scheduledTimeOf, type TimeContext } from "../ScheduledTimes.ts"
import { Schedules } from "../Schedules.ts"
import type { ChatSender } from "./ChatSenders.ts"
import { nothingToDo, noTime, notScheduled, scheduled } from "./ChatTexts.ts"
import { type TimedRequest, timedRequestOf, type TimeReaders } from "./TimedRequest.ts"

/** Schedules and reminders that people ask for in the team chat. */
export class ChatSchedules extends Context.Tag("troupe/Intake/Chat/ChatSchedules")<ChatSchedules, {
  /** The request for a later time in the text, in the sender's time zone; none if it names no time. */
  readonly read: (
    text: string,
    sender: Pick<ChatSender, "userId">
  ) => Effect.Effect<Option.Option<TimedRequest>>
  /** Makes the schedule, whose results and reminders come to this place, or not; the result says so. */
  readonly create: (
    request: TimedRequest,
    sender: Pick<ChatSender, "userId">,
    at: Pick<ChatReply, "channel" | "thread_ts">
  ) => Effect.Effect<ChatPost>
}>() {
  static readonly layer: Layer.Layer<ChatSchedules, never, Schedules | Users> = Layer.effect(
    this,
    Effect.gen(function*() {
      const schedules = yield* Schedules
      const users = yield* Users

      const clockOf = ({ userId }: Pick<ChatSender, "userId">) =>
        Effect.gen(function*() {
          const now = yield* DateTime.now
          const { timezone } = yield* Effect.orDie(users.existing(userId))
          return { now, zone: Option.getOrElse(timeZoneOf(timezone ?? ""), () => DateTime.zoneMakeOffset(0)) }
        })

      return ChatSchedules.of({
        read: (text, sender) => Effect.map(clockOf(sender), (clock) => timedRequestOf(text, readersOf(clock))),
        create: Effect.fn("ChatSchedules.create")(function*(request, { userId }, { channel, thread_ts }) {
          if (request._tag === "Unreadable") {
            return { text: notScheduled(whyNot(request.when, yield* clockOf({ userId }))) }
          }
          const made = yield* Effect.either(schedules.create({
            kind: request.kind,
            message: request.what,
            title: Option.none(),
            when: request._tag === "Recurring" ? { every: request.every } : { at: request.at },
            timezone: Option.none(),
            userId,
            channelId: Option.some(channel),
            threadTs: Option.fromNullable(thread_ts)
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
      })
    })
  )
}

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
