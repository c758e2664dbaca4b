import { Agent, fetch } from "@effect/platform-node/Undici"
import type { FetchLike } from "@modelcontextprotocol/sdk/shared/transport.js"
import { oneLine } from "@troupe/domain/Text"
import { Data, Option, Predicate, Schema } from "effect"
import { isPublicHost, notPublic, publicLookup } from "../Runtime/NetworkAddress.ts"

/** What is asked of an authorization server can't be done. `isFinal`: asking again will not help. */
export class AuthorizationFailed extends Data.TaggedError("AuthorizationFailed")<{
  readonly reason: string
  readonly isFinal: boolean
}> {
  override get message() {
    return this.reason
  }
}

const maxBytes = 1_000_000
const timeoutMillis = 10_000

/** Why nothing may be sent to the address, or null. A host name is checked again when it is resolved. */
export const addressRefusal = (address: string, isHosted: boolean): string | null => {
  if (!URL.canParse(address)) return "it is no address"
  const { hostname, protocol, username } = new URL(address)
  if (username !== "") return "an address with a user name"
  if (protocol !== "https:" && (protocol !== "http:" || isHosted || isPublicHost(hostname))) return "it is not https"
  return isHosted && !isPublicHost(hostname) ? notPublic : null
}

/**
 * `fetch` for metadata and tokens: to allowed addresses only, at most 1 MB, within 10 seconds. No redirect is followed: metadata
 * that has moved is not there.
 */
export const authorizationFetch = (isHosted: boolean): FetchLike => {
  const agent = new Agent({ connect: { timeout: timeoutMillis, ...(isHosted ? { lookup: publicLookup } : {}) } })
  return (url, init = {}) => {
    const address = new URL(url)
    const failed = (reason: string, isFinal = false) =>
      new AuthorizationFailed({ reason: `${address.origin}${address.pathname}: ${reason}`, isFinal })
    const refusal = addressRefusal(address.href, isHosted)
    if (refusal !== null) return Promise.reject(failed(refusal, true))
    const { body, headers, method = "GET" } = init
    return fetch(address, {
      method,
      redirect: "manual",
      dispatcher: agent,
      signal: AbortSignal.timeout(timeoutMillis),
      headers: [...new Headers(headers)],
      ...(body instanceof URLSearchParams || typeof body === "string" ? { body: body.toString() } : {})
    }).then((response) => {
      const { status } = response
      const isRedirect = status >= 300 && status < 400
      if (isRedirect && method !== "GET") throw failed(`it answers with a redirect (${status})`)
      return boundedText(response.body?.getReader()).then((text) => {
        if (text === null) throw failed(`its answer has more than ${maxBytes} bytes`, true)
        const isEmpty = [101, 204, 205].includes(status)
        const refusal = method === "POST" ? refusalIn(text) : null
        return new Response(isEmpty ? null : refusal ?? text, {
          status: isRedirect ? 404 : refusal !== null && response.ok ? 400 : status,
          headers: [...response.headers].filter(([name]) => name !== "content-encoding" && name !== "content-length")
        })
      })
    }, (cause: unknown) => {
      throw failed(cause instanceof Error ? reasonOf(cause) : "it does not answer")
    })
  }
}

const reasonOf = ({ cause, message }: Error): string => cause instanceof Error ? cause.message : message

interface Reader {
  readonly read: () => Promise<{ readonly done: boolean; readonly value?: unknown }>
  readonly cancel: () => Promise<void>
}

/** Null: there is more. */
const boundedText = (reader: Reader | undefined): Promise<string | null> => {
  const decoder = new TextDecoder()
  let bytes = 0
  const rest = (text: string): Promise<string | null> =>
    reader === undefined ? Promise.resolve(text) : reader.read().then(({ done, value }) => {
      if (done || !(value instanceof Uint8Array)) return text + decoder.decode()
      bytes += value.byteLength
      return bytes > maxBytes ? reader.cancel().then(() => null) : rest(text + decoder.decode(value, { stream: true }))
    })
  return rest("")
}

const Refusal = Schema.parseJson(
  Schema.Struct({ error: Schema.NonEmptyString, error_description: Schema.optional(Schema.String) })
)
const decode = Schema.decodeOption(Refusal)
const encode = Schema.encodeSync(Refusal)

/** What some authorization servers call errors that RFC 6749, section 5.2, has a name for. */
const standard: Readonly<Record<string, string>> = {
  bad_refresh_token: "invalid_grant",
  bad_verification_code: "invalid_grant",
  invalid_code: "invalid_grant",
  invalid_refresh_token: "invalid_grant",
  bad_client_secret: "invalid_client",
  incorrect_client_credentials: "invalid_client",
  invalid_client_id: "invalid_client"
}

/** The error in the answer to a request for tokens, with its standard name; it may come with a status of 200. Null: there is none. */
export const refusalIn = (text: string): string | null =>
  Option.match(decode(text), {
    onNone: () => null,
    onSome: ({ error, error_description: said = error }) =>
      encode({ error: Object.hasOwn(standard, error) ? standard[error] ?? error : error, error_description: said })
  })

/** Errors of OAuth about what was sent; all others may pass. */
const final = new Set([
  "invalid_grant",
  "invalid_client",
  "unauthorized_client",
  "unsupported_grant_type",
  "invalid_scope",
  "access_denied",
  "invalid_target",
  "invalid_request",
  "invalid_client_metadata"
])

/** Without a token or secret: the error names what was asked, and the code and words of the authorization server. */
export const failureOf = (
  what: string,
  cause: unknown,
  secrets: ReadonlyArray<string | undefined>
): AuthorizationFailed => {
  if (cause instanceof AuthorizationFailed) {
    return new AuthorizationFailed({ reason: `${what} failed: ${cause.reason}`, isFinal: cause.isFinal })
  }
  const code = Predicate.hasProperty(cause, "errorCode") && Predicate.isString(cause.errorCode) ? cause.errorCode : ""
  const said = cause instanceof Error && cause.name !== "ZodError"
    ? answerIn(cause.message)
    : "the answer is not of the form that it must have"
  const reason = secrets.reduce<string>(
    (text, secret) => secret === undefined ? text : text.replaceAll(secret, "[redacted]"),
    `${what} failed: ${code === "" || said.startsWith(code) ? "" : `${code}: `}${said}`
  )
  return new AuthorizationFailed({
    reason: oneLine(reason, 500),
    isFinal: final.has(code)
  })
}

/** For an answer without an error of OAuth, the library's message has what its schema found between the status and the answer. */
const answerIn = (message: string): string => {
  const [before = "", ...after] = message.split("Raw body: ")
  const [status = ""] = before.split(": Invalid OAuth error response")
  const body = after.join("Raw body: ").trim()
  return after.length === 0 ? message : body === "" ? status : `${status}: ${body}`
}
