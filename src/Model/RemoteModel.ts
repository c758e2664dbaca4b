import { Effect, Either } from "effect"
import type { ModelSettings } from "../Runtime/Settings.ts"
import { type Answer, charactersSent, responseOf } from "./Answer.ts"
import {
  type Model,
  type ModelError,
  ModelRejected,
  type ModelRequest,
  type ModelResponse,
  ModelUnavailable,
  type UsedTokens
} from "./Model.ts"
import { makeProviderClient } from "./ProviderClient.ts"
import type { CallFailure, OptionalParameter, OptionRefused } from "./ProviderFailure.ts"
import type { RemoteProvider } from "./RemoteProvider.ts"
import type { Transport } from "./Transport.ts"
import { seesPictures } from "./Vision.ts"

/** How a family of providers wants to be asked, and how it answers. */
export interface Dialect {
  readonly name: string
  readonly path: string
  /** The body of a call; `may` says which optional parameters the model has not refused yet. */
  readonly body: (request: ModelRequest, may: (option: OptionalParameter) => boolean) => string
  /** Reads an answer that came in one piece. */
  readonly read: (body: string) => Either.Either<Answer, CallFailure>
  readonly assembly: () => Assembly
}

/** Puts a streamed answer together. */
export interface Assembly {
  /** Takes in the data of one event and returns its piece of text. */
  readonly add: (data: string) => Either.Either<string, CallFailure>
  /** What the events so far come to; a failure if the end is missing. */
  readonly answer: () => Either.Either<Answer, CallFailure>
}

/** The model behind a provider that speaks `dialect`. */
export const makeRemoteModel = (
  transport: Transport["Type"],
  settings: ModelSettings,
  provider: RemoteProvider,
  dialect: Dialect
): Model["Type"] => {
  const client = makeProviderClient(transport, settings, provider)
  const refused = new Set<OptionalParameter>()
  const may = (option: OptionalParameter) => !refused.has(option)

  const once = (request: ModelRequest): Effect.Effect<ModelResponse, ModelError | OptionRefused> =>
    Effect.suspend(() => {
      const { onText } = request
      const body = dialect.body(request, may)
      let lost: UsedTokens = [0, 0]
      const finish = (answer: Answer) =>
        responseOf(provider, request, charactersSent(request.messages, body), answer).pipe(
          Effect.tapErrorTag("PassingFailure", ({ tokens }) =>
            Effect.sync(() => {
              if (tokens !== undefined) lost = plus(lost, tokens)
            }))
        )
      const read = (text: string) => Effect.flatMap(dialect.read(text), finish)
      const intake = (onText: OnText) =>
        Effect.sync(() => {
          const assembly = dialect.assembly()
          return {
            // One piece of text for the events that came together: each piece costs its watchers far more than an event.
            take: (events: ReadonlyArray<string>) =>
              Effect.suspend(() => {
                let text = ""
                for (const data of events) {
                  const added = assembly.add(data)
                  if (Either.isLeft(added)) return Effect.fail(added.left)
                  text += added.right
                }
                return text === "" ? Effect.void : onText(text)
              }),
            end: Effect.suspend(() => Effect.flatMap(assembly.answer(), finish))
          }
        })
      const readAll = (onText: OnText) => (text: string) =>
        Effect.tap(read(text), ({ message }) => onText(message.content))
      const call = onText === undefined
        ? client.post(dialect.path, body, read)
        : client.stream(dialect.path, body, intake(onText), readAll(onText))
      return Effect.mapBoth(call, {
        onSuccess: (response) => ({
          ...response,
          inputTokens: response.inputTokens + lost[0],
          outputTokens: response.outputTokens + lost[1]
        }),
        onFailure: (error) => withTokens(error, lost)
      })
    })

  /** A model takes all optional parameters until it refuses one; then the call is made again without it. */
  const withOptions = (request: ModelRequest, again = 3): Effect.Effect<ModelResponse, ModelError> =>
    Effect.catchTag(once(request), "OptionRefused", ({ option, rejected }) => {
      refused.add(option)
      return again === 0 ? Effect.fail(rejected) : withOptions(request, again - 1)
    })
  const generate = withinOutputLimit(withOptions)

  return {
    provider: provider._tag,
    model: provider.model,
    sees: (mediaType) => seesPictures(settings.vision ?? "auto", provider, mediaType),
    generate,
    probe: Effect.withSpan(client.probe, `${dialect.name}.probe`)
  }
}

type OnText = NonNullable<ModelRequest["onText"]>

const plus = (one: UsedTokens, other: UsedTokens): UsedTokens => [one[0] + other[0], one[1] + other[1]]

/** A failure that says what the tries before it cost. */
const withTokens = (error: ModelError | OptionRefused, lost: UsedTokens): ModelError | OptionRefused => {
  if (lost[0] + lost[1] === 0) return error
  switch (error._tag) {
    case "ModelRejected": {
      const { provider, reason, status, tokens = [0, 0] } = error
      return new ModelRejected({ provider, reason, status, tokens: plus(tokens, lost) })
    }
    case "ModelUnavailable":
      return new ModelUnavailable({ provider: error.provider, reason: error.reason, tokens: lost })
    default:
      return error
  }
}

/** Output limits that are tried in turn where a model refuses a larger one: few models allow less than the last. */
const commonOutputLimits = [32_768, 16_384, 8_192, 4_096]

type Generate = (request: ModelRequest) => Effect.Effect<ModelResponse, ModelError>

/**
 * A token budget may ask for a longer answer than the model can give, and providers refuse such a request. It is then
 * made again with a lower limit, and what the model takes is known from then on.
 */
const withinOutputLimit = (generate: Generate): Generate => {
  let ceiling = Number.POSITIVE_INFINITY
  const attempt: Generate = (request) => {
    const { maxOutputTokens } = request
    if (maxOutputTokens === undefined) return generate(request)
    const limit = Math.min(maxOutputTokens, ceiling)
    return Effect.catchIf(generate({ ...request, maxOutputTokens: limit }), mayBeAboutLimit, (error) => {
      // Where input and output together are too long, a step by step descent would only repeat a long request.
      const lower = commonOutputLimits.find((common, index) =>
        common < limit && (error._tag === "ModelRejected" || index === commonOutputLimits.length - 1)
      )
      return lower === undefined ? Effect.fail(error) : Effect.tap(
        attempt({ ...request, maxOutputTokens: lower }),
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
