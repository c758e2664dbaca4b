import { Data, type Duration, Either, Option, Redacted, Schema } from "effect"
import { ContextOverflow, ModelRejected, type UsedTokens } from "./Model.ts"
import { names, type RemoteProvider } from "./RemoteProvider.ts"

/** A failure that may pass: worth another try, though not before `retryAfter` where the provider named one. */
export class PassingFailure extends Data.TaggedError("PassingFailure")<{
  /** What happened, without a full stop, so that "5 times in a row" can follow. */
  readonly reason: string
  /** What to do about it: a whole sentence, or nothing. */
  readonly fix: string
  readonly retryAfter: Option.Option<Duration.Duration>
  /** What the provider counted of the call all the same. */
  readonly tokens?: UsedTokens
}> {}

/** The provider refuses one optional parameter, which the call can do without. */
export class OptionRefused extends Data.TaggedError("OptionRefused")<{
  readonly option: OptionalParameter
  readonly rejected: ModelRejected
}> {}

export type CallFailure = ContextOverflow | ModelRejected | OptionRefused | PassingFailure

/** Parameters that only some models know; whoever complains about one gets the call again without it. */
export type OptionalParameter = "encryptedReasoning" | "streamUsage" | "temperature"

const complaints: ReadonlyArray<readonly [OptionalParameter, RegExp]> = [
  ["temperature", /\btemperature\b.*(not support|unsupported)|(not support|unsupported).*\btemperature\b/is],
  ["encryptedReasoning", /(encrypted[ _]content|reasoning\.encrypted).*not support|unsupported.*\binclude\b/is],
  ["streamUsage", /stream_options/i]
]

const overflowCodes = new Set(["context_length_exceeded", "exceed_context_size_error", "string_above_max_length"])

const overflowWords = new RegExp(
  [
    "context[_ ]length",
    "maximum context",
    "context (window|size)",
    "exceed_context_size",
    "prompt is too long",
    "too many (input )?tokens",
    "input token count.*exceeds",
    "request too large"
  ].join("|"),
  "is"
)

/** What a provider says about an error, in whichever of the usual shapes. */
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
export const complaintOf = (body: unknown): Complaint => {
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

/** At most 200 characters of what the provider said, on one line and without anything that opens a door. */
const quoted = (provider: RemoteProvider, message: string): string => {
  const key = Option.match(provider.apiKey, { onNone: () => "", onSome: Redacted.value })
  const clean = (key === "" ? message : message.replaceAll(key, "[redacted]"))
    .replaceAll(looksLikeKey, "[redacted]").replaceAll(/[\s\p{Cc}]+/gu, " ").trim()
  return clean === "" ? "" : `: "${clean.length > 200 ? `${clean.slice(0, 197)}...` : clean}"`
}

const isPassing = (status: number) =>
  status === 408 || status === 409 || status === 425 || status === 429 || status >= 500

/** Turns an answer other than 2xx into what can be done about it. */
export const failureOf = (
  provider: RemoteProvider,
  answer: { readonly status: number; readonly body: string; readonly retryAfter: Option.Option<Duration.Duration> }
): CallFailure => {
  const { body, retryAfter, status } = answer
  return classified(provider, status, complaintOf(Either.getOrElse(parseBody(body), () => body)), retryAfter)
}

/** The same for an error that arrives inside a 200, as streams and the Responses API send them. */
export const failureInside = (provider: RemoteProvider, error: unknown): CallFailure => {
  const complaint = complaintOf(error)
  const lasting = /invalid|unsupported|not_found|refused|policy/i.test(complaint.code)
  return classified(provider, lasting ? 400 : 500, complaint, Option.none())
}

const classified = (
  provider: RemoteProvider,
  status: number,
  complaint: Complaint,
  retryAfter: Option.Option<Duration.Duration>
): CallFailure => {
  const { code } = complaint
  // The expressions below are quadratic in what they read.
  const message = complaint.message.slice(0, 4096)
  const { key, model, title, url } = names[provider._tag]
  const quote = quoted(provider, message)
  const rejected = (reason: string) => new ModelRejected({ provider: provider._tag, status, reason })
  if (overflowCodes.has(code) || status === 413 || overflowWords.test(message) && status !== 404) {
    return new ContextOverflow({
      provider: provider._tag,
      reason: `The conversation is longer than ${provider.model} can read (${status})${quote}.`
    })
  }
  if (isPassing(status)) {
    const what = status === 429
      ? code === "insufficient_quota"
        ? `${title} says the quota is used up (429)`
        : `${title} limits the rate of requests (429)`
      : `${title} failed (${status})`
    const fix = code === "insufficient_quota" ? `Check the plan and billing of ${key}.` : "Retry the task later."
    return new PassingFailure({ reason: `${what}${quote}`, fix, retryAfter })
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

/** An answer that can't be read: a glitch on the way, mostly, or an address that is no model provider. */
export const malformed = (provider: RemoteProvider): PassingFailure => {
  const { title, url } = names[provider._tag]
  return new PassingFailure({
    reason: `${title} sent an answer that can't be read`,
    fix: `Check that ${url} leads to a model provider.`,
    retryAfter: Option.none()
  })
}

/** An answer whose end is missing. */
export const brokenOff = (provider: RemoteProvider): PassingFailure =>
  new PassingFailure({
    reason: `${names[provider._tag].title} broke off in the middle of an answer`,
    fix: "Retry the task later.",
    retryAfter: Option.none()
  })
