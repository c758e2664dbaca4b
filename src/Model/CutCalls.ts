import { Context, Effect } from "effect"
import { estimatedTokens, requestCharacters } from "./Completion.ts"
import {
  type ChosenModel,
  type ModelError,
  ModelRejected,
  type ModelRequest,
  type ModelResponse,
  ModelUnavailable,
  tokensOf,
  type UsedTokens
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
  const spend = ([input, output]: UsedTokens) => spent = [spent[0] + input, spent[1] + output]
  const received = (): UsedTokens | undefined =>
    characters === 0
      ? undefined
      : [estimatedTokens(requestCharacters(request) + toolCharacters(request)), estimatedTokens(characters)]
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
      const counted = withTokens(error, received())
      spend(tokensOf(counted) ?? [0, 0])
      characters = 0
      return counted
    })
  })
  return Effect.onInterrupt(repeated(attempt), () =>
    Effect.map(OnModelCut, (tell) => {
      spend(received() ?? [0, 0])
      if (spent[0] + spent[1] > 0) tell(spent, model)
    }))
}

const toolCharacters = ({ tools: { tools } }: ModelRequest): number =>
  tools.length === 0 ? 0 : JSON.stringify(tools).length

const withTokens = (error: ModelError, tokens: UsedTokens | undefined): ModelError => {
  if (tokens === undefined || tokensOf(error) !== undefined) return error
  switch (error._tag) {
    case "ModelUnavailable":
      return new ModelUnavailable({ ...error, tokens })
    case "ModelRejected":
      return new ModelRejected({ ...error, tokens })
    default:
      return error
  }
}
