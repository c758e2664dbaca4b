import { type Clock, Context, Effect, Exit, Option, type Tracer } from "effect"
import { inSpan } from "../../Runtime/HotPath.ts"
import type { Claim } from "../Claim/Claims.ts"
import type { RunEnd } from "./ActorState.ts"

/** The span of a run, with that of its claim in it. */
export const withRunSpan = (claim: Claim, clock: Clock.Clock, work: Effect.Effect<RunEnd>): Effect.Effect<RunEnd> =>
  inSpan(
    "task run",
    { root: true, attributes: { task_type: claim.type, ...idsOf(claim) } },
    (span) =>
      span === null ? work : Effect.zipRight(
        span.sampled ? recordClaim(span, claim, clock) : Effect.void,
        Effect.tap(Effect.annotateSpans(work, idsOf(claim)), (end) => span.attribute("end", end))
      )
  )

export const idsOf = ({ epoch, taskId }: Claim) => ({ task_id: taskId, epoch })

/** The claim's own span, made afterwards: it ended before the run began. */
const recordClaim = (run: Tracer.Span, { epoch, taskId, time }: Claim, clock: Clock.Clock): Effect.Effect<void> =>
  Effect.all([Effect.tracer, Effect.clock]).pipe(Effect.map(([tracer, runClock]) => {
    if (time === null) return
    const ahead = runClock.unsafeCurrentTimeNanos() - clock.unsafeCurrentTimeNanos()
    const span = tracer.span("claim", Option.some(run), Context.empty(), [], time.from + ahead, "internal")
    span.attribute("task_id", taskId)
    span.attribute("epoch", epoch)
    span.end(time.to + ahead, Exit.void)
  }))
