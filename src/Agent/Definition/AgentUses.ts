import { SqlClient } from "@effect/sql/SqlClient"
import { AgentUse } from "@troupe/domain/Agent"
import { Context, Effect, Layer } from "effect"
import { asService } from "../../Runtime/Database/Isolation.ts"
import { rowsOf } from "../../Runtime/Database/Query.ts"
import { timestamp } from "../../Runtime/Database/TimestampColumn.ts"

const useRows = rowsOf(AgentUse)

/** The revisions that the newest thousand tasks of an agent used: files of the service, which everybody may read. */
export class AgentUses extends Context.Tag("troupe/Agent/Definition/AgentUses")<AgentUses, {
  readonly of: (agent: string) => Effect.Effect<ReadonlyArray<AgentUse>>
}>() {
  static readonly layer: Layer.Layer<AgentUses, never, SqlClient> = Layer.effect(
    this,
    Effect.map(SqlClient, (sql) =>
      AgentUses.of({
        of: (agent) =>
          asService(
            useRows(
              sql`select u.agent_revision as revision, u.tasks, ${
                sql.literal(timestamp("u.last", "last_used_at"))
              }, p.text as content
from (
  select agent_revision, agent_text, count(*)::integer as tasks, max(created_at) as last from (
    select agent_revision, agent_text, created_at from tasks where agent between ${agent} and ${agent}
    order by agent desc, id desc limit 1000
  ) t group by agent_revision, agent_text
) u join prompt_texts p on p.id = u.agent_text
order by u.last desc, u.agent_revision`
            )
          )
      }))
  )
}
