import type { ScheduleId } from "@troupe/domain/Ids"
import { ScheduleEnded } from "@troupe/domain/Schedule"
import { TaskRequestInvalid } from "@troupe/domain/Task"
import { chatReplyText, threadKey } from "@troupe/domain/TeamChat"
import { titleOf } from "@troupe/domain/Text"
import { Cause, Context, Data, DateTime, Duration, Effect, Layer, Option } from "effect"
import { type Reminder, Reminders } from "../../Delivery/Reminders.ts"
import { Channels } from "../../People/Channel/Channels.ts"
import { TeamRepo } from "../../People/Team/TeamRepo.ts"
import { Users } from "../../People/User/Users.ts"
import { TaskTransactions } from "../../Task/Command/TaskTransactions.ts"
import { Tasks } from "../../Task/UseCase/Tasks.ts"
import { ScheduleRepo } from "./ScheduleRepo.ts"
import { nextRunOf, type ScheduleRow } from "./ScheduleRow.ts"

/** Runs of schedules failed and were rolled back. */
export class RunsFailed extends Data.TaggedError("RunsFailed")<{ readonly ids: ReadonlyArray<ScheduleId> }> {
  override get message() {
    return `${this.ids.length} due schedules failed, first ${
      this.ids[0]
    }. They are retried later; the log has the reasons.`
  }
}

export class ScheduleRuns extends Context.Tag("troupe/Intake/Schedule/ScheduleRuns")<ScheduleRuns, {
  /**
   * Runs each due schedule once, however many runs were missed. The run's transaction also plans the next one, so two
   * processes, or a killed one, neither repeat nor lose it. A failed run is retried with growing delays; after eight
   * attempts its schedule is paused and its user notified.
   */
  readonly runDue: Effect.Effect<void, RunsFailed>
  /** Runs it now, in addition to its plan. None: it does not exist. */
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
          const { channel_id: channel } = row
          const thread = threadOf(row)
          const { chat_user_id: user } = yield* userOf(row)
          const projectId = channel === null ? null : yield* channels.projectOf(channel)
          const { id } = yield* tasks.submit({
            message: row.message,
            user_id: row.user_id,
            title: row.title,
            agent: row.agent,
            ...(row.max_cost === null ? {} : { max_cost: row.max_cost }),
            project_id: projectId,
            source: {
              kind: "schedule",
              scheduleId: row.id,
              reply: thread === null ? null : { channel: "chat", to: chatReplyText({ thread, user }) },
              // In a direct conversation, what is written after the result continues it.
              threads: thread === null ? [] : [thread],
              toolAccess: "all"
            }
          })
          return id
        }, Effect.orDie)

        const remind = (row: ScheduleRow, reminder: Pick<Reminder, "body" | "postedTo" | "repeatedBy">) =>
          Effect.flatMap(userOf(row), (user) =>
            reminders.send({ user, title: titleOf({ title: row.title, description: row.message }), ...reminder }))

        const run = Effect.fnUntraced(function*(row: ScheduleRow, at: DateTime.Utc) {
          const { cron, id, kind, message: body } = row
          const taskId = kind === "task"
            ? yield* submit(row)
            : yield* Effect.as(
              remind(row, { body, postedTo: threadOf(row), repeatedBy: cron === null ? null : id }),
              null
            )
          yield* repo.ran(id, at, taskId)
        })

        const mayRun = (row: ScheduleRow) =>
          isHosted ? team.isMember(row.user_id) : Effect.succeed(true)

        const runPlanned = Effect.fnUntraced(function*(row: ScheduleRow, now: DateTime.Utc) {
          const { cron, id, user_id } = row
          if (yield* mayRun(row)) {
            yield* repo.move(id, cron === null ? Option.none() : nextRunOf(row, now))
            return yield* run(row, now)
          }
          yield* repo.pause(id)
          yield* Effect.logWarning(`Schedule ${id} did not run and is paused: its user ${user_id} is not in the team`)
        })

        const retryLater = ({ failures, id }: ScheduleRow, now: DateTime.Utc) =>
          repo.retry(id, DateTime.addDuration(now, retryDelay(failures + 1)))

        const giveUp = Effect.fnUntraced(function*(row: ScheduleRow, cause: Cause.Cause<unknown>) {
          yield* repo.pause(row.id)
          yield* remind(row, {
            body:
              `This schedule is paused, because its run failed ${maxAttempts} times in a row. Resume it, or run it now, `
              + `once the cause is fixed: ${causeOf(row, cause)}.`,
            postedTo: null,
            repeatedBy: null
          })
          yield* Effect.logWarning(`Schedule ${row.id} is paused: its run failed ${maxAttempts} times in a row`)
        })

        /** In a transaction that holds the row, unless another process has it or it is no longer due. */
        const whileDue = (id: ScheduleId, now: DateTime.Utc, use: (row: ScheduleRow) => Effect.Effect<unknown>) =>
          transactions.run(Effect.flatMap(repo.lockDue(id, now), Effect.transposeMapOption(use)))

        const failed = (id: ScheduleId, now: DateTime.Utc, cause: Cause.Cause<unknown>) =>
          Effect.logWarning(
            `Run of schedule ${id} failed; it will be retried, and the schedule paused after ${maxAttempts} attempts`,
            cause
          ).pipe(
            Effect.zipRight(
              whileDue(id, now, (row) =>
                row.failures + 1 < maxAttempts ? retryLater(row, now) : giveUp(row, cause))
            ),
            orElseUnlessInterrupted((cause) =>
              Effect.zipRight(
                Effect.logWarning(`Pausing schedule ${id} failed; its run will be retried`, cause),
                whileDue(id, now, (row) => retryLater(row, now))
              )
            ),
            orElseUnlessInterrupted((cause) =>
              Effect.logWarning(`Planning the retry of schedule ${id} failed; the schedule is still due`, cause)
            ),
            Effect.zipRight(Effect.fail(id))
          )

        /** Fails with the schedule, if its run failed. */
        const attempt = (id: ScheduleId, now: DateTime.Utc) =>
          whileDue(id, now, (row) => runPlanned(row, now)).pipe(
            orElseUnlessInterrupted((cause) => failed(id, now, cause))
          )

        return ScheduleRuns.of({
          runDue: Effect.gen(function*() {
            const now = yield* DateTime.now
            const due = yield* repo.due(now)
            const [ids] = yield* Effect.partition(due, ({ id }) => attempt(id, now), { concurrency: writers })
            if (ids.length > 0) return yield* new RunsFailed({ ids })
          }),
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

/** What is wrong with its request, such as an agent that is gone, is for its user; anything else is for the operator. */
const causeOf = ({ id }: ScheduleRow, cause: Cause.Cause<unknown>): string => {
  const error = Cause.squash(cause)
  return error instanceof TaskRequestInvalid
    ? error.message.replace(/\.$/, "")
    : `the log of the service has it under the id ${id}`
}

const writers = 2

/** Attempts of one run: they take two hours. */
const maxAttempts = 8

/** 10 s, 30 s, 90 s, ... */
const retryDelay = (failures: number) => Duration.min(Duration.seconds(10 * 3 ** (failures - 1)), Duration.hours(1))

const orElseUnlessInterrupted =
  <E, A2, E2, R2>(otherwise: (cause: Cause.Cause<E>) => Effect.Effect<A2, E2, R2>) =>
  <A, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A | A2, E2, R | R2> =>
    Effect.catchAllCause(effect, (cause) => Cause.isInterruptedOnly(cause) ? Effect.interrupt : otherwise(cause))

/** The key of the conversation or thread where it is posted. */
const threadOf = ({ channel_id: channel, thread }: ScheduleRow): string | null =>
  channel === null ? null : threadKey(channel, thread)
