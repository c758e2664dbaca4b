import { SqlClient } from "@effect/sql/SqlClient"
import { systemUser, TaskId, type UserId } from "@troupe/domain/Ids"
import { oneLine, plural } from "@troupe/domain/Text"
import { Effect, Layer, Schedule, Schema } from "effect"
import { Reminders, ReminderUser, reminderUserColumns } from "../../Delivery/Reminders.ts"
import { ScheduledJobs } from "../../Runtime/Cluster/ScheduledJobs.ts"
import { asService } from "../../Runtime/Database/Isolation.ts"
import { rowsOf } from "../../Runtime/Database/Query.ts"
import { inSlices } from "../../Runtime/Database/Slices.ts"
import { taskAddress } from "../../Runtime/PublicAddress.ts"

/** Of a self-hosted service, who decides; null: owner and admins. */
export interface ApprovalRemindersOptions {
  readonly admin: UserId | null
  /** Where people open the console; null: nowhere that is known. */
  readonly console: URL | null
}

const batch = 100

/**
 * Reminds approvers of calls that wait, by the ways that they chose: after 1 day, after 3 days together with owner and admins, then every
 * week. It also tells approvers who are not people of the task of each new call at once, because the task's question does not reach them.
 */
export const layer = (
  { admin, console }: ApprovalRemindersOptions
): Layer.Layer<never, never, Reminders | ScheduledJobs | SqlClient> =>
  Layer.scopedDiscard(Effect.gen(function*() {
    const sql = yield* SqlClient
    const jobs = yield* ScheduledJobs
    const reminders = yield* Reminders

    const due = dueRows(
      sql`with due as (
  update approvals p set reminders = p.reminders + 1,
    remind_at = case
      when now() < p.created_at + interval '1 day' then p.created_at + interval '1 day'
      when now() < p.created_at + interval '3 days' then p.created_at + interval '3 days'
      else now() + interval '7 days'
    end
  from (
    select id from approvals where remind_at <= now() order by remind_at limit ${batch} for update skip locked
  ) d where p.id = d.id and p.status = 'open'
  returning p.task_id, p.tool, p.who, p.created_at
), asked as (
  select d.task_id, count(*)::integer as calls, min(d.tool) as tool, max(now() - d.created_at) as age,
    coalesce(array_agg(distinct w.who) filter (where w.who is not null), '{}') as who
  from due d left join lateral unnest(d.who) as w(who) on true group by d.task_id
), asking as (
  select a.*, t.title, t.creator, case when not t.assigned_by_answer then t.assignee end as assignee,
    age >= interval '1 day' as is_repeated,
    age >= interval '3 days' or t.creator = ${systemUser} or not 'requester' = any(who) and 'admin' = any(who) as asks_admins
  from asked a join tasks t on t.id = a.task_id
)
select a.task_id::text, a.title, a.calls, a.tool, floor(extract(epoch from a.age) / 86400)::integer as days,
  ${sql.literal(reminderUserColumns("u"))}
from asking a join users u on not u.is_system and (
  'requester' = any(a.who) and u.id in (a.creator, a.assignee)
  or u.id = any(a.who) and (${admin}::text is not null or exists (select from team_members m where m.user_id = u.id))
  or a.asks_admins and case when ${admin}::text is null then u.role in ('owner', 'admin') else u.id = ${admin}::text end
)
where a.is_repeated or u.id is distinct from coalesce(a.assignee, a.creator)
order by a.task_id, u.id`
    )

    const isDue = Effect.orDie(sql`select from approvals where remind_at <= now() limit 1`)
    const remind = Effect.gen(function*() {
      const found = yield* due
      yield* Effect.forEach(found, (row) => reminders.send(reminderOf(row, console)), { discard: true })
      return found
    }).pipe(sql.withTransaction, Effect.orDie)

    yield* jobs.start({
      name: "approval_reminders",
      scope: "cluster",
      schedule: Schedule.spaced("15 seconds"),
      run: asService(
        Effect.flatMap(isDue, ({ length }) => length === 0 ? Effect.void : inSlices(remind, ({ length }) => length > 0))
      )
    })
  }))

const Due = Schema.Struct({
  task_id: TaskId,
  title: Schema.NullOr(Schema.String),
  calls: Schema.Int,
  tool: Schema.String,
  days: Schema.Int,
  ...ReminderUser.fields
})
const dueRows = rowsOf(Due.annotations({ identifier: "DueApprovals" }))

const reminderOf = ({ calls, days, task_id: task, title, tool, ...user }: typeof Due.Type, console: URL | null) => {
  const what = calls === 1 ? `a call of ${oneLine(tool, 100)}` : plural(calls, "call")
  return {
    user,
    title: "An approval is waiting",
    body: `The task "${oneLine(title ?? "Untitled", 200)}" waits for approval of ${what}${
      days === 0 ? "" : ` since ${plural(days, "day")}`
    }. See what would be done and decide in the console${
      console === null ? `. The task is ${task}.` : `: ${taskAddress(console, task)}`
    }`,
    postedTo: null,
    repeatedBy: null,
    label: "Approval"
  }
}
