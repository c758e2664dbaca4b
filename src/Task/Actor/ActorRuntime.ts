import { Clock, Context, DefaultServices, Effect, FiberId, FiberRef, FiberRefs, HashMap, Runtime } from "effect"
import { OnModelRetry } from "../../Model/ModelRetry.ts"
import { CallTimeLeft } from "../../Runtime/CallTimeLeft.ts"
import { OnQuestionExpired } from "../../Tool/OnQuestionExpired.ts"
import { OnToolProgress } from "../../Tool/OnToolProgress.ts"
import type { Claim } from "../Claim/Claims.ts"
import type { RunJournal } from "./RunJournal.ts"
import { idsOf } from "./RunSpan.ts"

/** The runtime of a run's fibers: the database's clock, the ids in the log, the time left for a call, and the notes. */
export const runtimeOf = (
  { fiberRefs, runtimeFlags }: Runtime.Runtime<never>,
  claim: Claim,
  clock: Clock.Clock,
  timeLeft: () => number,
  journal: Pick<RunJournal, "progressed" | "retried">,
  questionExpired: Context.Tag.Service<OnQuestionExpired>
): Runtime.Runtime<never> => {
  const services = FiberRefs.getOrDefault(fiberRefs, DefaultServices.currentServices)
  const timed = FiberRefs.updateAs(fiberRefs, {
    fiberId: FiberId.none,
    fiberRef: DefaultServices.currentServices,
    value: Context.add(services, Clock.Clock, clock)
  })
  return Runtime.make({
    context: Context.make(CallTimeLeft, timeLeft).pipe(
      Context.add(OnModelRetry, journal.retried),
      Context.add(OnToolProgress, journal.progressed),
      Context.add(OnQuestionExpired, questionExpired)
    ),
    runtimeFlags,
    fiberRefs: FiberRefs.updateAs(timed, {
      fiberId: FiberId.none,
      fiberRef: FiberRef.currentLogAnnotations,
      value: HashMap.fromIterable<string, unknown>(Object.entries(idsOf(claim)))
    })
  })
}

/** Shows the database's time: the journal's times outlive a runner, and runners' clocks differ. */
export const databaseClock = (own: Clock.Clock, now: number): Clock.Clock => {
  const ahead = now - own.unsafeCurrentTimeMillis()
  const millis = () => own.unsafeCurrentTimeMillis() + ahead
  const nanos = () => own.unsafeCurrentTimeNanos() + BigInt(Math.round(ahead)) * 1_000_000n
  return {
    [Clock.ClockTypeId]: Clock.ClockTypeId,
    unsafeCurrentTimeMillis: millis,
    unsafeCurrentTimeNanos: nanos,
    currentTimeMillis: Effect.sync(millis),
    currentTimeNanos: Effect.sync(nanos),
    sleep: (duration) => own.sleep(duration)
  }
}
