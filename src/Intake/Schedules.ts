import { NotAllowed } from "@troupe/domain/Caller"
import type { UserId } from "@troupe/domain/Ids"
import { recurrenceOf } from "@troupe/domain/Recurrence"
import {
  type Schedule,
  ScheduleEnded,
  ScheduleId,
  ScheduleInvalid,
  type ScheduleKind,
  ScheduleNotFound,
  TooManySchedules
} from "@troupe/domain/Schedule"
import { timeZoneOf } from "@troupe/domain/User"
import { Context, DateTime, Effect, Layer, Option } from "effect"
import { v7 } from "uuid"
import { Channels } from "../People/Channels.ts"
import { Users } from "../People/Users.ts"
import { asService, statementCaller } from "../Runtime/Isolation.ts"
import { scheduledTimeOf } from "./ScheduledTimes.ts"
import { type ScheduleFilter, ScheduleRepo } from "./ScheduleRepo.ts"
import { nextRunOf, scheduleOf, type ScheduleRow, zoneOf } from "./ScheduleRow.ts"
import { ScheduleRuns } from "./ScheduleRuns.ts"

export interface ScheduleRequest {
  readonly kind: ScheduleKind
  readonly message: string
  readonly title?: string | null | undefined
  /** A time, or a recurrence: each in plain words, or as ISO 8601 or a cron. */
  readonly when: { readonly at: string } | { readonly every: string }
  /** Default: the user's; where that is unknown, UTC. */
  readonly timezone?: string | null | undefined
  readonly userId: UserId
  /** The chat platform's id of the channel for results and reminders. */
  readonly channelId?: string | null | undefined
  /** The thread of the channel; none: in no thread. */
  readonly threadTs?: string | null | undefined
}

/** Use-cases over scheduled tasks and reminders. */
export class Schedules extends Context.Tag("troupe/Intake/Schedules")<Schedules, {
  /** A `ScheduleInvalid` says what is wrong in plain words, with examples of what works. */
  readonly create: (request: ScheduleRequest) => Effect.Effect<Schedule, ScheduleInvalid | TooManySchedules>
  readonly list: (filter: ScheduleFilter) => Effect.Effect<ReadonlyArray<Schedule>>
  readonly find: (id: ScheduleId) => Effect.Effect<Schedule, ScheduleNotFound>
  /** Missed runs do not happen later. A second call changes nothing. */
  readonly pause: (id: ScheduleId) => Effect.Effect<Schedule, ScheduleNotFound | ScheduleEnded>
  readonly resume: (id: ScheduleId) => Effect.Effect<Schedule, ScheduleNotFound | ScheduleEnded>
  /** Runs it now, in addition to its plan. */
  readonly runNow: (id: ScheduleId) => Effect.Effect<Schedule, ScheduleNotFound | ScheduleEnded>
  readonly remove: (id: ScheduleId) => Effect.Effect<void, ScheduleNotFound>
  /** Ends it, for its user, an owner or an admin. A second call changes nothing. */
  readonly stop: (id: ScheduleId, by: UserId) => Effect.Effect<Schedule, ScheduleNotFound | NotAllowed>
}>() {
  static readonly layer = (options: { readonly maxPerUser: number }): Layer.Layer<
    Schedules,
    never,
    Channels | ScheduleRepo | ScheduleRuns | Users
  > =>
    Layer.effect(
      this,
      Effect.gen(function*() {
        const channels = yield* Channels
        const repo = yield* ScheduleRepo
        const runs = yield* ScheduleRuns
        const users = yield* Users

        const orNotFound = <E>(id: ScheduleId, row: Effect.Effect<Option.Option<ScheduleRow>, E>) =>
          Effect.flatMap(row, Option.match({ onNone: () => new ScheduleNotFound({ id }), onSome: Effect.succeed }))
        const rowOf = (id: ScheduleId) => orNotFound(id, repo.find(id))

        const timezoneOf = Effect.fnUntraced(function*({ timezone: given, userId }: ScheduleRequest) {
          const name = given ?? (yield* Effect.orDie(users.existing(userId))).timezone ?? "UTC"
          if (Option.isSome(timeZoneOf(name))) return name
          if (name !== given) return "UTC"
          const reason = "the name of an IANA time zone such as Europe/Berlin"
          return yield* new ScheduleInvalid({ path: "timezone", reason })
        })

        /** A signed-in caller may name a channel that they see. Elsewhere it may be one that was never synced. */
        const checkChannel = ({ channelId }: ScheduleRequest) =>
          Effect.flatMap(statementCaller, (caller) =>
            caller === null || channelId === null || channelId === undefined ? Effect.void : Effect.mapError(
              channels.find(channelId),
              ({ message }) =>
                new ScheduleInvalid({ path: "channel_id", reason: message })
            ))

        const create = Effect.fn("Schedules.create")(function*(request: ScheduleRequest) {
          const { userId } = request
          yield* Effect.mapError(
            users.checkNamed(userId),
            () =>
              new ScheduleInvalid({ path: "user_id", reason: `there is no user ${userId}` })
          )
          yield* users.ensureExists(userId)
          yield* checkChannel(request)
          const timezone = yield* timezoneOf(request)
          const now = yield* DateTime.now
          const plan = yield* planOf(request, { now, timezone })
          const id = ScheduleId.make(v7({ msecs: now.epochMillis }))
          const isInserted = yield* repo.insert({
            id,
            user_id: userId,
            kind: request.kind,
            message: request.message,
            title: request.title ?? null,
            timezone,
            channel_id: request.channelId ?? null,
            thread_ts: request.threadTs ?? null,
            created_at: DateTime.formatIso(now),
            ...plan
          }, options.maxPerUser)
          if (!isInserted) return yield* new TooManySchedules({ user_id: userId, limit: options.maxPerUser })
          return scheduleOf(yield* Effect.orDie(rowOf(id)))
        })

        const resume = Effect.fn("Schedules.resume")(function*(id: ScheduleId) {
          const row = yield* rowOf(id)
          if (row.status === "active") return scheduleOf(row)
          const next = row.status === "done" ? Option.none() : nextRunOf(row, yield* DateTime.now)
          if (Option.isNone(next)) {
            const reason = row.status === "done" ? "it has ended" : "its time passed while it was paused"
            return yield* new ScheduleEnded({ id, reason })
          }
          const resumed = yield* repo.resume(id, next.value)
          return scheduleOf(Option.isSome(resumed) ? resumed.value : yield* rowOf(id))
        })

        return Schedules.of({
          create,
          resume,
          list: (filter) =>
            Effect.flatMap(
              repo.list(filter),
              // The next runs take time on the processor, which other requests share.
              Effect.forEach((row) => Effect.as(Effect.yieldNow(), row).pipe(Effect.map(scheduleOf)))
            ),
          find: (id) => Effect.map(rowOf(id), scheduleOf),
          pause: (id) =>
            Effect.flatMap(
              repo.pause(id),
              Option.match({
                onNone: () => Effect.flatMap(rowOf(id), () => new ScheduleEnded({ id, reason: "it has ended" })),
                onSome: (row) => Effect.succeed(scheduleOf(row))
              })
            ),
          runNow: (id) =>
            Effect.zipRight(rowOf(id), orNotFound(id, asService(runs.runNow(id)))).pipe(Effect.map(scheduleOf)),
          remove: (id) =>
            Effect.filterOrFail(repo.delete(id), (isDeleted) => isDeleted, () => new ScheduleNotFound({ id })).pipe(
              Effect.asVoid
            ),
          stop: (id, by) =>
            Effect.gen(function*() {
              const row = yield* rowOf(id)
              if (row.user_id !== by) {
                const { role } = yield* Effect.orDie(users.existing(by))
                if (role === "member") {
                  return yield* new NotAllowed({ reason: "Only its user, an owner or an admin may stop a reminder." })
                }
              }
              return scheduleOf(yield* orNotFound(id, repo.end(id)))
            })
        })
      })
    )
}

const planOf = Effect.fnUntraced(function*(
  { when }: ScheduleRequest,
  { now, timezone }: { readonly now: DateTime.Utc; readonly timezone: string }
) {
  if ("at" in when) {
    const time = yield* scheduledTimeOf(when.at, { now, zone: zoneOf(timezone) }).pipe(
      Effect.mapError((reason) => new ScheduleInvalid({ path: "at", reason }))
    )
    const at = DateTime.formatIso(time)
    return { at, cron: null, next_run_at: at }
  }
  const invalid = (reason: string) => new ScheduleInvalid({ path: "every", reason })
  const cron = yield* Effect.mapError(recurrenceOf(when.every), invalid)
  const next = nextRunOf({ at: null, cron, timezone }, now)
  if (Option.isNone(next)) return yield* invalid(`${cron} never occurs`)
  return { at: null, cron, next_run_at: DateTime.formatIso(next.value) }
})
