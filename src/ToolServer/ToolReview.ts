import type { UserId } from "@troupe/domain/Ids"
import { headOf } from "@troupe/domain/ToolResult"
import { Effect } from "effect"
import type { ServerTool } from "./ServerTool.ts"
import type { Finding, ToolDefinitions } from "./ToolDefinitions.ts"

export interface ReviewOptions {
  /** ACCEPT_CHANGED_TOOLS. */
  readonly acceptChanges: boolean
  /** Who is notified of tools that are held, or new and in use; null: the owner and the admins of the team. */
  readonly admin: UserId | null
}

/** The tools of a list: those that agents may use, and those that are held until an admin accepts them. */
export interface ReviewedTools {
  readonly usable: ReadonlyArray<ServerTool>
  readonly held: ReadonlyArray<Finding>
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
 * owner. Those that it announces while it runs are accepted, and the admins are notified: the program is the accepted
 * one, and many honest servers add tools after a sign-in or on demand.
 */
export const makeReview =
  (definitions: ToolDefinitions["Type"], { acceptChanges, admin }: ReviewOptions) =>
  (server: string, listed: ReadonlyArray<ServerTool>, moment: ReviewMoment): Effect.Effect<ReviewedTools> =>
    Effect.gen(function*() {
      const accept = { changed: acceptChanges, unseen: acceptChanges || moment === "running" }
      const findings = yield* definitions.review(server, listed, accept)
      for (const isHeld of [true, false]) {
        const unnotified = findings.filter((finding) => finding.isHeld === isHeld && !finding.isNotified)
        if (unnotified.length === 0) continue
        const title = isHeld ? `Tools of ${server} are off` : `New tools of ${server} are in use`
        const body = isHeld ? heldBody(server, unnotified) : addedBody(server, unnotified)
        yield* Effect.logWarning(body)
        yield* definitions.notify({ server, tools: unnotified.map(({ name }) => name), isHeld, title, body, admin })
      }
      const held = findings.filter(({ isHeld }) => isHeld)
      const names = new Set(held.map(({ name }) => name))
      return { usable: names.size === 0 ? listed : listed.filter(({ name }) => !names.has(name)), held }
    })

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
