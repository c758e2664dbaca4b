import type { UserId } from "@troupe/domain/Ids"
import { headOf } from "@troupe/domain/ToolResult"
import { Effect } from "effect"
import type { ServerTool } from "./ServerTool.ts"
import type { Held, ToolDefinitions } from "./ToolDefinitions.ts"

export interface ReviewOptions {
  /** ACCEPT_CHANGED_TOOLS. */
  readonly acceptChanges: boolean
  /** Who is told of tools that are held; null: the owner and the admins of the team. */
  readonly admin: UserId | null
}

/** The tools of a list: those that agents may use, and those that are held until an admin accepts them. */
export interface ReviewedTools {
  readonly usable: ReadonlyArray<ServerTool>
  readonly held: ReadonlyArray<Held>
}

/**
 * Whether the list is that of a server that has just connected, or was announced (`list_changed`) or asked for while it
 * ran.
 */
export type ReviewMoment = "connected" | "running"

/**
 * Separates the tools of a server that an admin has accepted from those that changed since. What a tool says of itself
 * goes to the model, so one that says something else than what was accepted may be after something.
 *
 * New tools of a known server are held as well when the server connects: a restart may bring other code, or another
 * owner. Those that it announces while it runs are accepted: the program is the accepted one, and many honest servers
 * add tools after a sign-in or on demand.
 */
export const makeReview =
  (definitions: ToolDefinitions["Type"], { acceptChanges, admin }: ReviewOptions) =>
  (listed: ReadonlyArray<ServerTool>, moment: ReviewMoment): Effect.Effect<ReviewedTools> =>
    Effect.gen(function*() {
      const [first] = listed
      if (first === undefined) return { usable: listed, held: [] }
      const { server } = first
      const accept = { changed: acceptChanges, unseen: acceptChanges || moment === "running" }
      const held = yield* definitions.review(server, listed, accept)
      const untold = held.filter(({ isTold }) => !isTold)
      if (untold.length > 0) {
        const body = bodyOf(server, untold)
        yield* Effect.logWarning(body)
        const tools = untold.map(({ name }) => name)
        yield* definitions.tell({ server, tools, title: `Tools of ${server} are off`, body, admin })
      }
      const names = new Set(held.map(({ name }) => name))
      return { usable: names.size === 0 ? listed : listed.filter(({ name }) => !names.has(name)), held }
    })

const bodyOf = (server: string, held: ReadonlyArray<Held>): string => {
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

const namesOf = (held: ReadonlyArray<Held>): string => {
  const named = held.slice(0, maxNames).map(({ name }) => headOf(name, 100)).join(", ")
  return held.length > maxNames ? `${named} and ${held.length - maxNames} more` : named
}
