import { error, type Finding } from "@troupe/domain/Finding"
import { Cause, Effect } from "effect"

/** The checks of one part, and what it is called. */
export interface Check<R = never> {
  readonly name: string
  readonly run: Effect.Effect<ReadonlyArray<Finding>, never, R>
}

const timeout = "20 seconds"

/** Runs the checks of a part with a time limit. A defect is a finding too, so that the others still run. */
export const findings = <R>({ name, run }: Check<R>): Effect.Effect<ReadonlyArray<Finding>, never, R> =>
  run.pipe(
    Effect.catchAllCause((cause) =>
      Effect.succeed([
        error(
          name,
          `The check failed: ${String(Cause.squash(cause)).split("\n")[0]}`,
          "Report this with the output of the command."
        )
      ])
    ),
    Effect.disconnect,
    Effect.timeoutTo({
      duration: timeout,
      onSuccess: (found) => found,
      onTimeout:
        () => [error(name, `No response within ${timeout}.`, "Check whether it responds, then run this again.")]
    })
  )
