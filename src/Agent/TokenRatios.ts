import { growthAfter, type Run } from "@troupe/domain/Run"
import { Effect, Option } from "effect"
import type { ChosenModel } from "../Model/Model.ts"
import { makeExpiringMap } from "../Runtime/Cache.ts"

/** How many tokens a model counts for one of the tokenizer; null: unknown. */
export interface KnownRatios {
  /** In the first call of a task, which is mostly prompt and tools. */
  readonly first: number | null
  /** In what was added to a conversation. */
  readonly text: number | null
}

/** Of one call, and of what other tasks have shown: more is taken for a wrong report, which would end a task too early. */
const maxRatio = 4
/** Of what a task's own calls have added, which says more than one report. */
const maxAddedRatio = 8

const scaledUp = (ratio: number | null, max: number): number => Math.min(max, Math.max(1, ratio ?? 1))

/** Smaller ones say little: a message has more than its text. */
const minGrowth = 256

const ratioOf = ({ estimate, input }: Run["growth"]): number | null => estimate < minGrowth ? null : input / estimate

type Calls = Pick<Run, "growth" | "lastCall">

/**
 * Corrects estimates by what the calls before have cost: up, where the provider counted more than the tokenizer, never
 * down. The estimate of an input is the provider's count of the last one and a corrected estimate of the difference.
 * Before the first call, other tasks of the model say what to expect.
 */
export const calibrated = ({ growth, lastCall }: Calls, known: KnownRatios) => {
  const estimate = lastCall?.estimate ?? 0
  const isFirst = lastCall === null || estimate === 0
  const whole = isFirst
    ? scaledUp(known.first, maxRatio)
    : scaledUp(lastCall.input / estimate, maxRatio)
  const added = ratioOf(growth)
  const text = added === null
    ? Math.max(whole, scaledUp(known.text, maxRatio))
    : scaledUp(added, maxAddedRatio)
  return {
    ofText: (tokens: number) => Math.ceil(tokens * text),
    ofInput: (tokens: number) => {
      if (isFirst) return Math.ceil(tokens * whole)
      const difference = (tokens - estimate) * text
      return Math.ceil(
        tokens < estimate ? Math.max(tokens * whole, lastCall.input + difference) : lastCall.input + difference
      )
    }
  }
}

const maxRemembered = 3

/** What the last tasks of this process have shown of each model. Of several figures the lowest counts: one may be wrong. */
export const makeTokenRatios = () => {
  const ratios = makeExpiringMap<string, ReadonlyArray<number>>({ capacity: 200, timeToLive: "1 hour" })
  const keyOf = ({ model, provider }: Pick<ChosenModel, "model" | "provider">, what: keyof KnownRatios) =>
    `${what} ${provider} ${model}`
  const find = (key: string) =>
    Effect.map(ratios.get(key), Option.match({ onNone: () => null, onSome: (some) => Math.min(...some) }))
  const add = (key: string, ratio: number) =>
    Effect.flatMap(
      ratios.get(key),
      (some) => ratios.set(key, [...Option.getOrElse(some, () => []).slice(1 - maxRemembered), ratio])
    )
  return {
    of: (model: ChosenModel): Effect.Effect<KnownRatios> =>
      Effect.zipWith(find(keyOf(model, "first")), find(keyOf(model, "text")), (first, text) => ({ first, text })),
    /** A call with this estimate, after those of the run, had so many input tokens. */
    learn: (model: ChosenModel, run: Calls, input: number, estimate: number): Effect.Effect<void> => {
      if (run.lastCall === null) return estimate === 0 ? Effect.void : add(keyOf(model, "first"), input / estimate)
      const ratio = ratioOf(growthAfter(run, input, estimate))
      return ratio === null ? Effect.void : add(keyOf(model, "text"), ratio)
    }
  }
}
export type TokenRatios = ReturnType<typeof makeTokenRatios>
