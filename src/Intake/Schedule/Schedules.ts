import type { ScheduleDraft, ScheduleUpdate } from "@troupe/api/SchedulesApi"
import { NotAllowed } from "@troupe/domain/Caller"
import type { ChannelNotFound } from "@troupe/domain/Channel"
import { ScheduleId, type UserId } from "@troupe/domain/Ids"
import {
  type Schedule,
  ScheduleEnded,
  ScheduleInvalid,
  ScheduleNotFound,
  TooManySchedules
} from "@troupe/domain/Schedule"
import { threadHalves } from "@troupe/domain/TeamChat"
import { timeZoneOf } from "@troupe/domain/User"
import { Context, DateTime, Effect, Layer, Option } from "effect"
import { v7 } from "uuid"
import { Agents } from "../../Agent/Definition/Agents.ts"
import { Channels } from "../../People/Channel/Channels.ts"
import { Users } from "../../People/User/Users.ts"
import { asService } from "../../Runtime/Database/Isolation.ts"
import { unknownAgent } from "../../Task/UseCase/AgentOfRequest.ts"
import { givenWhen, planOf, whenOf, zoneGiven } from "./SchedulePlan.ts"
import { type ScheduleFilter, ScheduleRepo } from "./ScheduleRepo.ts"
import { nextRunOf, scheduleOf, type ScheduleRow } from "./ScheduleRow.ts"
import { ScheduleRuns } from "./ScheduleRuns.ts"

export interface ScheduleRequest extends ScheduleDraft {
  readonly user_id: UserId
  /** The key of a conversation with the user, which needs no synchronised channel; instead of `channel_id`. */
  readonly postedTo?: string | undefined
}

/** Use-cases over scheduled tasks and reminders. */
export class Schedules extends Context.Tag("troupe/Intake/Schedule/Schedules")<Schedules, {
  /** A `ScheduleInvalid` says what is wrong in plain words, with examples of what works. */
  readonly create: (request: ScheduleRequest) => Effect.Effect<
    Schedule,
    ChannelNotFound | ScheduleInvalid | TooManySchedules
  >
  /** What is absent stays as it is. With a new time, a schedule that has ended is active again; a paused one stays paused. */
  readonly change: (id: ScheduleId, change: ScheduleUpdate) => Effect.Effect<
    Schedule,
    ChannelNotFound | ScheduleInvalid | ScheduleNotFound | TooManySchedules
  >
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
  /** Its later runs are tasks; for those who may stop it. A second call changes nothing. */
  readonly makeTask: (
    id: ScheduleId,
    by: UserId
  ) => Effect.Effect<Schedule, ScheduleEnded | ScheduleNotFound | NotAllowed>
}>() {
  static readonly layer = (options: { readonly maxPerUser: number }): Layer.Layer<
    Schedules,
    never,
    Agents | Channels | ScheduleRepo | ScheduleRuns | Users
  > =>
    Layer.effect(
      this,
      Effect.gen(function*() {
        const channels = yield* Channels
        const repo = yield* ScheduleRepo
        const runs = yield* ScheduleRuns
        const users = yield* Users
        const agents = yield* Agents

        const orNotFound = <E>(id: ScheduleId, row: Effect.Effect<Option.Option<ScheduleRow>, E>) =>
          Effect.flatMap(row, Option.match({ onNone: () => new ScheduleNotFound({ id }), onSome: Effect.succeed }))
        const rowOf = (id: ScheduleId) => orNotFound(id, repo.find(id))

        const timezoneOf = Effect.fnUntraced(function*(given: string | null | undefined, otherwise: string | null) {
          if (typeof given === "string") return yield* zoneGiven(given)
          return otherwise !== null && Option.isSome(timeZoneOf(otherwise)) ? otherwise : "UTC"
        })

        /** Callers name only channels that they see. */
        const checkChannel = ({ channel_id: id }: ScheduleUpdate) =>
          id === undefined ? Effect.void : Effect.asVoid(channels.find(id))

        /** The name of the agent, as others may write it otherwise. */
        const agentNamed = (given: string | null | undefined) =>
          typeof given !== "string"
            ? Effect.succeed(given ?? null)
            : Effect.mapBoth(agents.find(given), {
              onFailure: (error) => new ScheduleInvalid(unknownAgent(error)),
              onSuccess: ({ name }): string => name
            })

        const create = Effect.fn("Schedules.create")(function*(request: ScheduleRequest) {
          const { user_id: userId } = request
          const when = yield* givenWhen(request)
          const agent = yield* agentNamed(request.agent)
          yield* users.ensureExists(userId)
          yield* checkChannel(request)
          const timezone = yield* timezoneOf(
            request.timezone,
            (yield* Effect.orDie(users.existing(userId))).timezone
          )
          const now = yield* DateTime.now
          const plan = yield* planOf(when, { now, timezone })
          const id = ScheduleId.make(v7({ msecs: now.epochMillis }))
          const place = request.postedTo === undefined ? null : threadHalves(request.postedTo)
          const isInserted = yield* repo.insert({
            id,
            user_id: userId,
            kind: request.kind ?? "task",
            message: request.message,
            title: request.title ?? null,
            timezone,
            channel_id: place?.channel ?? request.channel_id ?? null,
            thread: place?.thread ?? null,
            agent,
            expects: request.expects ?? null,
            max_cost: request.max_cost ?? null,
            status: "active",
            created_at: DateTime.formatIso(now),
            ...plan
          }, options.maxPerUser)
          if (!isInserted) return yield* new TooManySchedules({ user_id: userId, limit: options.maxPerUser })
          return scheduleOf(yield* Effect.orDie(rowOf(id)))
        })

        const change = Effect.fn("Schedules.change")(function*(id: ScheduleId, given: ScheduleUpdate) {
          const newTime = yield* whenOf(given)
          const row = yield* rowOf(id)
          yield* checkChannel(given)
          const agent = given.agent === undefined ? row.agent : yield* agentNamed(given.agent)
          const timezone = yield* timezoneOf(given.timezone, row.timezone)
          // A recurrence keeps its local time in another time zone, a single run its point in time.
          const isMoved = timezone !== row.timezone && row.cron !== null && row.status !== "done"
          const when = newTime ?? (isMoved ? { every: row.cron } : null)
          const plan = when === null ? row : yield* planOf(when, { now: yield* DateTime.now, timezone })
          const channel = given.channel_id ?? row.channel_id
          const isChanged = yield* repo.change({
            ...row,
            kind: given.kind ?? row.kind,
            message: given.message ?? row.message,
            title: given.title ?? row.title,
            agent,
            expects: given.expects === undefined ? row.expects : given.expects,
            max_cost: given.max_cost === undefined ? row.max_cost : given.max_cost,
            timezone,
            channel_id: channel,
            thread: channel === row.channel_id ? row.thread : null,
            at: plan.at,
            cron: plan.cron,
            every: newTime === undefined ? row.every : plan.every,
            next_run_at: plan.next_run_at,
            status: newTime !== undefined && row.status === "done" ? "active" : row.status
          }, options.maxPerUser)
          if (!isChanged) return yield* new TooManySchedules({ user_id: row.user_id, limit: options.maxPerUser })
          return scheduleOf(yield* rowOf(id))
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

        const checkMayStop = Effect.fnUntraced(function*(id: ScheduleId, by: UserId) {
          const { user_id } = yield* rowOf(id)
          if (user_id === by) return
          const { role } = yield* Effect.orDie(users.existing(by))
          if (role === "member") {
            return yield* new NotAllowed({ reason: "Only its user, an owner or an admin may change a reminder." })
          }
        })

        return Schedules.of({
          create,
          change,
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
            Effect.zipRight(checkMayStop(id, by), orNotFound(id, repo.end(id))).pipe(Effect.map(scheduleOf)),
          makeTask: (id, by) =>
            Effect.zipRight(checkMayStop(id, by), repo.makeTask(id)).pipe(
              Effect.flatMap(Option.match({
                onNone: () => Effect.flatMap(rowOf(id), () => new ScheduleEnded({ id, reason: "it has ended" })),
                onSome: (row) => Effect.succeed(scheduleOf(row))
              }))
            )
        })
      })
    )
}
