import { asksApproval } from "./Approval.ts"
import type { ToolCall } from "./Message.ts"
import type { Policy, PolicyEffect, ToolClass } from "./Policy.ts"
import { type CallRequester, classIn, decide, type PolicyCall } from "./PolicyDecision.ts"
import { contextAfter, policyContextOf, type SeenContext } from "./SeenContext.ts"
import type { Decided } from "./Shown.ts"
import type { JournalledStep, Resulted } from "./Step.ts"

/** A call about which was decided, as the journal of its task has it. */
export interface PastCall {
  readonly id: string
  readonly tool: string
  /** JSON, as the model wrote it. */
  readonly arguments: string
  /** What the model had seen before the decision. */
  readonly seen: SeenContext
  /** What was decided first: a call that was approved later has asked. */
  readonly before: PolicyEffect
  readonly isGranted: boolean
  /** Null: journalled before there were rules. */
  readonly class: ToolClass | null
  readonly message: PolicyCall["message"]
}

/** How far a journal was read. */
export interface ReadCalls {
  readonly seen: SeenContext
  /** Calls of the turn about which nothing was decided so far. */
  readonly open: ReadonlyArray<ToolCall>
}

/** The state after a step, and the calls that were decided in it. */
export const callsOf = (
  { open, seen }: ReadCalls,
  { seq, step }: Pick<JournalledStep, "seq" | "step">
): readonly [ReadCalls, ReadonlyArray<PastCall>] => {
  const after = contextAfter(seen, step, seq)
  if (step.kind === "model") return [{ seen: after, open: step.message.tool_calls }, []]
  if (step.kind !== "results") return [{ seen: after, open }, []]
  const found = open.flatMap((call) => {
    const facts = factsOf(call, step)
    return facts === undefined
      ? []
      : [{ id: call.id, tool: call.name, arguments: call.arguments, seen, ...facts }]
  })
  const decided = new Set(found.map(({ id }) => id))
  return [{ seen: after, open: open.filter(({ id }) => !decided.has(id)) }, found]
}

type Facts = Pick<PastCall, "before" | "class" | "isGranted" | "message">

const factsOf = ({ id, name }: ToolCall, { asked, decided, results }: Resulted): Facts | undefined => {
  if (decided !== undefined) {
    const one = decided.calls.find((call) => call.id === id)
    return one === undefined ? undefined : {
      before: one.cause === "approval" ? "ask" : one.effect,
      isGranted: one.cause === "grant",
      class: one.class,
      message: messageOf(name, one)
    }
  }
  // Only mails asked before there were rules.
  const isAsked = asked?.id === id && asked.choices !== undefined && asksApproval({ choices: asked.choices })
  return isAsked || results.some(({ message }) => message.tool_call_id === id)
    ? {
      before: isAsked ? "ask" : "allow",
      isGranted: false,
      class: null,
      message: name === mail ? { isUnexpected: isAsked, leaves: false } : null
    }
    : undefined
}

const mail = "send_email"

/** Of steps that don't have it, as far as the cause says it. */
const messageOf = (tool: string, { cause, message }: Decided["calls"][number]): PolicyCall["message"] =>
  message ?? (tool === mail ? { isUnexpected: cause === "mail", leaves: cause === "leaves" } : null)

/** What is known of a tool as it is now. */
export interface ToolNow {
  readonly server: string | null
  /** Without regard to what an admin set. */
  readonly class: ToolClass
  readonly isOpenWorld: boolean
}

/**
 * What these rules would have decided about the call, and the place of the rule; undefined for a tool that nobody knows. A grant that
 * covered the call still lifts an ask.
 */
export const decidedAgain = (
  { classes, ...rules }: Pick<Policy, "classes" | "preset" | "rules">,
  call: PastCall,
  args: unknown,
  tool: ToolNow | undefined,
  requester: CallRequester
): { readonly effect: PolicyEffect; readonly rule: number | null } | undefined => {
  // Models invent names; those of tool servers and skills that are gone have this sign.
  const isBound = call.tool.includes("__")
  if (tool === undefined && call.class === null && !isBound) return undefined
  const isOfServer = tool === undefined ? isBound : tool.server !== null
  const ofTool = isOfServer
    ? classIn(classes, call.tool, tool?.class ?? call.class ?? "outside")
    : call.class ?? tool?.class ?? "outside"
  const decision = decide(
    rules,
    {
      tool: call.tool,
      class: ofTool,
      args,
      binding: "",
      message: call.message,
      isOpenWorld: tool?.isOpenWorld ?? isBound
    },
    policyContextOf(call.seen),
    requester
  )
  return decision.effect === "ask" && call.isGranted && ofTool !== "destructive"
    ? { effect: "allow", rule: decision.rule }
    : { effect: decision.effect, rule: decision.rule }
}
