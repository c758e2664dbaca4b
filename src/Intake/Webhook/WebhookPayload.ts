import { Effect, Option } from "effect"
import { isUtf8 } from "node:buffer"
import { promisify } from "node:util"
import { brotliDecompress, gunzip, inflate } from "node:zlib"
import { depthExceeds } from "../../Runtime/JsonDepth.ts"
import { decodeText } from "../../Runtime/TextDecoding.ts"

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

export const parseJson = Option.liftThrowable((text: string): unknown => JSON.parse(text))

/** A field or its name, as bytes. */
const unescaped = (text: string): Uint8Array =>
  Buffer.from(
    text.replaceAll("+", " ").replaceAll(/%([\da-f]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16))),
    "latin1"
  )

/**
 * Forms are in the encoding of the page or program that sends them: some say it in a field (`_charset_` of browsers,
 * `charset` of PayPal), some in the header, most nowhere.
 */
const formFields = (parts: ReadonlyArray<string>, charset: string): Readonly<Record<string, unknown>> => {
  const pairs = parts.filter((part) => part !== "").map((part) => {
    const [name = "", ...value] = part.split("=")
    return { name: unescaped(name), value: unescaped(value.join("=")) }
  })
  const own = pairs.find(({ name }) => /^_?charset_?$/.test(Buffer.from(name).toString()))
  const label = own === undefined ? charset : Buffer.from(own.value).toString()
  const fields = new Map<string, Array<string>>()
  for (const pair of pairs) {
    const name = decodeText(pair.name, label)
    const values = fields.get(name) ?? []
    fields.set(name, values)
    values.push(decodeText(pair.value, label))
  }
  return Object.fromEntries(Array.from(fields, ([name, values]) => [name, values.length === 1 ? values[0] : values]))
}

/**
 * Clients such as curl call any body a form, so JSON comes first. A number or a quoted word may also be a form. JSON in
 * UTF-8 is read as such whatever its label.
 */
const jsonOf = (body: Uint8Array, text: string, isForm: boolean) => {
  const json = isUtf8(body) ? decodeText(body) : text
  return (depthExceeds(json, maxDepth) ? Option.none() : parseJson(json)).pipe(
    Option.filter((value) => !isForm || (typeof value === "object" && value !== null)),
    Option.map((value) => ({ value, text: json }))
  )
}

/**
 * A JSON object as it is, other JSON under `value`, a form with `raw_body`, everything else as text under `raw_body`.
 */
export const webhookPayloadOf = (
  { body, contentType }: { readonly body: Uint8Array; readonly contentType: string | null }
): WebhookPayload => {
  const { charset, type } = mediaType(contentType)
  const isForm = type === "application/x-www-form-urlencoded"
  const text = decodeText(body, charset)
  const json = jsonOf(body, text, isForm)
  if (Option.isSome(json)) {
    const { text, value } = json.value
    return { fields: isObject(value) ? value : { value }, text }
  }
  if (!isForm) return { fields: { raw_body: text }, text }
  const parts = Buffer.from(body).toString("latin1").split("&", maxFormFields + 1)
  const fields = formFields(parts.slice(0, maxFormFields), charset)
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
