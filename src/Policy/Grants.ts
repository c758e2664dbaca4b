import { SqlClient } from "@effect/sql/SqlClient"
import { lastCalls, type PastApproval } from "@troupe/domain/EqualApprovals"
import { type Grant, GrantId } from "@troupe/domain/Grant"
import { defaultUser, ScheduleId, TaskId, UserId } from "@troupe/domain/Ids"
import type { CallGrant, CallRequester } from "@troupe/domain/PolicyDecision"
import { Clock, Context, Effect, Layer, Schema, Struct } from "effect"
import { v7 } from "uuid"
import { asService } from "../Runtime/Database/Isolation.ts"
import { rowsOf } from "../Runtime/Database/Query.ts"
import { timestamp } from "../Runtime/Database/TimestampColumn.ts"

/** Without use for so long, a grant ends. */
const unusedDays = 90

/** What a person grants: later calls like one that was approved. */
export type NewGrant = Omit<CallGrant, "id" | "isByAdmin">

const GrantRow = Schema.Struct({
  id: GrantId,
  tool: Schema.String,
  binding: Schema.String,
  scope: Schema.Literal("task", "schedule", "agent"),
  task_id: Schema.NullOr(TaskId),
  schedule_id: Schema.NullOr(ScheduleId),
  agent: Schema.NullOr(Schema.String),
  person: Schema.NullOr(Schema.String),
  project: Schema.NullOr(Schema.String),
  values: Schema.parseJson(Schema.Record({ key: Schema.String, value: Schema.Unknown })),
  granted_by: UserId,
  is_by_admin: Schema.Boolean,
  created_at: Schema.String,
  used_at: Schema.NullOr(Schema.String),
  uses: Schema.Int
})

const rows = rowsOf(GrantRow.annotations({ identifier: "GrantRow" }))

const makeGrants = (sql: SqlClient) => {
  const columns = sql.literal(
    `id::text, tool, binding, scope, task_id::text, schedule_id::text, agent, person, project, "values", granted_by,
  granted_by = '${defaultUser}' or exists (select from users u where u.id = granted_by and u.role <> 'member') as is_by_admin,
  ${timestamp("created_at", "created_at")}, ${timestamp("used_at", "used_at")}, uses`
  )
  const isAlive = sql`coalesce(used_at, created_at) > now() - make_interval(days => ${unusedDays})`
  return {
    forCall: (by: CallRequester, tool: string): Effect.Effect<ReadonlyArray<CallGrant>> =>
      Effect.map(
        rows(asService(sql`select ${columns} from grants where tool = ${tool} and ${isAlive}
  and (task_id = ${by.task}::uuid or schedule_id = ${by.schedule}::uuid
    or (scope = 'agent' and agent is not distinct from ${by.agent}::text and person is not distinct from case when ${by.agent}::text is null then ${by.person}::text end))
order by id`)),
        (found) => found.map(callGrantOf)
      ),
    used: (id: string): Effect.Effect<void> =>
      asService(
        Effect.orDie(Effect.asVoid(sql`update grants set used_at = now(), uses = uses + 1 where id = ${id}::uuid`))
      ),
    add: ({ binding, by, covers, tool, values }: NewGrant): Effect.Effect<void> =>
      Effect.flatMap(Clock.currentTimeMillis, (msecs) => {
        const ofAgent = covers.scope === "agent" ? covers : null
        return Effect.orDie(Effect.asVoid(
          sql`insert into grants (id, tool, binding, scope, task_id, schedule_id, agent, person, project, "values", granted_by)
values (${v7({ msecs })}::uuid, ${tool}, ${binding}, ${covers.scope},
  ${covers.scope === "task" ? covers.task : null}::uuid, ${covers.scope === "schedule" ? covers.schedule : null}::uuid,
  ${ofAgent?.agent ?? null}, ${ofAgent?.person ?? null}, ${ofAgent?.project ?? null}, ${JSON.stringify(values)}, ${by})`
        ))
      }),
    /** Newest first: those that this person granted or that are for tasks, schedules or projects of theirs; null: all. */
    list: (reader: string | null): Effect.Effect<ReadonlyArray<Grant>> =>
      Effect.map(
        rows(asService(sql`select ${columns} from grants g where ${isAlive}
  and (${reader}::text is null or ${reader}::text in (granted_by, coalesce(person, ''))
    or ${reader}::text = any(select unnest(array[t.creator, t.assignee]) from tasks t where t.id = g.task_id)
    or ${reader}::text = (select s.user_id from schedules s where s.id = g.schedule_id))
order by id desc limit ${maxListed}`)),
        (found) =>
          found.map((grant): Grant => ({
            ...Struct.omit(grant, "binding", "is_by_admin", "person", "project"),
            same: Object.keys(grant.values)
          }))
      ),
    remove: (id: GrantId): Effect.Effect<void> =>
      asService(Effect.orDie(Effect.asVoid(sql`delete from grants where id = ${id}::uuid`)))
  }
}

/** Nobody reads further; each ends by itself after a time without use. */
const maxListed = 1_000

/** Consents to later calls. They are the service's: whoever asks for them says for whom. */
export class Grants extends Context.Tag("troupe/Policy/Grants")<Grants, ReturnType<typeof makeGrants>>() {
  static readonly layer: Layer.Layer<Grants, never, SqlClient> = Layer.effect(this, Effect.map(SqlClient, makeGrants))
}

const callGrantOf = (row: typeof GrantRow.Type): CallGrant => ({
  id: row.id,
  tool: row.tool,
  binding: row.binding,
  values: row.values,
  by: row.granted_by,
  isByAdmin: row.is_by_admin,
  covers: row.scope === "task"
    ? { scope: "task", task: row.task_id ?? "" }
    : row.scope === "schedule"
    ? { scope: "schedule", schedule: row.schedule_id ?? "" }
    : { scope: "agent", agent: row.agent, person: row.person, project: row.project }
})

/** The number of newest approvals, of calls of all tools, among which those of one tool are looked for. */
const looked = 500

/** The last calls of the tool about which was decided, in tasks of the same agent or, without one, of the same person and project. */
export const pastApprovals =
  (sql: SqlClient) => (by: CallRequester, tool: string): Effect.Effect<ReadonlyArray<PastApproval>> =>
    Effect.map(
      decidedCalls(
        asService(sql`select p.arguments, p.status from (select * from approvals order by id desc limit ${looked}) p
join tasks t on t.id = p.task_id
where p.tool = ${tool} and p.status in ('approved', 'denied') and t.agent is not distinct from ${by.agent}::text
  and (t.agent is not null or (t.creator = ${by.person} and t.project_id is not distinct from ${by.project}::text))
order by p.id desc limit ${lastCalls}`)
      ),
      (found) => found.map((row) => ({ arguments: row.arguments, isApproved: row.status === "approved" }))
    )

const decidedCalls = rowsOf(
  Schema.Struct({
    arguments: Schema.parseJson(Schema.Record({ key: Schema.String, value: Schema.Unknown })),
    status: Schema.String
  }).annotations({ identifier: "PastApprovalRow" })
)
