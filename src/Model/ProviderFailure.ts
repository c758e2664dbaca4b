import type * as AiError from "@effect/ai/AiError"
import type * as HttpClientError from "@effect/platform/HttpClientError"
import { modelProviders } from "@troupe/domain/ModelProvider"
import { Clock, type Duration, Effect, Either, Option, Redacted, Schema } from "effect"
import { retryAfterOf } from "../Runtime/RetryAfter.ts"
import { type Complaint, complaintOf, isAddressMissing, isModelUnknown, isOverflow } from "./Complaint.ts"
import { ContextOverflow, ModelRejected, ModelUnavailable } from "./Model.ts"
import { faultOf } from "./ModelHttpClient.ts"
import { namesOf, type RemoteProvider } from "./ModelSettings.ts"
import { formsIn, OptionRefused, parametersIn, toolIn } from "./RequestOption.ts"

export type CallFailure = ContextOverflow | ModelRejected | ModelUnavailable | OptionRefused

const parseBody = Schema.decodeUnknownEither(Schema.parseJson())

const looksLikeKey = /\b(sk|AIza|Bearer )[\w*.-]{6,}/g

/** At most 200 characters of what the provider said, on one line and without keys. */
const quoted = (provider: RemoteProvider, message: string): string => {
  const key = Option.match(provider.apiKey, { onNone: () => "", onSome: Redacted.value })
  const clean = (key === "" ? message : message.replaceAll(key, "[redacted]"))
    .replaceAll(looksLikeKey, "[redacted]").replaceAll(/[\s\p{Cc}]+/gu, " ").trim()
  return clean === "" ? "" : `: "${clean.length > 200 ? `${clean.slice(0, 197)}...` : clean}"`
}

const isPassing = (status: number) =>
  status === 408 || status === 409 || status === 425 || status === 429 || status >= 500

/** What the failure of a request means, as the HTTP client or a client of `@effect/ai` reports it. */
export const providerFailure = (
  provider: RemoteProvider,
  error: AiError.AiError | HttpClientError.HttpClientError
): Effect.Effect<never, CallFailure> => {
  switch (error._tag) {
    case "RequestError":
    case "HttpRequestError":
      return error.reason === "InvalidUrl"
        ? rejection(provider, 0, `${namesOf(provider).url} is not a web address.`)
        : Effect.fail(faultFailure(provider, error.description))
    case "ResponseError":
    case "HttpResponseError": {
      if (error.reason !== "StatusCode") return Effect.fail(faultFailure(provider, error.description))
      const { description: body = "", response: { headers, status } } = error
      return Effect.flatMap(Clock.currentTimeMillis, (now) => {
        const complaint = complaintOf(Either.getOrElse(parseBody(body), () => body))
        return Effect.fail(classified(provider, status, complaint, retryAfterOf(headers, body, now)))
      })
    }
    case "MalformedInput":
      return rejection(provider, 400, error.description ?? "The request cannot be put in the provider's form.")
    default:
      return Effect.fail(malformed(provider))
  }
}

/** The same for an error inside a 200, as streams and the Responses API send them. */
export const failureInside = (provider: RemoteProvider, error: unknown): CallFailure => {
  const complaint = complaintOf(error)
  const isLasting = /invalid|unsupported|not_found|refused|policy|authentication|permission/i.test(complaint.code)
  return classified(provider, isLasting ? 400 : 500, complaint)
}

export const rejection = (
  provider: RemoteProvider,
  status: number,
  reason: string,
  more: Pick<ModelRejected, "tokens" | "wrong"> = {}
) => new ModelRejected({ provider: provider._tag, status, reason, ...more })

export const unavailable = (
  provider: RemoteProvider,
  reason: string,
  fix: string,
  more: Pick<ModelUnavailable, "retryAfter" | "tokens"> = {}
) => new ModelUnavailable({ provider: provider._tag, reason, fix, ...more })

export const callTimedOut = (provider: RemoteProvider, after: string): ModelUnavailable =>
  unavailable(
    provider,
    `${namesOf(provider).title} gave no complete answer within ${after}`,
    "Retry the task later, or raise MODEL_REQUEST_TIMEOUT, or AGENT_STEP_TIMEOUT if the step had less time left."
  )

const faultFailure = (provider: RemoteProvider, description?: string): CallFailure => {
  const { title, url } = namesOf(provider)
  const { detail, kind } = faultOf(description)
  switch (kind) {
    case "timedOut":
      return callTimedOut(provider, detail)
    case "unreachable":
      return unavailable(
        provider,
        `${title} could not be reached or hung up${detail === "" ? "" : ` (${detail})`}`,
        `Check ${url} and the network.`
      )
    case "tooLong":
      return rejection(provider, 200, `${title} sent an answer of more than ${detail}, which is not read.`)
    case "eventTooLong":
      return rejection(provider, 200, `${title} sent an event of more than ${detail} in a stream, which is not read.`)
  }
}

const classified = (
  provider: RemoteProvider,
  status: number,
  complaint: Complaint,
  retryAfter?: Duration.Duration
): CallFailure => {
  const { code, message } = complaint
  const { key, model, title, url } = namesOf(provider)
  const quote = quoted(provider, message)
  const rejected = (reason: string, wrong?: "key" | "model") => rejection(provider, status, reason, { wrong })
  const about = `${message} ${code} '${complaint.param}'`
  const mayBeOption = ![401, 403, 404, 408, 429].includes(status)
  const forms = mayBeOption ? formsIn(about) : []
  const refused = rejected(
    `${title} refused the request (${status})${quote}.`,
    isModelUnknown(complaint) ? "model" : undefined
  )
  const negotiable = (failure: ModelRejected | ModelUnavailable): CallFailure =>
    mayBeOption
      ? new OptionRefused({
        complaint: about,
        options: [...forms, ...parametersIn(about)],
        tool: toolIn(about),
        failure
      })
      : failure
  // Some of them come with the code of an overflow.
  if (forms.length > 0 && !isPassing(status)) return negotiable(refused)
  if (isOverflow(status, complaint)) {
    return new ContextOverflow({
      provider: provider._tag,
      reason: `The conversation is longer than ${provider.model} can read (${status})${quote}.`
    })
  }
  const unknown = status === 404
    ? `${title} does not know the model ${provider.model} or the address (404)${quote}. Check ${model} and ${url}.`
    : `${title} has no such address (${status})${quote}. Check ${url}.`
  if (isAddressMissing(status, complaint)) {
    return new ModelRejected({ ...rejected(unknown), isAddressMissing: true })
  }
  if (isPassing(status)) {
    const isQuota = code === "insufficient_quota"
    const what = status !== 429
      ? `${title} failed (${status})`
      : isQuota
      ? `${title} says the quota is used up (429)`
      : `${title} limits the rate of requests (429)`
    const fix = isQuota ? `Check the plan and billing of ${key}.` : "Retry the task later."
    return negotiable(unavailable(provider, `${what}${quote}`, fix, { retryAfter }))
  }
  if (status === 401 || status === 400 && /api[ _]key/i.test(message)) {
    return rejected(
      Option.isNone(provider.apiKey)
        ? `${title} asks for a key (${status}): set ${key}, or check ${url}.`
        : `${title} refused the key (${status}): check ${key}${
          modelProviders[provider._tag].isOwnServer ? ` and ${url}` : ""
        }.`,
      "key"
    )
  }
  if (status === 403) {
    return rejected(
      `${title} does not allow the use of ${provider.model} (403)${quote}. Check ${key} and ${model}.`,
      "key"
    )
  }
  if (status === 404) return rejected(unknown, "model")
  if (status < 400) return rejected(`${title} answered with a redirect (${status}): check ${url}.`)
  return negotiable(refused)
}

/** A temporary fault in most cases, or an address that is no model provider. */
export const malformed = (provider: RemoteProvider): ModelUnavailable => {
  const { title, url } = namesOf(provider)
  return unavailable(
    provider,
    `${title} sent an answer that can't be read`,
    `Check that ${url} leads to a model provider.`
  )
}

export const brokenOff = (provider: RemoteProvider): ModelUnavailable =>
  unavailable(provider, `${namesOf(provider).title} broke off in the middle of an answer`, "Retry the task later.")
