import type { UserId } from "@troupe/domain/Ids"
import type { HeldTool } from "@troupe/domain/ToolServer"
import { Context, Effect, Layer, Schema } from "effect"
import { randomUUID } from "node:crypto"
import { type Prepared, PreparedStatements } from "../Runtime/PreparedStatements.ts"
import type { ServerTool } from "./ServerTool.ts"

/** Which definitions a review accepts besides those that were accepted before. */
export interface Acceptance {
  readonly changed: boolean
  /** Tools of a known server that were never seen before. Those of a server's first review are accepted in any case. */
  readonly unseen: boolean
}

/** A tool that may not be used, and whether the admins need not be told of it again. */
export interface Held extends HeldTool {
  readonly isTold: boolean
}

/** After so many notifications a tool that changes again and again is not told of until it is accepted. */
const maxTold = 5

/** The fingerprints of the tool definitions that were accepted, by server and tool. Configuring anew forgets them all. */
export class ToolDefinitions extends Context.Tag("troupe/ToolServer/ToolDefinitions")<ToolDefinitions, {
  /** The tools that are held. One that has its accepted definition again is not. */
  readonly review: (
    server: string,
    tools: ReadonlyArray<ServerTool>,
    accept: Acceptance
  ) => Effect.Effect<ReadonlyArray<Held>>
  /** Notifies the admin, or all owners and admins, unless they were told of all these definitions before. */
  readonly tell: (notice: {
    readonly server: string
    readonly tools: ReadonlyArray<string>
    readonly title: string
    readonly body: string
    readonly admin: UserId | null
  }) => Effect.Effect<void>
}>() {
  static readonly layer: Layer.Layer<ToolDefinitions, never, PreparedStatements> = Layer.effect(
    this,
    Effect.map(PreparedStatements, (database) =>
      ToolDefinitions.of({
        review: (server, tools, accept) =>
          database.execute(review, [
            server,
            tools.map(({ name }) => name),
            tools.map(({ digest }) => digest),
            accept.changed,
            accept.unseen,
            maxTold
          ]).pipe(Effect.flatMap(decode), Effect.orDie),
        tell: ({ admin, body, server, title, tools }) =>
          database.execute(tell, [server, tools, admin, randomUUID(), title, body, maxTold]).pipe(
            Effect.orDie,
            Effect.asVoid
          )
      }))
  )
}

const decode = Schema.decodeUnknown(Schema.Array(Schema.Struct({
  name: Schema.String,
  reason: Schema.Literal("changed", "new"),
  isTold: Schema.Boolean
})))

const offered = "coalesce(excluded.digest, excluded.held)"
/** Decided by the row as it is when it is locked: another process may have written it since it was read. */
const isReleased = `($4 or known.digest is not distinct from ${offered})`

const review: Prepared = {
  name: "tool_definitions_review",
  text: `with given as (
  select * from unnest($2::text[], $3::text[]) as given (tool, digest)
), judged as (
  select given.tool, given.digest,
    case when known.digest is null then 'new' else 'changed' end as reason,
    coalesce(known.told_of = given.digest or known.told >= $6::integer, false) as is_told,
    $4::boolean or case
      when known.tool is null then $5::boolean or not exists (select from tool_definitions where server = $1)
      else known.digest is not distinct from given.digest
    end as is_accepted
  from given
  left join tool_definitions known on known.server = $1 and known.tool = given.tool
), written as (
  insert into tool_definitions as known (server, tool, digest, held, seen_at)
  select $1, tool, case when is_accepted then digest end, case when not is_accepted then digest end, now()
  from judged order by tool
  on conflict (server, tool) do update set
    digest = case when $4 then ${offered} else known.digest end,
    held = case when ${isReleased} then null else ${offered} end,
    told_of = case when ${isReleased} then null else known.told_of end,
    told = case when $4 then 0 else known.told end,
    seen_at = excluded.seen_at
  where known.held is distinct from case when ${isReleased} then null else ${offered} end
    or $4 and known.digest is distinct from ${offered}
)
select tool as name, reason, is_told as "isTold" from judged where not is_accepted order by tool`
}

/** The ids are of the same form as those of steps' notifications, with a random tail. */
const tell: Prepared = {
  name: "tool_definitions_tell",
  text: `with told as (
  update tool_definitions set told_of = held, told = told + 1
  where server = $1 and tool = any($2::text[]) and told_of is distinct from held and held is not null
    and told < $7::integer
  returning tool
), admins as (
  select $3::text as id where $3::text is not null
  union all
  select id from users where $3::text is null and role in ('owner', 'admin') and not is_system
)
insert into notifications (id, user_id, kind, title, body)
select notification_id(now(), $4::uuid, (row_number() over (order by id))::integer, 0), id, 'reminder', $5, $6
from admins where exists (select from told)`
}
