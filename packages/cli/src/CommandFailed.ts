import * as HttpClientError from "@effect/platform/HttpClientError"
import { ProblemError } from "@troupe/api/Problem"
import { ConnectionFailed, TroupeError } from "@troupe/client"
import { Data, ParseResult, Predicate } from "effect"
import { safeText } from "./Format.ts"

/** What the command exits with. */
export const exits = {
  ok: { code: 0, meaning: "done" },
  failed: { code: 1, meaning: "the task failed, or the doctor found an error" },
  usage: { code: 2, meaning: "wrong command line" },
  waiting: { code: 3, meaning: "the task waits for an answer, which can't be given interactively" },
  refused: { code: 4, meaning: "the service refused the request: unknown id, wrong state, invalid value" },
  denied: { code: 5, meaning: "not signed in, or not allowed" },
  unavailable: { code: 6, meaning: "the service can't be reached, or failed" },
  interrupted: { code: 130, meaning: "interrupted" }
} as const
export type ExitReason = keyof typeof exits

/** The command can't do what it was asked to; the message says why and how to go on. */
export class CommandFailed extends Data.TaggedError("CommandFailed")<{
  readonly reason: ExitReason
  readonly message: string
}> {}

export const wrongUsage = (message: string) => new CommandFailed({ reason: "usage", message })

const ofStatus = (status: number): ExitReason =>
  status === 401 || status === 403 ? "denied" : status === 429 || status >= 500 ? "unavailable" : "refused"

/** Typed errors of endpoints that mean something else than that the request can't be carried out. */
const reasons: Readonly<Record<string, ExitReason>> = {
  Unauthenticated: "denied",
  NotAllowed: "denied",
  SignInUnavailable: "unavailable",
  AgentsUnwritable: "unavailable",
  SearchUnfinished: "unavailable",
  SkillModelUnavailable: "unavailable",
  SkillNotGenerated: "unavailable",
  SkillsUnwritable: "unavailable",
  StorageUnavailable: "unavailable"
}

const signIn = "Give a token with --token or TROUPE_TOKEN."

type CallError = HttpClientError.HttpClientError | ParseResult.ParseError | { readonly message: string }

/** The error that the user reads after a failed call of the service at `url`. */
export const callFailed = (url: string) => (error: CallError): CommandFailed => {
  if (error instanceof CommandFailed) return error
  if (error instanceof ProblemError || error instanceof TroupeError) {
    return new CommandFailed({
      reason: ofStatus(error.status),
      message: safeText(
        [
          error.message,
          ...(error.errors ?? []).slice(1).map(({ message, path }) => `${path}: ${message}`),
          ...(error.status === 401 ? [signIn] : [])
        ].join("\n")
      )
    })
  }
  if (error instanceof HttpClientError.RequestError || error instanceof ConnectionFailed) {
    return new CommandFailed({
      reason: "unavailable",
      message: `No response from ${url}. Start the service with npm start, or name it with --url or TROUPE_URL.`
    })
  }
  if (error instanceof HttpClientError.ResponseError) {
    const { status } = error.response
    return new CommandFailed({
      reason: error.reason === "StatusCode" ? ofStatus(status) : "unavailable",
      message: `Unexpected response from ${url}: status ${status}. Is it a Troupe service of this version?`
    })
  }
  if (ParseResult.isParseError(error)) {
    return new CommandFailed({
      reason: "unavailable",
      message:
        `The response from ${url} is not what this version expects. Compare troupe --version with GET /api/version.`
    })
  }
  const tag = Predicate.hasProperty(error, "_tag") ? String(error._tag) : ""
  return new CommandFailed({
    reason: reasons[tag] ?? "refused",
    message: safeText(tag === "Unauthenticated" ? `${error.message} ${signIn}` : error.message)
  })
}
