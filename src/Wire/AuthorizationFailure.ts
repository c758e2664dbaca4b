import { oneLine } from "@troupe/domain/Text"
import { Predicate } from "effect"
import { AuthorizationFailed } from "./AuthorizationFetch.ts"

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
