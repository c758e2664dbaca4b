import * as Command from "@effect/cli/Command"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import type * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import { Problem } from "@troupe/api/Problem"
import { Effect, FiberMap, Option, Predicate, Schema, Stream } from "effect"
import { createParser } from "eventsource-parser"
import { connection } from "./Arguments.ts"
import { callFailed, type CommandFailed } from "./CommandFailed.ts"
import { Screen } from "./Screen.ts"
import { forService, Service } from "./Service.ts"

const Message = Schema.Record({ key: Schema.String, value: Schema.Unknown })
type Message = typeof Message.Type

const parse = Schema.decodeOption(Schema.parseJson(Message))
const problemIn = Schema.decodeOption(Schema.parseJson(Problem))

/** Codes of JSON-RPC: what is no JSON, and an error of the implementation. */
const codes = { parseError: -32_700, failed: -32_000 }

const failure = (id: unknown, code: number, message: string) =>
  JSON.stringify({ jsonrpc: "2.0", id: id ?? null, error: { code, message } })

/** The messages in a body of server-sent events. */
const eventsOf = <E>(bytes: Stream.Stream<Uint8Array, E>): Stream.Stream<string, E> =>
  Stream.suspend(() => {
    let received: Array<string> = []
    const parser = createParser({ onEvent: ({ data }) => void received.push(data) })
    return Stream.mapConcat(Stream.decodeText(bytes), (text) => {
      parser.feed(text)
      const messages = received
      received = []
      return messages
    })
  })

const answersOf = (response: HttpClientResponse.HttpClientResponse, id: unknown) => {
  if (response.headers["content-type"]?.startsWith("text/event-stream") === true) return eventsOf(response.stream)
  const reasonIn = (text: string) =>
    Option.match(problemIn(text), {
      onNone: () => `The service responded with status ${response.status}`,
      onSome: ({ detail }) => detail
    })
  return Stream.fromEffect(response.text).pipe(
    Stream.map((text) => response.status < 400 ? text : failure(id, codes.failed, reasonIn(text))),
    Stream.filter((text) => text !== "")
  )
}

const agreedVersion = (answer: string): Option.Option<string> =>
  Option.flatMap(
    parse(answer),
    ({ result }) =>
      Predicate.hasProperty(result, "protocolVersion") && typeof result.protocolVersion === "string"
        ? Option.some(result.protocolVersion)
        : Option.none()
  )

/**
 * Passes the messages of an MCP client on standard input to the service, each as a request, and its answers to standard
 * output. A call that the client cancels is ended; one that the service does not answer is answered with the reason. It
 * ends when the input has ended and every call is answered.
 */
const bridge: Effect.Effect<void, CommandFailed, Screen | Service> = Effect.scoped(Effect.gen(function*() {
  const { lines, note, write } = yield* Screen
  const { http, url } = yield* Service
  const calls = yield* FiberMap.make<string, void, never>()
  let version: string | undefined

  const pass = (message: Message) => {
    const { id, method } = message
    const request = HttpClientRequest.post("/mcp").pipe(
      HttpClientRequest.setHeaders({
        accept: "application/json, text/event-stream",
        ...(version === undefined ? {} : { "mcp-protocol-version": version })
      }),
      HttpClientRequest.bodyUnsafeJson(message)
    )
    return http.execute(request).pipe(
      Effect.map((response) => answersOf(response, id)),
      Stream.unwrap,
      Stream.runForEach((answer) =>
        Effect.suspend(() => {
          if (method === "initialize") version = Option.getOrElse(agreedVersion(answer), () => version)
          return write(`${answer}\n`)
        })
      ),
      Effect.mapError(callFailed(url)),
      Effect.catchAll(({ message }) =>
        id === undefined ? note(`${message}\n`) : write(`${failure(id, codes.failed, message)}\n`)
      )
    )
  }

  const take = (line: string) =>
    Option.match(parse(line), {
      onNone: () => write(`${failure(null, codes.parseError, "The line is not a JSON object")}\n`),
      onSome: (message) => {
        const { id, method, params } = message
        if (method === "notifications/cancelled" && Predicate.hasProperty(params, "requestId")) {
          return FiberMap.remove(calls, JSON.stringify(params.requestId))
        }
        // Notifications keep their order.
        return id === undefined ? pass(message) : FiberMap.run(calls, JSON.stringify(id), pass(message))
      }
    })

  yield* Stream.runForEach(Stream.filter(lines, (line) => line.trim() !== ""), take)
  yield* FiberMap.awaitEmpty(calls)
}))

export const mcp = Command.make("mcp", { url: connection.url, token: connection.token }, () => bridge).pipe(
  forService("Serves the tasks of the service to an MCP client on standard input and output")
)
