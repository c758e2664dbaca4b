import { ApprovalId, type AskedCall } from "@troupe/domain/Approval"
import { canonicalJson } from "@troupe/domain/CanonicalJson"
import { type EqualApprovals, equalApprovals } from "@troupe/domain/EqualApprovals"
import type { ToolCall } from "@troupe/domain/Message"
import type { Policy } from "@troupe/domain/Policy"
import { type CallGrant, classIn, decide, type Decision, type PolicyCall } from "@troupe/domain/PolicyDecision"
import type { Run, Turn } from "@troupe/domain/Run"
import { policyContextOf } from "@troupe/domain/SeenContext"
import type { Decided } from "@troupe/domain/Shown"
import type { SignInWait } from "@troupe/domain/SignInWait"
import { Clock, Effect, Either } from "effect"
import { createHash } from "node:crypto"
import { v7 } from "uuid"
import { type AgentTool, type CallReview, classOf } from "../Tool/AgentTool.ts"
import { parseArguments } from "../Tool/Toolbox.ts"
import { type Result, toolResultOf, type ToolStepContext } from "./ToolCalls.ts"

export type DecidedCall = Decided["calls"][number]

/** What is done with a call: it runs, perhaps as a person edited it; it is answered without a run; or it asks. */
export type Judged =
  | {
    readonly _tag: "Runs"
    readonly call: ToolCall
    readonly decided: DecidedCall | null
    /** The digest of what was reviewed, which the tool compares with what it does. */
    readonly reviewed?: string
    readonly isApproved?: boolean
  }
  | { readonly _tag: "Answered"; readonly result: Result; readonly decided: DecidedCall | null }
  /** Somebody has to sign in at the server first: nothing is sent before. */
  | { readonly _tag: "Waits"; readonly call: ToolCall; readonly signIn: SignInWait; readonly decided: null }
  | {
    readonly _tag: "Asks"
    readonly asked: AskedCall
    readonly review: CallReview | null
    readonly decided: DecidedCall
    readonly equal: EqualApprovals | null
  }

type Context = Pick<ToolStepContext<unknown>, "policies" | "task" | "toolbox">

/** Undefined where a statement, a review or an approval is needed to decide: `judge` does it. */
export const judgeAtOnce = (context: Context, run: Run, turn: Turn, call: ToolCall): Judged | undefined => {
  if (turn.approved?.has(call.id) === true) return undefined
  const tool = context.toolbox.find(call.name)
  if (tool === undefined) return { _tag: "Runs", call, decided: null }
  if (reviewOf(context, run, tool) !== undefined) return undefined
  const args = parseArguments(call.arguments)
  if (Either.isLeft(args)) return { _tag: "Runs", call, decided: null }
  const policy = context.policies.current()
  const policyCall = policyCallOf(policy, tool, args.right, null)
  const decision = decide(policy, policyCall, policyContextOf(run.seen), context.task.requester)
  return decision.effect === "ask" ? undefined : withoutAsking(policy, call, policyCall, decision)
}

/** Decides about a call: by rules, preset and grants, and by what a person has decided about it. */
export const judge = (context: Context, run: Run, turn: Turn, given: ToolCall): Effect.Effect<Judged> =>
  Effect.gen(function*() {
    const { policies, task, toolbox } = context
    const edited = turn.edits?.get(given.id)
    const call = edited === undefined ? given : { ...given, arguments: edited }
    const tool = toolbox.find(call.name)
    const args = parseArguments(call.arguments)
    // Neither takes effect: the toolbox says what is wrong.
    if (tool === undefined || Either.isLeft(args)) return { _tag: "Runs", call, decided: null }
    const reviews = reviewOf(context, run, tool)
    const review = reviews === undefined ? null : yield* Effect.either(
      reviews(args.right, { taskId: task.taskId, userId: task.creator, callId: call.id })
    )
    if (review !== null && Either.isLeft(review)) {
      return { _tag: "Answered", result: toolResultOf(call, `Error: ${review.left.reason}`), decided: null }
    }
    const reviewed = review === null ? null : review.right
    const policy = policies.current()
    const policyCall = policyCallOf(policy, tool, args.right, reviewed)
    const decideWith = (grants: ReadonlyArray<CallGrant>) =>
      decide(policy, policyCall, policyContextOf(run.seen), task.requester, grants)
    const plain = decideWith([])
    if (plain.effect === "deny") return withoutAsking(policy, call, policyCall, plain)
    const asked = turn.asking?.get(call.id)
    const digest = digestOf(context, policyCall, call, args.right, reviewed)
    const runs = (decided: DecidedCall, isApproved = false): Judged => ({
      _tag: "Runs",
      call,
      decided,
      ...(reviewed === null ? {} : { reviewed: reviewed.digest }),
      ...(isApproved ? { isApproved } : {})
    })
    if (turn.approved?.has(call.id) === true) {
      const isBound = asked === undefined
        // A question of an earlier version, which only mails had.
        ? turn.questions?.get(call.id)?.digest === reviewed?.digest
        : edited === undefined
        ? asked.digest === digest
        : asked.binding === policyCall.binding && areFilesOf(asked, reviewed) && isForSame(asked, plain)
      if (isBound) {
        return runs({ id: call.id, class: policyCall.class, effect: "allow", cause: "approval" }, true)
      }
    }
    if (plain.effect === "allow") {
      const one = withoutAsking(policy, call, policyCall, plain)
      return one.decided === null ? one : runs(one.decided)
    }
    const decision = policyCall.class === "destructive"
      ? plain
      : decideWith(yield* policies.grantsFor(task.requester, call.name))
    if (decision.effect !== "ask") {
      if (decision.effect === "allow" && decision.grant !== null) yield* policies.grantUsed(decision.grant)
      return runs(decidedOf(call, policyCall, decision))
    }
    const decided = decidedOf(call, policyCall, decision)
    const refusal = reviewed !== null && !reviewed.mayAsk
      ? reviewed.refusal
      : task.type === "subtask"
      ? noSubagentAsks
      : null
    if (refusal !== null) return { _tag: "Answered", result: toolResultOf(call, `Error: ${refusal}`), decided }
    const rule = decision.rule === null ? undefined : policy.rules[decision.rule]
    return {
      _tag: "Asks",
      decided,
      review: reviewed,
      equal: equalApprovals(args.right, yield* policies.approvalsFor(task.requester, call.name)),
      asked: {
        id: call.id,
        approval: ApprovalId.make(v7({ msecs: yield* Clock.currentTimeMillis })),
        tool: call.name,
        server: tool.server?.name ?? null,
        class: policyCall.class,
        outsideSince: run.seen.outside?.since ?? null,
        outsideBecause: run.seen.outside?.because ?? null,
        privateSince: run.seen.privateSince,
        arguments: JSON.stringify(args.right),
        parameters: JSON.stringify(tool.parameters),
        files: reviewed?.files ?? [],
        rule: decision.rule,
        because: rule?.because ?? null,
        cause: decision.cause,
        preset: policy.preset,
        who: decision.who,
        binding: policyCall.binding,
        digest
      }
    }
  })

const reviewOf = (
  { policies }: Context,
  { seen }: Run,
  { isReviewedToLeave, review }: AgentTool
): AgentTool["review"] => {
  const { isPrivate, kind } = policyContextOf(seen)
  const mayLeave = isPrivate && kind === "outside" && policies.current().preset !== "quiet"
  return isReviewedToLeave === true && !mayLeave ? undefined : review
}

const noSubagentAsks =
  "this call needs a person's approval, and a subagent can't ask for it. It was not made. Say in your result what you would "
  + "have done, with all its arguments: the parent agent can do it."

const policyCallOf = (policy: Policy, tool: AgentTool, args: unknown, review: CallReview | null): PolicyCall => ({
  tool: tool.name,
  class: tool.server === undefined ? classOf(tool) : classIn(policy.classes, tool.name, classOf(tool)),
  args,
  binding: bindingOf(tool),
  message: review === null ? null : { isUnexpected: review.isUnexpected, leaves: review.leaves },
  isOpenWorld: tool.server?.isOpenWorld ?? false
})

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex")

const bindings = new WeakMap<object, string>()

/** The parameters of a tool are the same object as long as the tool is. */
const bindingOf = ({ name, parameters, server }: AgentTool): string => {
  if (server !== undefined) return server.binding
  const known = bindings.get(parameters)
  if (known !== undefined) return known
  const made = sha256(canonicalJson([name, parameters]))
  bindings.set(parameters, made)
  return made
}

const digestOf = (
  { task }: Context,
  { binding, tool }: PolicyCall,
  call: ToolCall,
  args: unknown,
  review: CallReview | null
): string =>
  sha256(canonicalJson([task.taskId, call.id, tool, binding, args, review?.files ?? [], review?.digest ?? null]))

/** Each file of an edited call is one that was shown, as it was. */
const areFilesOf = ({ files }: AskedCall, review: CallReview | null): boolean =>
  (review?.files ?? []).every(({ path, sha256 }) => files.some((one) => one.path === path && one.sha256 === sha256))

/** Whoever might approve the call as it was asked may approve it as edited: no edit passes by a rule that others decide about. */
const isForSame = ({ who }: AskedCall, decision: Decision): boolean =>
  decision.effect !== "ask" || who.every((one) => decision.who.includes(one))

const decidedOf = (
  call: ToolCall,
  { class: ofTool, message }: Pick<PolicyCall, "class" | "message">,
  decision: Decision
): DecidedCall => ({
  id: call.id,
  class: ofTool,
  effect: decision.effect,
  cause: decision.cause,
  ...(message === null ? {} : { message }),
  ...(decision.rule === null ? {} : { rule: decision.rule }),
  ...("grant" in decision && decision.grant !== null ? { grant: decision.grant } : {})
})

const withoutAsking = (
  policy: Policy,
  call: ToolCall,
  of: Pick<PolicyCall, "class" | "message">,
  decision: Exclude<Decision, { readonly effect: "ask" }>
): Exclude<Judged, { readonly _tag: "Asks" | "Waits" }> => {
  const decided = decidedOf(call, of, decision)
  if (decision.effect === "allow") return { _tag: "Runs", call, decided }
  const because = policy.rules[decision.rule]?.because
  return {
    _tag: "Answered",
    decided,
    result: toolResultOf(
      call,
      `Error: ${call.name} was not called: rule ${decision.rule + 1} of this service's policy denies it${
        because === undefined ? "." : `: ${because}`
      } Don't try it in another way; say in your result what could not be done.`
    )
  }
}
