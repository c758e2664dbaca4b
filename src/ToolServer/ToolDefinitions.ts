import { SqlClient } from "@effect/sql/SqlClient"
import type { UserId } from "@troupe/domain/Ids"
import type { HeldTool } from "@troupe/domain/ToolServer"
import { Context, Effect, Layer, Schema } from "effect"
import { randomUUID } from "node:crypto"
import type { ServerTool } from "./ServerTool.ts"

/** Which definitions a review accepts besides those accepted before. */
export interface Acceptance {
  readonly changed: boolean
  /** Tools of a known server that were never seen before. Those of a server's first review are accepted in any case. */
  readonly unseen: boolean
}

/** A tool to notify the admins of: it is held, or it is new and in use. */
export interface Finding extends HeldTool {
  readonly isHeld: boolean
  readonly isNotified: boolean
}

export interface Notice {
  readonly server: string
  readonly tools: ReadonlyArray<string>
  readonly isHeld: boolean
  readonly title: string
  readonly body: string
  /** null: all owners and admins. */
  readonly admin: UserId | null
}

/** Of a tool until it is accepted, and of the new tools in use of a server until it is configured again. */
const maxNotifications = 5

/** The digests of the accepted tool definitions, by server and tool. A new configuration deletes them all. */
export class ToolDefinitions extends Context.Tag("troupe/ToolServer/ToolDefinitions")<ToolDefinitions, {
  /** Records the definitions. The first review of a server finds nothing, even if its list is empty. */
  readonly review: (
    server: string,
    tools: ReadonlyArray<ServerTool>,
    accept: Acceptance
  ) => Effect.Effect<ReadonlyArray<Finding>>
  readonly notify: (notice: Notice) => Effect.Effect<void>
}>() {
  static readonly layer: Layer.Layer<ToolDefinitions, never, SqlClient> = Layer.effect(
    this,
    Effect.map(SqlClient, (sql) =>
      ToolDefinitions.of({
        review: (server, tools, accept) =>
          sql.unsafe(reviewStatement, [
            server,
            tools.map(({ name }) => name),
            tools.map(({ digest }) => digest),
            accept.changed,
            accept.unseen,
            maxNotifications
          ]).pipe(Effect.flatMap(decode), Effect.orDie),
        notify: ({ admin, body, isHeld, server, title, tools }) =>
          sql.unsafe(notifyStatement, [server, tools, admin, randomUUID(), title, body, maxNotifications, isHeld]).pipe(
            Effect.orDie,
            Effect.asVoid
          )
      }))
  )
}

const decode = Schema.decodeUnknown(Schema.Array(Schema.Struct({
  name: Schema.String,
  reason: Schema.Literal("changed", "new"),
  isHeld: Schema.Boolean,
  isNotified: Schema.Boolean
})))

const offered = "coalesce(excluded.digest, excluded.held)"
/** Decided on the locked row: another process may have written it since it was read. */
const isReleased = `($4 or known.digest is not distinct from ${offered})`

const reviewStatement = `with given as (
  select * from unnest($2::text[], $3::text[]) as given (tool, digest)
), judged as (
  select given.tool, given.digest,
    case when known.digest is null then 'new' else 'changed' end as reason,
    coalesce(known.notified_digest = given.digest or known.notification_count >= $6::integer, false) as is_notified,
    $4::boolean or case
      when known.tool is null then $5::boolean or not is_reviewed
      else known.digest is not distinct from given.digest
    end as is_accepted,
    known.tool is null and is_reviewed and not $4::boolean as is_added
  from given
  cross join (select exists (select from tool_definitions where server = $1) as is_reviewed) as before
  left join tool_definitions known on known.server = $1 and known.tool = given.tool
), written as (
  insert into tool_definitions as known (server, tool, digest, held, seen_at)
  select $1, tool, case when is_accepted then digest end, case when not is_accepted then digest end, now()
  from (select tool, digest, is_accepted from judged union all select '', '', true) as rows
  order by tool
  on conflict (server, tool) do update set
    digest = case when $4 then ${offered} else known.digest end,
    held = case when ${isReleased} then null else ${offered} end,
    notified_digest = case when ${isReleased} then null else known.notified_digest end,
    notification_count = case when $4 then 0 else known.notification_count end,
    seen_at = excluded.seen_at
  where known.held is distinct from case when ${isReleased} then null else ${offered} end
    or $4 and known.digest is distinct from ${offered}
)
select tool as name, reason, not is_accepted as "isHeld", is_notified as "isNotified"
from judged where not is_accepted or is_added order by tool`

/** The ids are of the same form as those of steps' notifications, with a random tail. */
const notifyStatement = `with notified as (
  update tool_definitions
  set notified_digest = coalesce(held, digest), notification_count = notification_count + $8::boolean::integer
  where server = $1 and tool = any($2::text[]) and notified_digest is distinct from coalesce(held, digest)
    and (held is not null) = $8::boolean and notification_count < $7::integer
  returning tool
), counted as (
  update tool_definitions set notification_count = notification_count + 1
  where not $8::boolean and server = $1 and tool = '' and notification_count < $7::integer
    and exists (select from notified)
  returning tool
), admins as (
  select $3::text as id where $3::text is not null
  union all
  select id from users where $3::text is null and role in ('owner', 'admin') and not is_system
)
insert into notifications (id, user_id, kind, title, body)
select notification_id(now(), $4::uuid, (row_number() over (order by id))::integer, 0), id, 'reminder', $5, $6
from admins where exists (select from notified) and ($8::boolean or exists (select from counted))`
