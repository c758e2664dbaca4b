import { SqlClient } from "@effect/sql/SqlClient"
import type { ApprovalQuery } from "@troupe/api/ApprovalsApi"
import type { Approval, ApprovalId } from "@troupe/domain/Approval"
import { isAdmin } from "@troupe/domain/Caller"
import { type Grant, GrantNotFound } from "@troupe/domain/Grant"
import { UserId } from "@troupe/domain/Ids"
import { Context, Effect, Layer, Schema } from "effect"
import { Grants } from "../../Policy/Grants.ts"
import { asService, statementCaller } from "../../Runtime/Database/Isolation.ts"
import { idBefore, type PageRequest } from "../../Runtime/Database/Page.ts"
import { rowsOf } from "../../Runtime/Database/Query.ts"
import { approvalColumns, approvalOf, ApprovalRow } from "../Row/ApprovalRow.ts"

const rows = rowsOf(
  Schema.Struct({ ...ApprovalRow.fields, creator: UserId }).annotations({ identifier: "ApprovalRow" })
)

type Filter = Pick<ApprovalQuery, "status" | "task_id" | "tool"> & PageRequest<ApprovalId>

/** Approvals and grants, as the caller may see them: who may read the task's content, and who may decide. */
export class ApprovalList extends Context.Tag("troupe/Task/Read/ApprovalList")<ApprovalList, {
  /** Newest first. */
  readonly list: (filter: Filter) => Effect.Effect<ReadonlyArray<Approval>>
  readonly grants: Effect.Effect<ReadonlyArray<Grant>>
  readonly removeGrant: (id: string) => Effect.Effect<void, GrantNotFound>
}>() {
  static readonly layer: Layer.Layer<ApprovalList, never, Grants | SqlClient> = Layer.effect(
    this,
    Effect.gen(function*() {
      const sql = yield* SqlClient
      const grants = yield* Grants
      /** Null sees all. */
      const reader = Effect.map(statementCaller, (caller) => caller === null || isAdmin(caller) ? null : caller.id)
      const mine = Effect.flatMap(reader, grants.list)
      return ApprovalList.of({
        list: ({ cursor, limit, status = null, task_id = null, tool = null }) =>
          Effect.gen(function*() {
            const who = yield* reader
            const found = yield* rows(asService(
              sql`select ${sql.literal(approvalColumns)}, t.creator from approvals p join tasks t on t.id = p.task_id
where (${status}::text is null or p.status = ${status}::text) and (${task_id}::uuid is null or p.task_id = ${task_id}::uuid)
  and (${tool}::text is null or p.tool = ${tool}::text) and p.id < ${idBefore(cursor)}::uuid
  and (${who}::text is null or ${who}::text in (t.creator, t.assignee) or ${who}::text = any(p.who))
order by p.id desc limit ${limit}`
            ))
            return found.map(({ creator, ...row }) => approvalOf(row, creator))
          }),
        grants: mine,
        removeGrant: (id) =>
          Effect.gen(function*() {
            const found = (yield* mine).find((grant) => grant.id === id)
            if (found === undefined) return yield* new GrantNotFound({ id })
            yield* grants.remove(found.id)
          })
      })
    })
  )
}
