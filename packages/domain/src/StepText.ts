import { type Decided, usualDecision } from "./Shown.ts"
import type { Step } from "./Step.ts"

/** The step as the journal stores it: without what its form implies. */
export const stepText = (step: Step): string => JSON.stringify(brief(step))

const brief = (step: Step): unknown => {
  switch (step.kind) {
    case "model": {
      const { message } = step
      const tool_calls = message.tool_calls.length === 0 ? undefined : message.tool_calls
      return { ...step, message: { ...message, role: undefined, tool_calls } }
    }
    case "results":
      return {
        ...step,
        results: step.results.map((result) => ({ ...result, message: { ...result.message, role: undefined } })),
        decided: step.decided && briefDecided(step.decided)
      }
    default:
      return step
  }
}

const unlessUsual = <A>(usual: A, value: A): A | undefined => value === usual ? undefined : value

const briefDecided = ({ calls, preset, revision }: Decided) => ({
  revision: unlessUsual<number>(usualDecision.revision, revision),
  preset: unlessUsual<string>(usualDecision.preset, preset),
  calls: calls.map((call) => ({
    ...call,
    effect: unlessUsual<string>(usualDecision.effect, call.effect),
    cause: unlessUsual<string>(usualDecision.cause, call.cause)
  }))
})
