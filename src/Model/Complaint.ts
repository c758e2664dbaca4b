import { Predicate, Schema } from "effect"

/** What a provider says about a call that failed. */
export interface Complaint {
  readonly code: string
  readonly message: string
  /** What the complaint is about, as far as it says so outside of its message. */
  readonly param: string
}

/** The expressions that read a message are quadratic. */
const maxMessage = 4_096

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

/** A limit of tokens in a time, not of a conversation: it passes, unless the one request is larger than the limit. */
const isRateLimit = (status: number, message: string): boolean =>
  status === 429 && !/request too large|context[_ ]length|maximum context/i.test(message)

export const isOverflow = (status: number, { code, message }: Complaint): boolean =>
  overflowCodes.has(code) || status === 413
  || overflowWords.test(message) && ![401, 403, 404].includes(status) && !isRateLimit(status, message)

const modelCodes = new Set(["model_not_found", "DeploymentNotFound", "invalid_model", "model_not_available"])

const modelWords =
  /\b(?:model|deployment)s?\b.*(?:not (?:found|exist|available|loaded|deployed|a valid)|unknown|no such|no access)|(?:unknown|invalid|no such|not a valid) model/is

export const isModelUnknown = ({ code, message }: Pick<Complaint, "code" | "message">): boolean =>
  modelCodes.has(code) || modelWords.test(message)

/** How servers say that they lack an address, also with a status that says something else. */
const endpointWords = new RegExp(
  [
    "unexpected endpoint",
    "(?:unknown|unsupported|invalid) (?:endpoint|url|path|route|api\\b(?![ _-]?(?:key|token))|request url)",
    "no route (?:for|matched)",
    "cannot (?:post|get) /",
    "endpoint (?:is )?not (?:found|supported|available|implemented)",
    "responses[\"'`]? (?:api |endpoint )?(?:is )?not (?:supported|available|enabled|implemented)",
    "not (?:supported|available|accessible|compatible) (?:via|in|on|by|with|through|for) (?:the )?[\"'`/]*(?:v1/)?responses",
    "not support (?:the )?[\"'`/]*(?:v1/)?responses"
  ].join("|"),
  "i"
)

/** The server has nothing at the address; it does not say that it lacks the model. */
export const isAddressMissing = (status: number, { code, message }: Complaint): boolean =>
  code === "unsupported_api_for_model" || ![401, 429].includes(status) && endpointWords.test(message)
  || [404, 405, 410, 501].includes(status) && !isModelUnknown({ code, message })

const Said = Schema.Struct({
  message: Schema.optional(Schema.Unknown),
  code: Schema.optional(Schema.Unknown),
  type: Schema.optional(Schema.Unknown),
  param: Schema.optional(Schema.Unknown),
  detail: Schema.optional(Schema.Unknown),
  error: Schema.optional(Schema.Unknown),
  errors: Schema.optional(Schema.Unknown),
  metadata: Schema.optional(Schema.Unknown)
})

const isSaid = Schema.is(Said)

/** Reads `{error: {...}}`, `{error: "..."}`, `[{error: ...}]`, `{errors: [...]}`, `{message}`, `{detail}` or bare text. */
export const complaintOf = (body: unknown): Complaint => {
  if (Array.isArray(body)) return complaintOf(body[0])
  if (typeof body === "string") return { code: "", message: body.slice(0, maxMessage), param: "" }
  if (!isSaid(body)) return { code: "", message: "", param: "" }
  if (body.error !== undefined && body.error !== null) return complaintOf(body.error)
  const said = body.message ?? body.detail
  if (said === undefined && Array.isArray(body.errors)) return complaintOf(body.errors)
  const message = typeof said === "string" ? said : said === undefined ? "" : JSON.stringify(said, withoutInput)
  // What the provider behind a gateway said.
  const raw = Predicate.hasProperty(body.metadata, "raw") ? body.metadata.raw : undefined
  return {
    code: textOr(body.code, textOr(body.type, "")),
    message: (typeof raw === "string" ? `${message} ${raw}` : message).slice(0, maxMessage),
    param: textOr(body.param, "")
  }
}

/** Validators repeat the value that was sent, which may be a text of the conversation with the name of any parameter. */
const withoutInput = (name: string, value: unknown): unknown => name === "input" ? undefined : value

const textOr = (value: unknown, otherwise: string): string => typeof value === "string" ? value : otherwise
