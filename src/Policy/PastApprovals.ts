import type { SqlClient } from "@effect/sql/SqlClient"
import { lastCalls, type PastApproval } from "@troupe/domain/EqualApprovals"
import type { CallRequester } from "@troupe/domain/PolicyDecision"
import { Effect, Schema } from "effect"
import { asService } from "../Runtime/Database/Isolation.ts"
import { rowsOf } from "../Runtime/Database/Query.ts"

/** So many calls of all tools are looked through for those of one. */
const looked = 500

/** The last calls of the tool about which was decided, in tasks of the same agent or, without one, of the same person and project. */
export const pastApprovals =
  (sql: SqlClient) => (by: CallRequester, tool: string): Effect.Effect<ReadonlyArray<PastApproval>> =>
    Effect.map(
      rows(asService(sql`select p.arguments, p.status from (select * from approvals order by id desc limit ${looked}) p
join tasks t on t.id = p.task_id
where p.tool = ${tool} and p.status in ('approved', 'denied') and t.agent is not distinct from ${by.agent}::text
  and (t.agent is not null or (t.creator = ${by.person} and t.project_id is not distinct from ${by.project}::text))
order by p.id desc limit ${lastCalls}`)),
      (found) => found.map((row) => ({ arguments: row.arguments, isApproved: row.status === "approved" }))
    )

const rows = rowsOf(
  Schema.Struct({
    arguments: Schema.parseJson(Schema.Record({ key: Schema.String, value: Schema.Unknown })),
    status: Schema.String
  }).annotations({ identifier: "PastApprovalRow" })
)
