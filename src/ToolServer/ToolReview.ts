import type { UserId } from "@troupe/domain/Ids"
import { headOf } from "@troupe/domain/ToolResult"
import { Effect } from "effect"
import type { ServerTool } from "./ServerTool.ts"
import type { Finding, ToolDefinitions } from "./ToolDefinitions.ts"

export interface ReviewOptions {
  readonly acceptChanges: boolean
  /** Who is notified of tools that are held, or new and in use; null: the owner and the admins of the team. */
  readonly admin: UserId | null
}

export interface ReviewedTools {
  readonly usable: ReadonlyArray<ServerTool>
  readonly held: ReadonlyArray<Finding>
}

/** Whether the server has just connected, or its list was read again while it ran. */
export type ReviewMoment = "connected" | "running"

/**
 * Holds tools that changed since an admin accepted them: a definition goes to the model, so it may contain instructions
 * of an attacker. New tools are held when the server connects, as a restart may bring other code. Those announced while
 * it runs are accepted and the admins notified: many honest servers add tools after a sign-in or on demand.
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
