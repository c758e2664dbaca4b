import { SqlClient } from "@effect/sql/SqlClient"
import { defaultUser, systemUser, type UserId } from "@troupe/domain/Ids"
import { oneLine, plural, titleOf } from "@troupe/domain/Text"
import { timeZoneOf } from "@troupe/domain/User"
import { DateTime, Effect, Layer, Option, Schedule, Schema } from "effect"
import { Reminders, ReminderUser, reminderUserColumns } from "../../Delivery/Reminders.ts"
import { hasChatAccount } from "../../People/User/ChatAccounts.ts"
import { ScheduledJobs } from "../../Runtime/Cluster/ScheduledJobs.ts"
import { asService } from "../../Runtime/Database/Isolation.ts"
import { rowsOf } from "../../Runtime/Database/Query.ts"

export interface DigestOptions {
  /** DAILY_DIGEST: the hour at which it is sent; null: it is off. Read at each look. */
  readonly hour: () => number | null
  readonly isHosted: boolean
}

/**
 * Sends everybody once a day, by the ways that they want, what ran, failed and waits of theirs, and what it cost; owner and admins also of
 * what webhooks and their like began. The day and the hour are those of the person's time zone, else of this machine's.
 */
export const layer = (options: DigestOptions): Layer.Layer<never, never, Reminders | ScheduledJobs | SqlClient> =>
  Layer.scopedDiscard(Effect.gen(function*() {
    const jobs = yield* ScheduledJobs
    yield* jobs.start({
      name: "daily_digest",
      scope: "cluster",
      schedule: Schedule.spaced("1 minute"),
      run: asService(yield* makeDailyDigest(options))
    })
  }))

export const makeDailyDigest = ({ hour, isHosted }: DigestOptions) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient
    const reminders = yield* Reminders

    /** Members of the team; self-hosted, the operator and the people of the chat platform, but no guests and unknown senders. */
    const people = personRows(sql`select ${sql.literal(reminderUserColumns("u"))}, u.timezone, u.role, u.digest_on::text
from users u where not u.is_system and case when ${isHosted}::boolean
  then exists (select from team_members m where m.user_id = u.id)
  else u.id = ${defaultUser} or not u.is_guest and ${sql.literal(hasChatAccount("u.id"))} end
order by u.id`)

    const digestOf = Effect.fnUntraced(function*({ id, role }: Person) {
      const isAdmin = role !== "member" || !isHosted && id === defaultUser
      const creators = isAdmin ? [id, systemUser] : [id]
      const [sums] = yield* sumRows(
        sql`select count(*) filter (where t.task_type = 'task' and a.status = 'completed')::integer as completed,
  count(*) filter (where t.task_type = 'task' and ${sql.literal(hasFailed)})::integer as failed,
  sum(a.cost) as cost, coalesce(bool_or(a.model_calls > 0 and a.cost is null), false) as "isUnpriced"
from actors a join tasks t on t.id = a.task_id where a.creator = any(${creators}::text[]) and a.completed_at > now() - interval '1 day'`
      )
      const failures = yield* titledRows(sql`select t.title, left(t.description, 1000) as description, a.error
from actors a join tasks t on t.id = a.task_id
where a.creator = any(${creators}::text[]) and a.completed_at > now() - interval '1 day' and t.task_type = 'task' and ${
        sql.literal(hasFailed)
      }
order by a.completed_at desc limit 5`)
      const waiting = yield* titledRows(sql`select t.title, left(t.description, 1000) as description, null as error
from actors a join tasks t on t.id = a.task_id
where a.status = 'waiting_input' and coalesce(t.assignee, t.creator) = any(${creators}::text[]) order by a.task_id limit 1000`)
      const wrong = yield* wrongRows(sql`select h.name || ' is ' || h.state as said from unattended h
left join schedules s on h.kind = 'schedule' and s.id::text = h.id
where h.state <> 'ok' and (${isAdmin}::boolean or s.user_id = ${id}) order by h.since limit 1000`)
      return {
        ...sums ?? { completed: 0, failed: 0, cost: null, isUnpriced: false },
        failures: failures.map((task) => ({ title: titleOf(task), error: task.error })),
        waiting: waiting.length,
        questions: waiting.map(titleOf),
        wrong: wrong.map(({ said }) => said)
      } satisfies Digest
    })

    /** Nobody else has sent or skipped the digest of this day. */
    const isFirst = (id: UserId, day: string) =>
      Effect.map(
        sql`update users set digest_on = ${day}::date where id = ${id} and digest_on is distinct from ${day}::date returning 1`,
        ({ length }) => length > 0
      )

    return Effect.gen(function*() {
      const at = hour()
      if (at === null) return
      const now = yield* DateTime.now
      for (const person of yield* people) {
        const zone = Option.getOrElse(
          Option.flatMap(Option.fromNullable(person.timezone), timeZoneOf),
          () => DateTime.zoneMakeLocal()
        )
        const local = localTimeOf(now, zone)
        const due = digestDue(local, { at, last: person.digest_on })
        if (due === "wait") continue
        const text = due === "skip" ? null : digestText(yield* digestOf(person))
        yield* Effect.whenEffect(
          text === null
            ? Effect.void
            : reminders.send({ user: person, ...text, postedTo: null, repeatedBy: null, label: "Digest" }),
          isFirst(person.id, local.day)
        ).pipe(sql.withTransaction, Effect.orDie)
      }
    })
  })

const hasFailed = "a.status = 'failed' and a.ended_by is distinct from 'cancelled'"

const Person = Schema.Struct({
  ...ReminderUser.fields,
  timezone: Schema.NullOr(Schema.String),
  role: Schema.Literal("owner", "admin", "member"),
  digest_on: Schema.NullOr(Schema.String)
}).annotations({ identifier: "DigestPerson" })
type Person = typeof Person.Type
const personRows = rowsOf(Person)
const sumRows = rowsOf(
  Schema.Struct({
    completed: Schema.Int,
    failed: Schema.Int,
    cost: Schema.NullOr(Schema.Number),
    isUnpriced: Schema.Boolean
  }).annotations({ identifier: "DigestSums" })
)
const titledRows = rowsOf(
  Schema.Struct({
    title: Schema.NullOr(Schema.String),
    description: Schema.String,
    error: Schema.NullOr(Schema.String)
  }).annotations({ identifier: "DigestTask" })
)
const wrongRows = rowsOf(Schema.Struct({ said: Schema.String }))

/** The day of a time in a zone, as 2026-11-28, and the hour. */
export const localTimeOf = (now: DateTime.Utc, zone: DateTime.TimeZone) => {
  const local = DateTime.toParts(DateTime.setZone(now, zone))
  return { day: DateTime.formatIsoDate(DateTime.setZone(now, zone)), hour: local.hours }
}

/**
 * What to do about the digest of a person: `send` it, `skip` it for this day because the hour was over when digests were switched on, or
 * `wait`. One that a stopped service has missed is sent later on the same day.
 */
export const digestDue = (
  { day, hour }: { readonly day: string; readonly hour: number },
  { at, last }: { readonly at: number; readonly last: string | null }
): "send" | "skip" | "wait" => hour < at || last === day ? "wait" : last === null && hour > at ? "skip" : "send"

/** What became of the work of a person in a day. */
export interface Digest {
  readonly completed: number
  readonly failed: number
  /** What the tasks and their subtasks cost; null without a call of a model. */
  readonly cost: number | null
  /** Whether some calls had no price. */
  readonly isUnpriced: boolean
  readonly failures: ReadonlyArray<{ readonly title: string; readonly error: string | null }>
  readonly waiting: number
  readonly questions: ReadonlyArray<string>
  /** Unattended work that is not ok: "Daily report is late". */
  readonly wrong: ReadonlyArray<string>
}

const listed = 5

const lines = (items: ReadonlyArray<string>, total: number): ReadonlyArray<string> => [
  ...items.slice(0, listed).map((item) => `- ${item}`),
  ...(total > listed ? [`- and ${total - listed} more`] : [])
]

/** Null: nothing ran, and nothing waits or fails. */
export const digestText = (digest: Digest): { readonly title: string; readonly body: string } | null => {
  const { completed, cost, failed, failures, isUnpriced, questions, waiting, wrong } = digest
  if (completed + failed + waiting + wrong.length === 0) return null
  const costs = cost === null
    ? isUnpriced ? "Cost: unknown, because the calls of models had no price." : null
    : `Cost: ${cost.toFixed(2)}${isUnpriced ? ", without the calls that had no price" : ""}.`
  const parts = [
    `In the last 24 hours: ${plural(completed, "task")} completed, ${failed} failed.`,
    ...(costs === null ? [] : [costs]),
    ...(failures.length === 0 ? [] : [
      "",
      "Failed:",
      ...lines(
        failures.map(({ error, title }) => `${oneLine(title, 100)}${error === null ? "" : `: ${oneLine(error, 200)}`}`),
        failed
      )
    ]),
    ...(waiting === 0
      ? []
      : ["", "Waiting for an answer:", ...lines(questions.map((title) => oneLine(title, 100)), waiting)]),
    ...(wrong.length === 0
      ? []
      : ["", "Needs attention:", ...lines(wrong.map((one) => oneLine(one, 200)), wrong.length)])
  ]
  return {
    title: `Daily digest: ${completed} completed, ${failed} failed, ${waiting} waiting`,
    body: parts.join("\n")
  }
}
