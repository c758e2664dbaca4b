import { Context, Effect } from "effect"
import { estimatedInput, estimatedTokens } from "./Completion.ts"
import {
  type ChosenModel,
  type ModelError,
  type ModelRequest,
  type ModelResponse,
  plus,
  tokensOf,
  type UsedTokens,
  withMoreTokens
} from "./Model.ts"

/** Called when a call is interrupted that has cost something: what its attempts took, the last one by estimate. */
export class OnModelCut extends Context.Reference<OnModelCut>()("troupe/Model/OnModelCut", {
  defaultValue: (): (tokens: UsedTokens, model: ChosenModel) => void => () => {}
}) {}

/**
 * A call whose text is streamed: an attempt that breaks off after it got text counts as many tokens as it sent and got, by
 * estimate, since its provider counts them only at the end. `repeated` makes the attempts.
 */
export const metered = <A>(
  model: ChosenModel,
  request: ModelRequest,
  repeated: (attempt: Effect.Effect<ModelResponse, ModelError>) => Effect.Effect<A, ModelError>
): Effect.Effect<A, ModelError> => {
  const { onText } = request
  if (onText === undefined) return repeated(model.generate(request))
  let characters = 0
  let spent: UsedTokens = [0, 0]
  const spend = (tokens: UsedTokens) => spent = plus(spent, tokens)
  const received = (): UsedTokens => characters === 0 ? [0, 0] : [estimatedInput(request), estimatedTokens(characters)]
  const streamed = {
    ...request,
    onText: (delta: string) => {
      characters += delta.length
      return onText(delta)
    }
  }
  const attempt = Effect.suspend(() => {
    characters = 0
    return Effect.mapError(model.generate(streamed), (error) => {
      const counted = tokensOf(error) === undefined ? withMoreTokens(error, received()) : error
      spend(tokensOf(counted) ?? [0, 0])
      characters = 0
      return counted
    })
  })
  return Effect.onInterrupt(repeated(attempt), () =>
    Effect.map(OnModelCut, (tell) => {
      spend(received())
      if (spent[0] + spent[1] > 0) tell(spent, model)
    }))
}
