import { Agent, fetch } from "@effect/platform-node/Undici"
import type { FetchLike } from "@modelcontextprotocol/sdk/shared/transport.js"
import { Data } from "effect"
import { isPublicHost, notPublic, publicLookup } from "../Runtime/NetworkAddress.ts"
import { refusalIn } from "./TokenRefusal.ts"

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
