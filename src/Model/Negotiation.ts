import { Effect } from "effect"
import type { ModelError, ModelRequest, ModelResponse } from "./Model.ts"
import type { CallFailure, OptionalParameter } from "./ProviderFailure.ts"

export type MaySend = (option: OptionalParameter) => boolean

/** `asked` is the request as the caller made it, with the caller's own output limit. */
type Generate = (request: ModelRequest, asked?: ModelRequest) => Effect.Effect<ModelResponse, ModelError>

/** Asks again for less where the model refuses an optional parameter or the output limit; what it takes is remembered. */
export const negotiated = (
  call: (request: ModelRequest, may: MaySend, asked: ModelRequest) => Effect.Effect<ModelResponse, CallFailure>
): Generate => {
  const refused = new Set<OptionalParameter>()
  const may: MaySend = (option) => !refused.has(option)
  const withOptions = (
    request: ModelRequest,
    asked = request,
    maxRefusals = 3
  ): Effect.Effect<ModelResponse, ModelError> =>
    Effect.catchTag(call(request, may, asked), "OptionRefused", ({ option, rejected }) => {
      refused.add(option)
      return maxRefusals === 0 ? Effect.fail(rejected) : withOptions(request, asked, maxRefusals - 1)
    })
  return withinOutputLimit(withOptions)
}

/** Output limits that are tried in turn where a model refuses a larger one: few models allow less than the last. */
const commonOutputLimits = [32_768, 16_384, 8_192, 4_096]

/**
 * A token budget may exceed the model's output limit: the request is then made again with a lower one, which is
 * remembered.
 */
const withinOutputLimit = (generate: Generate): Generate => {
  let ceiling = Number.POSITIVE_INFINITY
  const attempt: Generate = (request, asked = request) => {
    const { maxOutputTokens } = request
    if (maxOutputTokens === undefined) return generate(request, asked)
    const limit = Math.min(maxOutputTokens, ceiling)
    return Effect.catchIf(generate({ ...request, maxOutputTokens: limit }, asked), mayBeAboutLimit, (error) => {
      // Where input and output together are too long, a step by step descent would only repeat a long request.
      const lower = commonOutputLimits.find((common, index) =>
        common < limit && (error._tag === "ModelRejected" || index === commonOutputLimits.length - 1)
      )
      return lower === undefined ? Effect.fail(error) : Effect.tap(
        attempt({ ...request, maxOutputTokens: lower }, asked),
        () => Effect.sync(() => ceiling = error._tag === "ModelRejected" ? Math.min(ceiling, lower) : ceiling)
      )
    })
  }
  return attempt
}

/** Some providers call it an overflow of the context when conversation and output limit together pass it. */
const mayBeAboutLimit = (error: ModelError): boolean =>
  error._tag === "ContextOverflow"
  || error._tag === "ModelRejected" && (error.status === 400 || error.status === 422) && /token/i.test(error.reason)
