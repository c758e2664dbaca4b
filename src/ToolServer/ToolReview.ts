import { SqlClient } from "@effect/sql/SqlClient"
import type { UserId } from "@troupe/domain/Ids"
import { headOf } from "@troupe/domain/Text"
import { HeldTool } from "@troupe/domain/ToolServer"
import { Effect, Schema } from "effect"
import { randomUUID } from "node:crypto"
import { rowsOf } from "../Runtime/Query.ts"
import type { ServerTool } from "./ServerTool.ts"

export interface ReviewOptions {
  readonly acceptChanges: boolean
  /** Who is notified of tools that are held, or new and in use; null: the owner and the admins of the team. */
  readonly admin: UserId | null
}

/** Reviews the tools that a server lists as it connects, or when its list is read again while it runs. */
export type Review = (
  server: string,
  listed: ReadonlyArray<ServerTool>,
  moment: "connected" | "running"
) => Effect.Effect<{ readonly usable: ReadonlyArray<ServerTool>; readonly held: ReadonlyArray<HeldTool> }>

/** Of a tool until it is accepted, and of the new tools in use of a server until it is configured again. */
const maxNotifications = 5

/**
 * Holds tools that changed since an admin accepted them: a definition goes to the model, so it may contain instructions
 * of an attacker. New tools are held when the server connects, as a restart may bring other code. Those announced while
 * it runs are accepted and the admins notified: many honest servers add tools after a sign-in or on demand. The digests
 * of the accepted definitions are stored; a new configuration deletes them all.
 */
export const makeReview = ({ acceptChanges, admin }: ReviewOptions): Effect.Effect<Review, never, SqlClient> =>
  Effect.map(SqlClient, (sql) => {
    const notify = (server: string, tools: ReadonlyArray<Finding>, isHeld: boolean) =>
      Effect.gen(function*() {
        const title = isHeld ? `Tools of ${server} are off` : `New tools of ${server} are in use`
        const body = isHeld ? heldBody(server, tools) : addedBody(server, tools)
        const names = tools.map(({ name }) => name)
        yield* Effect.logWarning(body)
        yield* sql.unsafe(notifyStatement, [server, names, admin, randomUUID(), title, body, maxNotifications, isHeld])
      })

    return (server, listed, moment) =>
      Effect.gen(function*() {
        const found = yield* findings(sql.unsafe(reviewStatement, [
          server,
          listed.map(({ name }) => name),
          listed.map(({ digest }) => digest),
          acceptChanges,
          acceptChanges || moment === "running",
          maxNotifications
        ]))
        for (const isHeld of [true, false]) {
          const unnotified = found.filter((finding) => finding.isHeld === isHeld && !finding.isNotified)
          if (unnotified.length > 0) yield* notify(server, unnotified, isHeld)
        }
        const held = found.filter(({ isHeld }) => isHeld)
        const names = new Set(held.map(({ name }) => name))
        return { usable: names.size === 0 ? listed : listed.filter(({ name }) => !names.has(name)), held }
      }).pipe(Effect.orDie)
  })

/** A tool to notify the admins of: it is held, or it is new and in use. */
const Finding = Schema.Struct({ ...HeldTool.fields, isHeld: Schema.Boolean, isNotified: Schema.Boolean })
type Finding = typeof Finding.Type
const findings = rowsOf(Finding)

const offered = "coalesce(excluded.digest, excluded.held)"
/** Decided on the locked row: another process may have written it since it was read. */
const isReleased = `($4 or known.digest is not distinct from ${offered})`

/** `$4` accepts changed tools, `$5` unseen ones; those of a server's first review are accepted in any case. */
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

const addedBody = (server: string, added: ReadonlyArray<Finding>): string =>
  `The tool server ${server} announced new tools while it was running: ${namesOf(added)}. Agents can use them. `
  + "If you did not expect them, check the server, then disable it or set its allowed_tools with "
  + "POST /api/mcp/configure. ACCEPT_CHANGED_TOOLS=true accepts such changes without a notification."

const heldBody = (server: string, held: ReadonlyArray<Finding>): string => {
  const changed = namesOf(held.filter(({ reason }) => reason === "changed"))
  const added = namesOf(held.filter(({ reason }) => reason === "new"))
  const what = [
    changed === "" ? "" : `changed the definition of ${changed}`,
    added === "" ? "" : `offers new tools: ${added}`
  ]
  return `The tool server ${server} ${what.filter((part) => part !== "").join(" and ")}. Agents can't use these tools `
    + "until an admin accepts them: check the server, then send the configuration to POST /api/mcp/configure again. "
    + "ACCEPT_CHANGED_TOOLS=true accepts such changes without asking."
}

const maxNames = 10

const namesOf = (held: ReadonlyArray<Finding>): string => {
  const named = held.slice(0, maxNames).map(({ name }) => headOf(name, 100)).join(", ")
  return held.length > maxNames ? `${named} and ${held.length - maxNames} more` : named
}
