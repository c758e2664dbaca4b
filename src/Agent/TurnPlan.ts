import type { ToolCall } from "@troupe/domain/Message"
import { openCalls, type Turn } from "@troupe/domain/Run"
import type { Deferral } from "@troupe/domain/Step"
import { type Result, toolResultOf, type ToolStepContext } from "./ToolCalls.ts"

/** What is to be done with an open call. */
export type Plan =
  | { readonly _tag: "Settled"; readonly result: Result }
  | { readonly _tag: "Sleeping"; readonly deferral: Deferral }
  | { readonly _tag: "Open"; readonly call: ToolCall }

/** The open calls, except those whose subtasks were dispatched already. */
export const planTurn = <E>(context: ToolStepContext<E>, turn: Turn, now: number): ReadonlyArray<Plan> => {
  const allowed = new Set(turn.calls.slice(0, context.settings.maxParallelToolCalls).map((call) => call.id))
  return openCalls(turn).filter(({ id }) => !turn.dispatched.has(id)).map((call): Plan => {
    const settled = (content: string): Plan => ({ _tag: "Settled", result: toolResultOf(call, content) })
    if (!allowed.has(call.id)) return settled(skipped(context.settings.maxParallelToolCalls))
    const deferral = turn.deferred.get(call.id)
    if (deferral !== undefined) {
      if (deferral.until <= now) return settled(deferral.message.content)
      return isAddressed(turn) ? settled(cutShort) : { _tag: "Sleeping", deferral }
    }
    return turn.started.has(call.id) && context.toolbox.effectOf(call) === "outside"
      ? settled(uncertain(call.name))
      : { _tag: "Open", call }
  })
}

/** A message of the user ends the waits of the turn. */
export const isAddressed = ({ said = [] }: Turn): boolean => said.length > 0

const cutShort = "The wait was cut short by a message of the user, which follows. Wait again if it is still needed."

const skipped = (limit: number): string =>
  `Error: skipped because of too many simultaneous requests: at most ${limit} tool calls run in one turn. `
  + "Call it again in a later turn if it is still needed."

const uncertain = (name: string): string =>
  `Error: uncertain. The service stopped while ${name} was running, so it may or may not have taken effect. `
  + "It was not run again. Check the outcome before you decide whether to repeat it."
