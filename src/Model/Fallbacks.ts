import { costOf, rounded } from "@troupe/domain/ModelPrice"
import { modelRetryText } from "@troupe/domain/TaskLog"
import { type Array, Effect } from "effect"
import { CallTimeLeft } from "../Runtime/CallTimeLeft.ts"
import { estimatedInput } from "./Completion.ts"
import {
  ContextOverflow,
  imageUrlsOf,
  type ModelError,
  type ModelRejected,
  type ModelRequest,
  type ModelResponse,
  type ModelUnavailable,
  plus,
  type SentMessage,
  type UsedTokens,
  withMoreTokens
} from "./Model.ts"
import { OnModelRetry } from "./ModelRetry.ts"
import type { RegisteredModel } from "./RegisteredModel.ts"

/** The share of a window that a conversation may take, as `Compaction` has it. */
const maxContextShare = 0.75

/** The share of the time left in which a model with a fallback must answer. */
const timeShare = 0.6

/** What failed models have used, and what it cost; a model without a price costs nothing. */
interface Lost {
  readonly tokens: UsedTokens
  readonly cost: number
}

/** The models that are called, in order: those that are not passed over, or all of them. */
export const inTurn = (
  models: Array.NonEmptyReadonlyArray<RegisteredModel>,
  now: number
): Array.NonEmptyReadonlyArray<RegisteredModel> => {
  const [first, ...others] = models.filter(({ timeLeft }) => timeLeft(now) === 0)
  return first === undefined ? models : [first, ...others]
}

/**
 * Calls the models one after the other, as long as they are unavailable. Each that fails is passed over for a while; that the next
 * one is called is logged and told to `OnModelRetry`.
 */
export const generateWith =
  (models: Array.NonEmptyReadonlyArray<RegisteredModel>) =>
  (given: ModelRequest): Effect.Effect<ModelResponse, ModelError> =>
    Effect.clockWith((clock) => {
      const now = () => clock.unsafeCurrentTimeMillis()
      const attempt = (
        [model, ...rest]: Array.NonEmptyReadonlyArray<RegisteredModel>,
        request: ModelRequest,
        lost: Lost
      ): Effect.Effect<ModelResponse, ModelError> => {
        const [next, ...others] = rest
        const tooLong = overflowOf(model, request)
        if (tooLong !== null) return Effect.fail(tooLong)
        return Effect.matchEffect(
          next === undefined ? model.call(request, false) : inShareOfTime(model, request, now),
          {
            onSuccess: (response) => {
              model.answered(now())
              return Effect.succeed(withLost(model, response, lost))
            },
            onFailure: (error) => {
              model.failed(error, now())
              return next === undefined || !goesOn(error, model !== models[0])
                ? Effect.fail(withMoreTokens(error, lost.tokens))
                : Effect.zipRight(
                  passedOver(model, next, error),
                  Effect.suspend(() => attempt([next, ...others], seenBy(next, given), spent(model, error, lost)))
                )
            }
          }
        )
      }
      return attempt(inTurn(models, now()), given, { tokens: [0, 0], cost: 0 })
    })

const inShareOfTime = (model: RegisteredModel, request: ModelRequest, now: () => number) =>
  Effect.flatMap(CallTimeLeft, (timeLeft) => {
    const end = now() + timeLeft() * timeShare
    return Effect.provideService(model.call(request, true), CallTimeLeft, () => Math.min(timeLeft(), end - now()))
  })

type Passing = ModelRejected | ModelUnavailable

/** What a model refuses, the next one would refuse too; but a fallback whose own key or name is wrong makes no call fail. */
const goesOn = (error: ModelError, isFallback: boolean): error is Passing =>
  error._tag === "ModelUnavailable" || (isFallback && error._tag === "ModelRejected" && error.wrong !== undefined)

const passedOver = (model: RegisteredModel, next: RegisteredModel, error: Passing): Effect.Effect<void> => {
  const retry = {
    call: "model" as const,
    reason: error.reason.replace(/\.$/, ""),
    attempt: 1,
    attempts: 1,
    pause: 0,
    model: model.name,
    next: next.name
  }
  return Effect.zipRight(Effect.logWarning(modelRetryText(retry)), Effect.flatMap(OnModelRetry, (tell) => tell(retry)))
}

/** A conversation that was fitted to a larger window, and is too long for that of the model. */
const overflowOf = ({ contextTokens, model, name, provider }: RegisteredModel, request: ModelRequest) =>
  request.contextTokens !== undefined && contextTokens < request.contextTokens
    && estimatedInput(request) > contextTokens * maxContextShare
    ? new ContextOverflow({
      provider,
      contextTokens,
      reason:
        `The conversation is longer than ${model} (${name}) can read, which has a window of ${contextTokens} tokens.`
    })
    : null

/** Another model may not accept the images of a request: they are left out with a line that says so. */
const seenBy = ({ sees }: RegisteredModel, request: ModelRequest): ModelRequest => {
  const isUnseen = (url: string) => !sees(/^data:([^;,]+)/.exec(url)?.[1] ?? "image/png")
  if (!request.messages.some((message) => imageUrlsOf(message).some(isUnseen))) return request
  return {
    ...request,
    messages: request.messages.map((message): SentMessage => {
      const urls = imageUrlsOf(message)
      const seen = urls.filter((url) => !isUnseen(url))
      return message.role !== "user" || seen.length === urls.length
        ? message
        : {
          ...message,
          content: `${message.content}\n[Images are left out: this model can't see them.]`,
          imageUrls: seen
        }
    })
  }
}

const spent = (model: RegisteredModel, { tokens = [0, 0] }: Passing, lost: Lost): Lost => {
  const cost = model.price === undefined ? 0 : costOf(model.price, tokens)
  return { tokens: plus(lost.tokens, tokens), cost: lost.cost + cost }
}

const withLost = (model: RegisteredModel, response: ModelResponse, lost: Lost): ModelResponse => {
  const own: UsedTokens = [response.inputTokens, response.outputTokens]
  const [inputTokens, outputTokens] = plus(lost.tokens, own)
  return {
    ...response,
    inputTokens,
    outputTokens,
    ...(model.isOfSettings ? {} : { model: model.name }),
    ...(model.price === undefined ? {} : { cost: rounded(lost.cost + costOf(model.price, own, response.cachedTokens)) })
  }
}
