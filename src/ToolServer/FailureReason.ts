import { ProtocolError, SdkError, SdkHttpError, SseError } from "@modelcontextprotocol/client"
import { Either, Predicate } from "effect"

/** What an error of the protocol's client or of its transports says, as a clause about the server. */
export const failureReason = (cause: unknown): string => {
  const message = messageOf(cause)
  if (cause instanceof Error && cause.name === "ZodError") {
    return "its answer is not of the protocol: it is no MCP server, or a broken one"
  }
  if (cause instanceof ProtocolError) return withData(`MCP error ${cause.code}: ${message}`, cause.data)
  if (!(cause instanceof SdkError) && !(cause instanceof SseError)) return message
  if (/content type/i.test(message)) return `it is no MCP server: ${message}`
  const code = cause instanceof SdkHttpError ? cause.status : cause instanceof SseError ? cause.code : undefined
  if (code === undefined || code < 300) return message
  const text = message.replace(/^[\w ]*error: (?:Error POSTing to endpoint: |Non-200 status code \(\d+\))?/i, "").trim()
  const isPage = text.startsWith("<")
  return `it answers with status ${code}${adviceFor(code)}${text === "" || isPage ? "" : `: ${text}`}`
}

const adviceFor = (status: number): string => {
  if (status === 401 || status === 403) return " (check the token in its headers)"
  if (status < 400) return " (configure the address that it moved to)"
  const isElsewhere = [404, 405, 406, 410].includes(status)
  return isElsewhere ? " (there is no MCP server at this url, or one of the other type, http or sse)" : ""
}

const messageOf = (cause: unknown): string =>
  Predicate.hasProperty(cause, "message") && Predicate.isString(cause.message) ? cause.message : "it does not answer"

/** The data of an error often says more than its message. */
const withData = (message: string, data: unknown): string => {
  if (Predicate.isNullable(data)) return message
  const text = Predicate.isString(data) ? data : Either.getOrElse(Either.try(() => JSON.stringify(data)), () => "")
  return text === "" || text === "{}" || message.includes(text) ? message : `${message}: ${text}`
}
