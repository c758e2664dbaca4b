import { InsufficientScopeError, ProtocolError, SdkHttpError } from "@modelcontextprotocol/client"
import { Data, Duration, Effect, Predicate, Record, type Scope } from "effect"
import { AuthorizationFailed } from "../Wire/AuthorizationFetch.ts"
import type { Connection } from "./Connection.ts"
import { answered } from "./InputRequired.ts"
import { type LiveCalls, makeLiveCalls } from "./LiveCalls.ts"
import { type Redact, redactValue } from "./Redaction.ts"
import { type Asking, CallFailed, type OnProgress } from "./ServerCall.ts"
import { resourceReader } from "./ServerTool.ts"
import { isForgotten } from "./SessionForgotten.ts"
import { SignInNeeded } from "./TokenSource.ts"

type Json = Readonly<Record<string, unknown>>

interface Failure {
  readonly cause: unknown
}

/** Sends a request of the protocol and waits for its result, however long it takes. */
export type Send = (method: string, params: Json, onProgress?: OnProgress) => Effect.Effect<Json, Failure>

interface Session {
  readonly send: Send
  /** It speaks 2026-07-28, so that a call ends with its questions. */
  readonly isModern: () => boolean
  readonly isClosed: () => boolean
  readonly reasonOf: (cause: unknown) => string
  readonly redact: Redact
}

/** The calls over a connection, and the answers to what the server asks during them. */
export const makeServerCalls = (
  server: string,
  { isClosed, isModern, reasonOf, redact, send }: Session
): Effect.Effect<Pick<Connection, "call"> & Pick<LiveCalls<Failure>, "onQuestion">, never, Scope.Scope> =>
  Effect.map(
    makeLiveCalls<Failure>(server, {
      timedOut: (timeout) => ({ cause: new TimedOut({ timeout }) }),
      gone: () => ({ cause: new QuestionGone() })
    }),
    ({ onQuestion, run }) => {
      const toolCall = (
        tool: string,
        args: Json,
        timeout: Duration.Duration,
        onProgress?: OnProgress,
        asking?: Asking
      ) => {
        const params = { name: tool, arguments: args }
        const input = asking?.input
        if (isModern()) {
          return within(
            send("tools/call", input === undefined ? params : { ...params, ...answered(input) }, onProgress),
            timeout
          )
        }
        if (
          input !== undefined && input.live !== true &&
          [...input.answers.values()].some(({ action }) => action !== "accept")
        ) {
          return Effect.fail({ cause: new PageDeclined() })
        }
        return Effect.catchAll(run(send("tools/call", params, onProgress), timeout, asking), pagesFirst)
      }
      return {
        onQuestion,
        call: (tool, args, timeout, onProgress, asking) =>
          Effect.mapBoth(
            tool === resourceReader
              ? Effect.map(within(send("resources/read", { uri: args["uri"] }, onProgress), timeout), contentOf)
              : toolCall(tool, args, timeout, onProgress, asking),
            {
              onFailure: ({ cause }) => callFailed(cause, isClosed(), reasonOf),
              // The server gets its state back as it came; nobody is shown it.
              onSuccess: (result) =>
                Record.map(result, (value, name) => name === "requestState" ? value : redactValue(value, redact))
            }
          )
      }
    }
  )

export const within = <A>(sent: Effect.Effect<A, Failure>, timeout: Duration.Duration): Effect.Effect<A, Failure> =>
  Effect.timeoutFail(sent, { duration: timeout, onTimeout: () => ({ cause: new TimedOut({ timeout }) }) })

/** In older versions a call fails if somebody has to open pages before it is made again. */
const pagesFirst = (failure: Failure): Effect.Effect<Json, Failure> => {
  const { cause } = failure
  const data = cause instanceof ProtocolError && cause.code === pagesRequired ? cause.data : null
  const pages = Predicate.isReadonlyRecord(data) && Array.isArray(data["elicitations"]) ? data["elicitations"] : []
  return pages.length === 0 ? Effect.fail(failure) : Effect.succeed({
    resultType: "input_required",
    inputRequests: Object.fromEntries(
      pages.map((params: unknown, index) => [String(index + 1), { method: "elicitation/create", params }])
    )
  })
}

const pagesRequired = -32_042

class TimedOut extends Data.TaggedError("TimedOut")<{ readonly timeout: Duration.Duration }> {
  override get message() {
    return `it did not respond within ${Duration.format(this.timeout)}`
  }
}

class QuestionGone extends Data.TaggedError("QuestionGone") {
  override get message() {
    return "the connection over which it asked has ended, so the answer did not reach it"
  }
}

class PageDeclined extends Data.TaggedError("PageDeclined") {
  override get message() {
    return "it needs somebody to open a page, which was declined"
  }
}

/** A list of resources as the content of a tool's result; what is no such list is shown as it is. */
const contentOf = ({ contents, ...others }: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  contents === undefined
    ? others
    : { content: Array.isArray(contents) ? contents.map(resourceOf) : resourceOf(contents) }

const resourceOf = (resource: unknown): unknown =>
  Predicate.isRecord(resource) ? { type: "resource", resource } : resource

const callFailed = (cause: unknown, isClosed: boolean, reasonOf: (cause: unknown) => string): CallFailed => {
  const reason = reasonOf(cause)
  if (cause instanceof TimedOut) return new CallFailed({ what: "timedOut", reason: cause.message })
  if (isForgotten(cause)) return new CallFailed({ what: "untaken", reason })
  if (cause instanceof SignInNeeded) return new CallFailed({ what: "unauthorized", reason })
  if (cause instanceof QuestionGone) return new CallFailed({ what: "lost", reason: cause.message })
  if (cause instanceof PageDeclined) return new CallFailed({ what: "refused", reason: cause.message })
  // Without a token nothing is sent; and a server asks who it is before it takes anything.
  const isRefused = cause instanceof AuthorizationFailed || cause instanceof InsufficientScopeError
    || (cause instanceof SdkHttpError && (cause.status === 401 || cause.status === 403))
  const isAnswer = isRefused || (cause instanceof ProtocolError && !isClosed)
  return new CallFailed({ what: isAnswer ? "refused" : "lost", reason })
}
