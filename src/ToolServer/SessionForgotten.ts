import { ProtocolError } from "@modelcontextprotocol/client"
import { oneLine } from "@troupe/domain/Text"
import { Data } from "effect"

/** The server does not know the session of a message any more, so that it did not take the message. */
export class SessionForgotten extends Data.TaggedError("SessionForgotten")<{
  readonly status: number
  readonly text: string
}> {
  override get message() {
    const said = oneLine(this.text, 500)
    return `it does not know the session any more (status ${this.status}${said === "" ? "" : `: ${said}`})`
  }
}

/** What is looked at of a text of the server. */
const maxText = 2_000

const absent =
  /not[-_ ]?(?:found|valid|active|initialized|established|exist)|n[o']t exist|could not find|no valid|unknown|invalid|expired|terminated|closed|missing|required|unrecogni[sz]ed|no longer|stale|gone|timed ?out/i

/** Errors of the protocol about a method or its parameters: a tool may have sessions of its own. */
const aboutCall = /"code"\s*:\s*-3260[12]\b/

const uninitialized = /server not initialized|initialize request|no transport/i

/**
 * Whether the response to a message that is no `initialize` says so. The protocol has 404 for it; servers also send 400,
 * 401, 410 or 422 and say it in words. Such a message was not taken in any case; with a status of 500 or more it may be.
 */
export const saysForgotten = (status: number, body: string): boolean => {
  if (status === 404 || status === 410) return true
  const text = body.slice(0, maxText)
  return status >= 400 && status < 500 && !aboutCall.test(text) &&
    (uninitialized.test(text) || (/session/i.test(text) && absent.test(text)))
}

/** Stricter, since an error of the protocol may also be of a tool that has sessions of its own. */
const inErrors = [
  /^(?:mcp[- ])?session(?:[-_ ]?id)?(?: is)? (?:not (?:found|valid|active|initialized)|unknown|invalid|expired|terminated|closed|missing)/i,
  /^(?:no valid|invalid|unknown|expired|missing)(?: or (?:missing|expired|invalid))? (?:mcp[- ])?session/i,
  /^server not initialized/i
]

/** The codes that the protocol's servers use for errors of a session; those of tools have others. */
const sessionCodes = [-32_000, -32_001, -32_600]

/** Gateways say it in an error of the protocol, with a status of 200. */
export const isForgotten = (cause: unknown): boolean => {
  if (!(cause instanceof ProtocolError)) return cause instanceof SessionForgotten
  const text = cause.message.slice(0, maxText).replace(/^(?:bad request|not found|unauthorized|error): /i, "")
  return sessionCodes.includes(cause.code) && inErrors.some((pattern) => pattern.test(text))
}
