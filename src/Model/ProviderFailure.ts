import type * as AiError from "@effect/ai/AiError"
import type * as HttpClientError from "@effect/platform/HttpClientError"
import { Clock, Data, type Duration, Effect, Either, Option, Redacted, Schema } from "effect"
import { ContextOverflow, ModelRejected, ModelUnavailable, type UsedTokens } from "./Model.ts"
import { faultOf } from "./ModelHttpClient.ts"
import { names, type RemoteProvider } from "./ModelSettings.ts"
import { retryAfterOf } from "./RetryAfter.ts"

/** The provider refuses one optional parameter, which the call can do without. */
export class OptionRefused extends Data.TaggedError("OptionRefused")<{
  readonly option: OptionalParameter
  readonly rejected: ModelRejected
}> {}

export type CallFailure = ContextOverflow | ModelRejected | ModelUnavailable | OptionRefused

/**
 * Parameters that only some models know. `returnedParts`: fields of earlier answers, sent to the model that wrote them;
 * `absentReasoning`: messages without the reasoning that a model wants back with each of its calls.
 */
export type OptionalParameter =
  | "absentReasoning"
  | "encryptedReasoning"
  | "returnedParts"
  | "streamUsage"
  | "temperature"

const complaints: ReadonlyArray<readonly [OptionalParameter, RegExp]> = [
  ["temperature", /\btemperature\b.*(not support|unsupported)|(not support|unsupported).*\btemperature\b/is],
  ["encryptedReasoning", /(encrypted[ _]content|reasoning\.encrypted).*not support|unsupported.*\binclude\b/is],
  ["streamUsage", /stream_options/i],
  ["absentReasoning", /\breasoning_content\b.*\b(must be|missing|required)\b/is]
]

const overflowCodes = new Set(["context_length_exceeded", "exceed_context_size_error", "string_above_max_length"])

const overflowWords = new RegExp(
  [
    "context[_ ]length",
    "maximum context",
    "context (window|size|limit)",
    "exceed_context_size",
    "prompt is too long",
    "too many (input )?tokens",
    "too large to process",
    "input token count.*exceeds",
    "request too large"
  ].join("|"),
  "is"
)

interface Complaint {
  readonly code: string
  readonly message: string
}

const Said = Schema.Struct({
  message: Schema.optional(Schema.Unknown),
  code: Schema.optional(Schema.Unknown),
  type: Schema.optional(Schema.Unknown),
  detail: Schema.optional(Schema.Unknown),
  error: Schema.optional(Schema.Unknown)
})

const isSaid = Schema.is(Said)
const parseBody = Schema.decodeUnknownEither(Schema.parseJson())

/** Reads `{error: {...}}`, `{error: "..."}`, `[{error: ...}]`, `{message}`, `{detail}` or bare text. */
const complaintOf = (body: unknown): Complaint => {
  if (Array.isArray(body)) return complaintOf(body[0])
  if (typeof body === "string") return { code: "", message: body }
  if (!isSaid(body)) return { code: "", message: "" }
  if (body.error !== undefined && body.error !== null) return complaintOf(body.error)
  const message = body.message ?? body.detail
  const code = body.code ?? body.type
  return {
    code: typeof code === "string" ? code : "",
    message: typeof message === "string" ? message : message === undefined ? "" : JSON.stringify(message)
  }
}

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
        ? rejection(provider, 0, `${names[provider._tag].url} is not a web address.`)
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

export const rejection = (provider: RemoteProvider, status: number, reason: string, tokens?: UsedTokens) =>
  new ModelRejected({ provider: provider._tag, status, reason, tokens })

export const unavailable = (
  provider: RemoteProvider,
  reason: string,
  fix: string,
  more: Pick<ModelUnavailable, "retryAfter" | "tokens"> = {}
) => new ModelUnavailable({ provider: provider._tag, reason, fix, ...more })

export const callTimedOut = (provider: RemoteProvider, after: string): ModelUnavailable =>
  unavailable(
    provider,
    `${names[provider._tag].title} gave no complete answer within ${after}`,
    "Retry the task later, or raise MODEL_REQUEST_TIMEOUT, or AGENT_STEP_TIMEOUT if the step had less time left."
  )

const faultFailure = (provider: RemoteProvider, description?: string): CallFailure => {
  const { title, url } = names[provider._tag]
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
  const { code } = complaint
  // The expressions below are quadratic in what they read.
  const message = complaint.message.slice(0, 4096)
  const { key, model, title, url } = names[provider._tag]
  const quote = quoted(provider, message)
  const rejected = (reason: string) => rejection(provider, status, reason)
  if (overflowCodes.has(code) || status === 413 || overflowWords.test(message) && status !== 404) {
    return new ContextOverflow({
      provider: provider._tag,
      reason: `The conversation is longer than ${provider.model} can read (${status})${quote}.`
    })
  }
  if (isPassing(status)) {
    const isQuota = code === "insufficient_quota"
    const what = status !== 429
      ? `${title} failed (${status})`
      : isQuota
      ? `${title} says the quota is used up (429)`
      : `${title} limits the rate of requests (429)`
    const fix = isQuota ? `Check the plan and billing of ${key}.` : "Retry the task later."
    return unavailable(provider, `${what}${quote}`, fix, { retryAfter })
  }
  if (status === 401 || status === 400 && /api[ _]key/i.test(message)) {
    return rejected(
      provider._tag === "local"
        ? `${title} asks for a key (${status}): ${key} must name a server that needs none.`
        : `${title} refused the key (${status}): check ${key}.`
    )
  }
  if (status === 403) {
    return rejected(`${title} does not allow the use of ${provider.model} (403)${quote}. Check ${key} and ${model}.`)
  }
  if (status === 404) {
    return rejected(
      `${title} does not know the model ${provider.model} or the address (404)${quote}. Check ${model} and ${url}.`
    )
  }
  if (status < 400) return rejected(`${title} answered with a redirect (${status}): check ${url}.`)
  const refused = rejected(`${title} refused the request (${status})${quote}.`)
  const option = complaints.find(([, words]) => words.test(message))?.[0]
  return option === undefined ? refused : new OptionRefused({ option, rejected: refused })
}

/** A temporary fault in most cases, or an address that is no model provider. */
export const malformed = (provider: RemoteProvider): ModelUnavailable => {
  const { title, url } = names[provider._tag]
  return unavailable(
    provider,
    `${title} sent an answer that can't be read`,
    `Check that ${url} leads to a model provider.`
  )
}

export const brokenOff = (provider: RemoteProvider): ModelUnavailable =>
  unavailable(provider, `${names[provider._tag].title} broke off in the middle of an answer`, "Retry the task later.")
