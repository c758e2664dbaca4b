import { Duration, Option } from "effect"
import { errorCode } from "../../Runtime/ErrorText.ts"
import { type ChatFailed, chatFailed } from "../ChatPlatform.ts"

/** What is known of a request that got no result. */
export interface FailedRequest {
  readonly method: string
  /** Whether acting on the request twice is seen by people. */
  readonly isWrite: boolean
  readonly status?: number | undefined
  readonly retryAfter?: string | undefined
  /** The platform's name of the error, or what its response says instead. */
  readonly platformError?: string | undefined
  readonly cause?: unknown
}

const temporary: ReadonlyArray<string> = [
  "fatal_error",
  "internal_error",
  "request_timeout",
  "service_unavailable",
  "team_added_to_org"
]

const rateLimits: ReadonlyArray<string> = ["message_limit_exceeded", "rate_limited", "ratelimited"]

/** The connection was never made, so nothing was sent. */
const connectCodes: ReadonlyArray<string> = [
  "EAI_AGAIN",
  "ECONNREFUSED",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "UND_ERR_CONNECT_TIMEOUT"
]

const isCertificate = (code: string) => /CERT|SELF_SIGNED|UNABLE_TO|ERR_TLS|ERR_SSL|EPROTO/.test(code)

/** `Retry-After` in seconds, at most an hour. */
const pauseOf = (header: string | undefined): Option.Option<Duration.Duration> =>
  header !== undefined && /^\d{1,6}$/.test(header)
    ? Option.some(Duration.seconds(Math.min(Number(header), 3600)))
    : Option.none()

export const slackFailure = (failed: FailedRequest): ChatFailed => {
  const { cause, isWrite, method, platformError, retryAfter, status } = failed
  if (status === 429 || (platformError !== undefined && rateLimits.includes(platformError))) {
    return chatFailed("rate_limited", `The chat platform limits the rate of ${method}.`, {
      retryAfter: pauseOf(retryAfter)
    })
  }
  if (status !== undefined && status >= 500) {
    return chatFailed("unavailable", `The chat platform responded to ${method} with status ${status}.`)
  }
  if (status !== undefined && status !== 200) return chatFailed("unavailable", unexpected(method, `status ${status}`))
  if (platformError !== undefined) return platformFailure(method, platformError)
  const code = errorCode(cause)
  if (code === "UND_ERR_RES_EXCEEDED_MAX_SIZE") {
    return chatFailed("refused", `The chat platform's response to ${method} is too long.`)
  }
  if (isCertificate(code)) {
    return chatFailed(
      "unavailable",
      "The chat platform's certificate can't be trusted. Check CHAT_API_URL, or trust its issuer with "
        + "NODE_EXTRA_CA_CERTS."
    )
  }
  if (isWrite && !connectCodes.includes(code)) {
    return chatFailed(
      "uncertain",
      `The connection to the chat platform broke during ${method}: the request may have taken effect.`
    )
  }
  return chatFailed(
    "unavailable",
    `The chat platform can't be reached (${code === "" ? "no response" : code}). ${whatToCheck}`
  )
}

export const heldBack = (method: string, millis: number): ChatFailed =>
  chatFailed("rate_limited", `The chat platform limits the rate of ${method}; it was not called again yet.`, {
    about: "held",
    retryAfter: Option.some(Duration.millis(Math.max(0, millis)))
  })

const whatToCheck = "Check CHAT_API_URL and the network."

const unexpected = (method: string, what: string) =>
  `CHAT_API_URL does not lead to a chat platform: it responded to ${method} with ${what}.`

/** What is gone, or wrong, by the platform's name of the error. */
const about: Readonly<Record<string, ChatFailed["about"]>> = {
  account_inactive: "token",
  invalid_auth: "token",
  not_authed: "token",
  org_login_required: "token",
  team_access_not_granted: "token",
  token_expired: "token",
  token_revoked: "token",
  missing_scope: "scope",
  channel_not_found: "channel",
  is_archived: "channel",
  cant_update_message: "message",
  edit_window_closed: "message",
  message_not_found: "message",
  file_not_found: "file"
}

const platformFailure = (method: string, code: string): ChatFailed => {
  if (!/^[a-z][a-z0-9_]{0,79}$/.test(code)) return chatFailed("refused", unexpected(method, "another text than JSON"))
  if (temporary.includes(code)) return chatFailed("unavailable", `The chat platform could not do ${method}: ${code}.`)
  const what = about[code] ?? null
  const reason = what === "token"
    ? `The chat platform does not accept CHAT_BOT_TOKEN: ${code}.`
    : what === "scope"
    ? `CHAT_BOT_TOKEN lacks a scope that ${method} needs.`
    : `The chat platform refused ${method}: ${code}.`
  return chatFailed("refused", reason, { about: what })
}

export const timedOut = (method: string, isWrite: boolean, timeout: Duration.DurationInput): ChatFailed =>
  isWrite
    ? chatFailed(
      "uncertain",
      `The chat platform did not respond to ${method} in time: the request may have taken effect.`
    )
    : chatFailed(
      "unavailable",
      `The chat platform did not respond to ${method} within ${Duration.format(timeout)}. ${whatToCheck}`
    )
