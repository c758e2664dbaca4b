import { SqlClient } from "@effect/sql/SqlClient"
import type { UserId } from "@troupe/domain/Ids"
import { headOf } from "@troupe/domain/Text"
import type { HeldTool, ToolServerTool } from "@troupe/domain/ToolServer"
import { Effect, Schema } from "effect"
import { makeNotifyAdmins } from "../Delivery/AdminNotices.ts"
import { rowsOf, theRow } from "../Runtime/Database/Query.ts"
import { boundNames, type ServerTool } from "./ServerTool.ts"

export interface ReviewOptions {
  readonly acceptChanges: boolean
  /** Who is notified of tools that are held; null: the owner and the admins of the team. */
  readonly admin: UserId | null
}

/** Reviews the tools that a server lists as it connects, or announces while it runs. */
export type Review = (
  server: string,
  listed: ReadonlyArray<ServerTool>
) => Effect.Effect<{ readonly usable: ReadonlyArray<ServerTool>; readonly held: ReadonlyArray<HeldTool> }>

/** Of a server until its tools are accepted: it may list other tools every second. */
const maxNotifications = 5

/** The definitions as they are stored. */
export const Listed = Schema.parseJson(Schema.Array(Schema.Struct({
  server: Schema.String,
  name: Schema.String,
  description: Schema.String,
  parameters: Schema.Record({ key: Schema.String, value: Schema.Unknown }),
  renamed: Schema.optionalWith(Schema.ReadonlyMap({ key: Schema.String, value: Schema.String }), { exact: true }),
  isReadOnly: Schema.Boolean,
  isIdempotent: Schema.Boolean,
  isDestructive: Schema.optional(Schema.Boolean),
  isClosed: Schema.optional(Schema.Boolean),
  digest: Schema.String
})))
const listedText: (tools: ReadonlyArray<ServerTool>) => string = Schema.encodeSync(Listed)

/** The digest of each tool's definition, by its name. */
export const Digests = Schema.parseJson(Schema.ReadonlyMap({ key: Schema.String, value: Schema.String }))
export const digestsText = Schema.encodeSync(Digests)
const digestsOf = (tools: ReadonlyArray<ServerTool>) => new Map(tools.map(({ digest, name }) => [name, digest]))

const stateOf = ({ digest, name }: ServerTool, accepted: ReadonlyMap<string, string>): ToolServerTool["state"] =>
  accepted.get(name) === digest ? "usable" : accepted.has(name) ? "changed" : "new"

const pins = rowsOf(Schema.Struct({ accepted: Digests, notified: Digests, notifications: Schema.Number }))

/**
 * Holds tools that are new or have changed since an admin accepted the server's tools: a definition goes to the model,
 * so it may contain instructions of an attacker. The digests of the first list are pinned; another configuration of
 * the server deletes them.
 */
export const makeReview = ({ acceptChanges, admin }: ReviewOptions): Effect.Effect<Review, never, SqlClient> =>
  Effect.map(Effect.all([SqlClient, makeNotifyAdmins(admin)]), ([sql, notifyAdmins]) => {
    /** Pins the first list of a server, else locks its pins until the end of the transaction. */
    const pinsOf = (server: string, listed: ReadonlyArray<ServerTool>) =>
      theRow(pins(
        sql`insert into tool_server_pins (server, accepted, listed)
values (${server}, ${digestsText(digestsOf(listed))}, ${listedText(listed)})
on conflict (server) do update set listed = excluded.listed
returning accepted, notified, notification_count as notifications`
      ))

    const notify = (server: string, unnotified: ReadonlyArray<HeldTool>, held: ReadonlyArray<ServerTool>) => {
      const body = bodyOf(server, unnotified)
      return Effect.all([
        Effect.logWarning(body),
        sql`update tool_server_pins
set notified = ${digestsText(digestsOf(held))}, notification_count = notification_count + 1 where server = ${server}`,
        notifyAdmins({ title: `Tools of ${server} are off`, body })
      ])
    }

    return (server, listed) =>
      Effect.gen(function*() {
        const { accepted, notifications, notified } = yield* pinsOf(server, listed)
        const held = listed.filter((tool) => stateOf(tool, accepted) !== "usable")
        if (held.length === 0) return { usable: listed, held: [] }
        if (acceptChanges) {
          yield* sql`update tool_server_pins
set accepted = ${digestsText(digestsOf(listed))}, notified = '[]', notification_count = 0 where server = ${server}`
          return { usable: listed, held: [] }
        }
        const heldTool = ({ name }: ServerTool): HeldTool => ({ name, reason: accepted.has(name) ? "changed" : "new" })
        const unnotified = held.filter(({ digest, name }) => notified.get(name) !== digest)
        if (unnotified.length > 0 && notifications < maxNotifications) {
          yield* notify(server, unnotified.map(heldTool), held)
        }
        return { usable: listed.filter((tool) => !held.includes(tool)), held: held.map(heldTool) }
      }).pipe(sql.withTransaction, Effect.orDie)
  })

const bodyOf = (server: string, held: ReadonlyArray<HeldTool>): string => {
  const changed = namesOf(held.filter(({ reason }) => reason === "changed"))
  const added = namesOf(held.filter(({ reason }) => reason === "new"))
  const what = [
    changed === "" ? "" : `changed the definition of ${changed}`,
    added === "" ? "" : `offers new tools: ${added}`
  ]
  return `The tool server ${server} ${what.filter((part) => part !== "").join(" and ")}. Agents can't use these tools `
    + `until an admin accepts them: in the console, or with their digests by POST /api/mcp/servers/${server}/accept. `
    + "ACCEPT_CHANGED_TOOLS=true accepts such changes without asking."
}

const maxNames = 10

const namesOf = (held: ReadonlyArray<HeldTool>): string => {
  const named = held.slice(0, maxNames).map(({ name }) => headOf(name, 100)).join(", ")
  return held.length > maxNames ? `${named} and ${held.length - maxNames} more` : named
}

/** The last list of a server, and the digests of the definitions that were accepted. */
interface Pinned {
  readonly server: string
  readonly accepted: ReadonlyMap<string, string>
  readonly listed: ReadonlyArray<ServerTool>
}

/** What agents may use of a last list. */
export const usableOf = ({ accepted, listed }: Omit<Pinned, "server">): ReadonlyArray<ServerTool> =>
  listed.filter((tool) => stateOf(tool, accepted) === "usable")

export interface ListedTools {
  readonly server: string
  readonly tools: ReadonlyArray<ToolServerTool & Pick<ServerTool, "isClosed" | "isDestructive" | "renamed">>
}

/** The tools of all servers together, because the names under which agents call them must differ. */
export const listedTools = (servers: ReadonlyArray<Pinned>): ReadonlyArray<ListedTools> => {
  const names = new Map(
    [...boundNames(servers.flatMap(({ listed }) => listed))].map(([bound, tool]) => [tool, bound] as const)
  )
  return servers.map(({ accepted, listed, server }) => ({
    server,
    tools: listed.map((tool) => ({
      name: tool.name,
      bound_name: names.get(tool) ?? tool.name,
      description: tool.description,
      input_schema: tool.parameters,
      is_read_only: tool.isReadOnly,
      isClosed: tool.isClosed,
      isDestructive: tool.isDestructive,
      ...(tool.renamed === undefined ? {} : { renamed: tool.renamed }),
      state: stateOf(tool, accepted),
      digest: tool.digest
    }))
  }))
}
