import { type Clock, Context, Effect, Exit, Option, type Tracer } from "effect"
import { inSpan } from "../../Runtime/HotPath.ts"
import type { Claim } from "../Claim/Claims.ts"
import type { RunEnd } from "./ActorState.ts"

/** The span of a run; the span of its claim is a child. */
export const withRunSpan = (claim: Claim, clock: Clock.Clock, work: Effect.Effect<RunEnd>): Effect.Effect<RunEnd> =>
  inSpan(
    `invoke_agent ${agentOf(claim)}`,
    () => ({
      root: true,
      attributes: {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.provider.name": "troupe",
        "gen_ai.agent.id": claim.taskId,
        "gen_ai.agent.name": agentOf(claim),
        task_type: claim.type,
        ...spanIdsOf(claim)
      }
    }),
    (span) =>
      span === null ? work : Effect.zipRight(
        span.sampled ? recordClaim(span, claim, clock) : Effect.void,
        Effect.tap(Effect.annotateSpans(work, spanIdsOf(claim)), (end) => span.attribute("end", end))
      )
  )

/** The kind of a subtask's agent; tasks of users have the one agent of the service. */
const agentOf = ({ agentType }: Claim) => agentType ?? "troupe"

const spanIdsOf = (claim: Claim) => ({ ...idsOf(claim), "gen_ai.conversation.id": claim.taskId })

export const idsOf = ({ epoch, taskId }: Claim) => ({ task_id: taskId, epoch })

/** The claim's own span, made afterwards: it ended before the run began. */
const recordClaim = (run: Tracer.Span, claim: Claim, clock: Clock.Clock): Effect.Effect<void> =>
  Effect.all([Effect.tracer, Effect.clock]).pipe(Effect.map(([tracer, runClock]) => {
    const { time } = claim
    const ahead = runClock.unsafeCurrentTimeNanos() - clock.unsafeCurrentTimeNanos()
    const span = tracer.span("claim", Option.some(run), Context.empty(), [], time.from + ahead, "internal")
    for (const [name, value] of Object.entries(spanIdsOf(claim))) span.attribute(name, value)
    span.end(time.to + ahead, Exit.void)
  }))
