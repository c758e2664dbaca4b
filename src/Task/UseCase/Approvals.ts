import { SqlClient } from "@effect/sql/SqlClient"
import type { ApprovalDecision } from "@troupe/api/ApprovalsApi"
import { CurrentUser } from "@troupe/api/Authentication"
import { ApprovalDecided } from "@troupe/domain/Approval"
import { misfitsOf } from "@troupe/domain/ArgumentsFit"
import { valueAt } from "@troupe/domain/ArgumentTest"
import { isSelfHosted, NotAllowed } from "@troupe/domain/Caller"
import { defaultUser, type TaskId, ToolCallId, UserId } from "@troupe/domain/Ids"
import { defaultApprovers } from "@troupe/domain/Policy"
import type { CallGrant } from "@troupe/domain/PolicyDecision"
import { stepText } from "@troupe/domain/StepText"
import { TaskNotFound, TaskRequestInvalid, TaskStateConflict, TaskStatus, ToolAccess } from "@troupe/domain/Task"
import { Clock, DateTime, Effect, Option, Schema } from "effect"
import { newOutboxId } from "../../Delivery/Outbox.ts"
import { mayDecide, notAllowedTo } from "../../Policy/ApprovalRights.ts"
import { Grants, type NewGrant } from "../../Policy/Grants.ts"
import { approvalWaitSeconds } from "../../Policy/PolicyMetrics.ts"
import { asService } from "../../Runtime/Database/Isolation.ts"
import { PreparedStatements } from "../../Runtime/Database/PreparedStatements.ts"
import { rowsOf } from "../../Runtime/Database/Query.ts"
import { storable } from "../../Runtime/Database/StorableText.ts"
import { decide as decideStatement } from "../Command/ApprovalStatements.ts"
import { CurrentVia } from "../Command/CurrentVia.ts"
import { TaskTransactions } from "../Command/TaskTransactions.ts"
import { approvalColumns, ApprovalRow } from "../Row/ApprovalRow.ts"
import { TaskSignals } from "../Row/TaskSignals.ts"

export type DecisionRefused = ApprovalDecided | NotAllowed | TaskNotFound | TaskRequestInvalid | TaskStateConflict

/** Decides about calls that ask: all of the decisions apply, or none. `by` is null for the operator, self-hosted. */
export type Decide = (
  id: TaskId,
  decisions: ReadonlyArray<ApprovalDecision>,
  by: UserId | null
) => Effect.Effect<void, DecisionRefused>

const Asking = Schema.Struct({
  creator: UserId,
  approver: Schema.NullOr(UserId),
  tool_access: ToolAccess,
  schedule_id: Schema.NullOr(Schema.String),
  project_id: Schema.NullOr(Schema.String),
  agent: Schema.NullOr(Schema.String),
  status: TaskStatus
}).annotations({ identifier: "AskingTask" })
type Asking = typeof Asking.Type

const Open = Schema.Struct({ ...ApprovalRow.fields, parameters: Schema.parseJson(), binding: Schema.String })
type Open = typeof Open.Type

const Person = Schema.Struct({ name: Schema.NullOr(Schema.String), role: Schema.String })

const askingTasks = rowsOf(Asking)
const openRows = rowsOf(Open.annotations({ identifier: "OpenApproval" }))
const people = rowsOf(Person)

export const makeDecide: Effect.Effect<
  Decide,
  never,
  Grants | PreparedStatements | SqlClient | TaskSignals | TaskTransactions
> = Effect.gen(function*() {
  const sql = yield* SqlClient
  const database = yield* PreparedStatements
  const transactions = yield* TaskTransactions
  const signals = yield* TaskSignals
  const grants = yield* Grants

  const inTransaction = Effect.fnUntraced(
    function*(id: TaskId, decisions: ReadonlyArray<ApprovalDecision>, by: UserId | null) {
      const [task] = yield* askingTasks(
        sql`select t.creator, case when not t.assigned_by_answer then t.assignee end as approver, t.tool_access, t.schedule_id::text, t.project_id, t.agent, a.status
from actors a join tasks t on t.id = a.task_id where a.task_id = ${id}::uuid for update of a`
      )
      if (task === undefined) return yield* new TaskNotFound({ id })
      const rows = yield* openRows(
        sql`select ${sql.literal(approvalColumns)}, p.parameters, p.binding from approvals p
where p.task_id = ${id}::uuid order by p.id`
      )
      // Of a call that was asked anew, the last question counts.
      const byCall = new Map(rows.map((row) => [row.tool_call_id, row]))
      const via = yield* CurrentVia
      const who = by ?? defaultUser
      const [person] = yield* people(
        sql`select coalesce(display_name, name, id) as name, role from users where id = ${who}`
      )
      const caller = Option.getOrNull(
        Option.filter(yield* Effect.serviceOption(CurrentUser), (one) => !isSelfHosted(one))
      )
      if (caller !== null && caller.id !== by) {
        return yield* new NotAllowed({ reason: "An approval counts only in one's own name: leave user_id out." })
      }
      // By a token, a member may do no more than its role.
      const approver = {
        by: by === defaultUser ? null : by,
        role: caller === null ? person?.role : caller.role,
        isProgram: via === "mcp"
      }
      // What calls there are is said only to who may decide about some.
      if (![...rows, anyCall].some((row) => mayDecide(row, task, approver))) {
        return yield* new NotAllowed({ reason: notAllowedTo(rows[0] ?? anyCall) })
      }
      const made = yield* Effect.forEach(decisions, (decision, at) =>
        Effect.gen(function*() {
          const row = byCall.get(ToolCallId.make(decision.tool_call_id))
          const path = `decisions.${at}`
          if (row === undefined) {
            return yield* new TaskRequestInvalid({
              path: `${path}.tool_call_id`,
              reason: "no call of the task with this id has asked for approval"
            })
          }
          if (row.status !== "open") {
            return yield* new ApprovalDecided({
              tool_call_id: row.tool_call_id,
              status: row.status,
              by: row.decided_by,
              at: row.decided_at
            })
          }
          if (task.status !== "waiting_input") {
            return yield* new TaskStateConflict({ id, status: task.status, wanted: "it does not wait for an approval" })
          }
          if (!mayDecide(row, task, approver)) return yield* new NotAllowed({ reason: notAllowedTo(row) })
          if (decision.approval !== undefined && decision.approval !== row.id) {
            return yield* new TaskStateConflict({
              id,
              status: task.status,
              wanted: `call ${row.tool_call_id} was asked anew since it was shown`
            })
          }
          if (via === "email" && row.class === "destructive" && decision.decision === "approve") {
            return yield* new NotAllowed({
              reason: `The call of ${row.tool} is destructive: it is approved in the console, not by a mail.`
            })
          }
          const edited = yield* editedOf(row, decision, path)
          const grant = yield* grantOf(
            row,
            task,
            { ...decision, arguments: edited ?? row.arguments },
            `${path}.remember`
          )
          const isApproved = decision.decision === "approve"
          const doneBy = { by: who, name: person?.name ?? null, via }
          const reason = decision.reason === undefined || decision.reason === null ? null : storable(decision.reason)
          const json = edited === null ? null : storable(JSON.stringify(edited))
          return {
            grant,
            askedAt: row.created_at,
            row: {
              place: at + 1,
              id: row.id,
              status: isApproved ? "approved" as const : "denied" as const,
              arguments: json,
              edited: edited !== null,
              reason,
              via,
              step: stepText({ kind: "answered", ...doneBy, decision: isApproved ? "approved" : "denied" }),
              command: JSON.stringify({
                kind: "decided",
                toolCallId: row.tool_call_id,
                approval: row.id,
                isApproved,
                ...doneBy,
                reason,
                arguments: json
              })
            }
          }
        }))
      const decided = new Set(made.map(({ row }) => row.id))
      if (decided.size < made.length) {
        return yield* new TaskRequestInvalid({ path: "decisions", reason: "each call is decided once" })
      }
      const isLast = [...byCall.values()].every(({ id, status }) => status !== "open" || decided.has(id))
      for (const { grant } of made) if (grant !== null) yield* grants.add({ ...grant, by: who })
      yield* Effect.orDie(database.execute(decideStatement({
        task: id,
        origin: signals.origin,
        decisions: JSON.stringify(made.map(({ row }) => row)),
        isLast,
        by,
        text: JSON.stringify(made.map(({ row }) => row.status).join(", ")),
        shown: yield* newOutboxId
      })))
      return made
    }
  )
  return (id, decisions, by) =>
    asService(transactions.run(inTransaction(id, decisions, by))).pipe(
      Effect.catchTag("SqlError", Effect.die),
      Effect.zipWith(Clock.currentTimeMillis, (made, now) => {
        signals.stepped([id])
        for (const { askedAt, row } of made) {
          approvalWaitSeconds((now - DateTime.unsafeMake(askedAt).epochMillis) / 1_000, { decision: row.status })
        }
      })
    )
})

const anyCall = { tool: "a tool", who: defaultApprovers }

/** The arguments as the person has changed them; null: as they were asked. */
const editedOf = ({ parameters }: Open, { arguments: edited, decision }: ApprovalDecision, path: string) =>
  Effect.gen(function*() {
    if (edited === undefined || edited === null) return null
    if (decision === "deny") {
      return yield* new TaskRequestInvalid({ path: `${path}.arguments`, reason: "only an approval has arguments" })
    }
    const [misfit] = misfitsOf(parameters, edited)
    return misfit === undefined ? edited : yield* new TaskRequestInvalid({
      path: `${path}.arguments${misfit.path.replaceAll("/", ".")}`,
      reason: misfit.message
    })
  })

/** Without an agent, the person's tasks of that project. */
const ofAgent = ({ agent, creator, project_id }: Asking): CallGrant["covers"] =>
  agent === null
    ? { scope: "agent", agent, person: creator, project: project_id }
    : { scope: "agent", agent, person: null, project: null }

const grantOf = (
  { binding, class: ofTool, task_id: id, tool }: Open,
  task: Asking,
  { arguments: args, decision, remember }: ApprovalDecision,
  path: string
): Effect.Effect<Omit<NewGrant, "by"> | null, TaskRequestInvalid> =>
  Effect.gen(function*() {
    if (remember === undefined || remember === null) return null
    const invalid = (reason: string, at = path) => new TaskRequestInvalid({ path: at, reason })
    if (decision === "deny") return yield* invalid("only an approval can be remembered")
    if (ofTool === "destructive") return yield* invalid("a destructive call is asked about each time")
    const values = yield* Effect.forEach(remember.same ?? [], (pointer, at) =>
      Option.match(valueAt(args, pointer), {
        onNone: () => Effect.fail(invalid("the call has no such argument", `${path}.same.${at}`)),
        onSome: (value) => Effect.succeed([pointer, value] as const)
      }))
    const grant = { tool, binding, values: Object.fromEntries(values) }
    switch (remember.scope) {
      case "task":
        return { ...grant, covers: { scope: "task", task: id } }
      case "schedule":
        return task.schedule_id === null
          ? yield* invalid("no schedule has made the task", `${path}.scope`)
          : { ...grant, covers: { scope: "schedule", schedule: task.schedule_id } }
      case "agent":
        return { ...grant, covers: ofAgent(task) }
    }
  })
