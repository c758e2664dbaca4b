import { chatReplyText, chatThreadKey } from "@troupe/domain/ChatReply"
import type { TaskId } from "@troupe/domain/Ids"
import { ScheduleEnded, type ScheduleId } from "@troupe/domain/Schedule"
import { titleOf } from "@troupe/domain/TaskTitle"
import { Cause, Context, Data, DateTime, Effect, Layer, Option } from "effect"
import { Reminders } from "../Delivery/Reminders.ts"
import { Channels } from "../People/Channels.ts"
import { TeamRepo } from "../People/TeamRepo.ts"
import { Users } from "../People/Users.ts"
import { Tasks } from "../Task/Tasks.ts"
import { TaskTransactions } from "../Task/TaskTransactions.ts"
import { ScheduleRepo } from "./ScheduleRepo.ts"
import { nextRunOf, type ScheduleRow } from "./ScheduleRow.ts"

/** Runs of schedules failed and were rolled back. */
export class RunsFailed extends Data.TaggedError("RunsFailed")<{ readonly ids: ReadonlyArray<ScheduleId> }> {
  override get message() {
    return `${this.ids.length} due schedules failed, first ${this.ids[0]}. They are still due; the log has the reasons.`
  }
}

/** Makes the tasks and reminders of schedules. */
export class ScheduleRuns extends Context.Tag("troupe/Intake/ScheduleRuns")<ScheduleRuns, {
  /**
   * Runs each due schedule once, however many of its runs were missed. The next run is planned in the transaction of what
   * this one causes, so that two processes at once, or one that is killed, neither repeat nor lose it.
   */
  readonly runDue: Effect.Effect<void, RunsFailed>
  /** Runs it besides its plan, which stays. None: it does not exist. */
  readonly runNow: (id: ScheduleId) => Effect.Effect<Option.Option<ScheduleRow>, ScheduleEnded>
}>() {
  /** Hosted: only schedules of members of the team run. */
  static readonly layer = ({ isHosted }: { readonly isHosted: boolean }): Layer.Layer<
    ScheduleRuns,
    never,
    Channels | Reminders | ScheduleRepo | Tasks | TaskTransactions | TeamRepo | Users
  > =>
    Layer.effect(
      this,
      Effect.gen(function*() {
        const channels = yield* Channels
        const reminders = yield* Reminders
        const repo = yield* ScheduleRepo
        const tasks = yield* Tasks
        const team = yield* TeamRepo
        const transactions = yield* TaskTransactions
        const users = yield* Users

        const userOf = (row: ScheduleRow) => Effect.orDie(users.existing(row.user_id))

        const submit = Effect.fnUntraced(function*(row: ScheduleRow) {
          const { channel_id: channel, thread_ts } = row
          const { chat_user_id: user } = yield* userOf(row)
          const projectId = channel === null ? null : yield* channels.projectOf(channel)
          const { id } = yield* tasks.submit({
            message: row.message,
            userId: row.user_id,
            assignee: Option.none(),
            title: Option.fromNullable(row.title),
            projectId: Option.fromNullable(projectId),
            attachments: [],
            continueTaskId: Option.none(),
            maxTokensTotal: Option.none(),
            idempotency: Option.none(),
            source: Option.some({
              kind: "schedule",
              context: Option.none(),
              reply: Option.map(Option.fromNullable(channel), (channel) => ({
                channel: "chat",
                to: chatReplyText({ channel, thread_ts, user })
              })),
              threads: channel === null || thread_ts === null ? [] : [chatThreadKey({ channel, thread_ts })],
              webhook: Option.none()
            })
          })
          return id
        }, Effect.orDie)

        const remind = (row: ScheduleRow) =>
          Effect.flatMap(userOf(row), (user) =>
            reminders.send({
              user,
              title: titleOf({ title: row.title, description: row.message }),
              body: row.message,
              postedTo: row.channel_id === null ? null : { channel: row.channel_id, thread_ts: row.thread_ts },
              repeatedBy: row.cron === null ? null : row.id
            }))

        const act = (row: ScheduleRow): Effect.Effect<Option.Option<TaskId>> =>
          row.kind === "task" ? Effect.asSome(submit(row)) : Effect.as(remind(row), Option.none())

        const run = (row: ScheduleRow, at: DateTime.Utc) =>
          Effect.flatMap(act(row), (taskId) => repo.ran(row.id, { at, taskId }))

        const mayRun = (row: ScheduleRow) => isHosted ? team.isMember(row.user_id) : Effect.succeed(true)

        const pauseAsForeign = ({ id, user_id }: ScheduleRow) =>
          Effect.zipRight(
            repo.pause(id),
            Effect.logWarning(`Schedule ${id} did not run and is paused: its user ${user_id} is not in the team`)
          )

        const runIfDue = (id: ScheduleId, now: DateTime.Utc) =>
          Effect.flatMap(
            repo.lock(id),
            Option.match({
              onNone: () => Effect.void,
              onSome: (row) => {
                const planned = Option.flatMap(Option.fromNullable(row.next_run_at), DateTime.make)
                return Option.isNone(planned) || DateTime.greaterThan(planned.value, now)
                  ? Effect.void
                  : Effect.if(mayRun(row), {
                    onFalse: () => pauseAsForeign(row),
                    onTrue: () =>
                      Effect.zipRight(
                        repo.move(id, row.cron === null ? Option.none() : nextRunOf(row, now)),
                        run(row, now)
                      )
                  })
              }
            })
          )

        const attempt = (id: ScheduleId, now: DateTime.Utc) =>
          transactions.run(runIfDue(id, now)).pipe(
            Effect.as(true),
            Effect.catchAllCause((cause) =>
              Cause.isInterruptedOnly(cause)
                ? Effect.interrupt
                : Effect.as(Effect.logWarning(`Run of schedule ${id} failed; it will be tried again`, cause), false)
            )
          )

        const runSome: Effect.Effect<void, RunsFailed> = Effect.gen(function*() {
          const now = yield* DateTime.now
          const ids = yield* repo.due(now, pageSize)
          const done = yield* Effect.forEach(ids, (id) => attempt(id, now), { concurrency: writers })
          const failed = ids.filter((_, index) => done[index] !== true)
          if (failed.length > 0) return yield* new RunsFailed({ ids: failed })
          if (ids.length === pageSize) yield* runSome
        })

        return ScheduleRuns.of({
          runDue: Effect.tap(
            runSome,
            () =>
              Effect.flatMap(DateTime.now, (now) => repo.removeEnded(DateTime.subtract(now, { days: endedForDays })))
          ),
          runNow: (id) =>
            Effect.gen(function*() {
              const now = yield* DateTime.now
              const row = yield* repo.find(id)
              if (Option.isNone(row)) return row
              if (!(yield* mayRun(row.value))) {
                return yield* new ScheduleEnded({ id, reason: "its user is not in the team" })
              }
              yield* run(row.value, now)
              return yield* repo.find(id)
            }).pipe(transactions.run, Effect.catchTag("SqlError", Effect.die))
        })
      })
    )
}

const pageSize = 200

/** Each holds a connection. */
const writers = 2

/** How long schedules without a further run stay in the list. */
const endedForDays = 30
