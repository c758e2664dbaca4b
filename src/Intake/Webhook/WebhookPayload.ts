import { Effect, Option } from "effect"
import { isUtf8 } from "node:buffer"
import { promisify } from "node:util"
import { brotliDecompress, gunzip, inflate } from "node:zlib"
import { depthExceeds } from "../../Runtime/Database/StorableText.ts"

export interface WebhookPayload {
  /** Stored with the task as the webhook's payload. */
  readonly fields: Readonly<Record<string, unknown>>
  /** The text that the agent reads. */
  readonly text: string
}

/** Deeper JSON is kept as text, because not every reader of a task could decode it. */
const maxDepth = 64

/** Further fields of a form are in its `raw_body` only. */
const maxFormFields = 1_000

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const mediaType = (contentType: string | null) => {
  const [type = "", ...parameters] = (contentType ?? "").toLowerCase().split(";").map((part) => part.trim())
  const charset = parameters.map((parameter) => /^charset\s*=\s*"?([^"\s]+)"?$/.exec(parameter)?.[1])
  return { type, charset: charset.find((name) => name !== undefined) ?? "utf-8" }
}

const textOf = (body: Uint8Array, charset: string): string => {
  try {
    return new TextDecoder(charset).decode(body)
  } catch {
    return new TextDecoder().decode(body)
  }
}

export const parseJson = Option.liftThrowable((text: string): unknown => JSON.parse(text))

const formFields = (text: string): Readonly<Record<string, unknown>> => {
  const form = new URLSearchParams(text)
  return Object.fromEntries(Array.from(new Set(form.keys()), (name) => {
    const values = form.getAll(name)
    return [name, values.length === 1 ? values[0] : values]
  }))
}

/** Clients such as curl call any body a form, so JSON comes first. A number or a quoted word may also be a form. */
const jsonOf = (body: Uint8Array, text: string, isForm: boolean) =>
  (isUtf8(body) && !depthExceeds(text, maxDepth) ? parseJson(text) : Option.none()).pipe(
    Option.filter((value) => !isForm || (typeof value === "object" && value !== null))
  )

/**
 * A JSON object as it is, other JSON under `value`, a form with `raw_body`, everything else as text under `raw_body`.
 */
export const webhookPayloadOf = (
  { body, contentType }: { readonly body: Uint8Array; readonly contentType: string | null }
): WebhookPayload => {
  const { charset, type } = mediaType(contentType)
  const isForm = type === "application/x-www-form-urlencoded"
  const text = textOf(body, charset)
  const json = jsonOf(body, text, isForm)
  if (Option.isSome(json)) return { fields: isObject(json.value) ? json.value : { value: json.value }, text }
  if (!isForm) return { fields: { raw_body: text }, text }
  const parts = text.split("&", maxFormFields + 1)
  const fields = formFields(parts.slice(0, maxFormFields).join("&"))
  const rest = parts.length > maxFormFields ? `\n[The first ${maxFormFields} fields; the rest was left out.]` : ""
  return { fields: { ...fields, raw_body: text }, text: JSON.stringify(fields) + rest }
}

const decoders = { gzip: promisify(gunzip), deflate: promisify(inflate), br: promisify(brotliDecompress) }

const decoderOf = (encoding: string) => {
  const name = encoding.trim().toLowerCase().replace(/^x-/, "")
  return name === "gzip" || name === "deflate" || name === "br" ? decoders[name] : null
}

/**
 * The body without its `Content-Encoding`; as it arrived where the header is wrong, or where the decoded body has more
 * than `maxOutputLength` bytes.
 */
export const decodedBody = (
  { body, headers }: { readonly body: Uint8Array; readonly headers: Readonly<Record<string, string>> },
  maxOutputLength: number
): Effect.Effect<Uint8Array> => {
  const decode = decoderOf(headers["content-encoding"] ?? "")
  return decode === null
    ? Effect.succeed(body)
    : Effect.orElseSucceed(Effect.tryPromise((): Promise<Uint8Array> => decode(body, { maxOutputLength })), () => body)
}
