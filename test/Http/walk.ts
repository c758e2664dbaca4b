import { HttpBody, HttpClient, HttpClientRequest } from "@effect/platform"
import { Effect } from "effect"
import type { Call, Operation } from "./OpenApiCalls.ts"
import { Service } from "./service.ts"

export interface Answer {
  readonly status: number
  readonly type: string
  readonly text: string
}

/** Sends a request and reads the answer, of a stream only its head. */
export const send = (call: Call) =>
  Effect.gen(function*() {
    const { port } = yield* Service
    const http = HttpClient.withScope(yield* HttpClient.HttpClient)
    const { body, headers = {}, method, path } = call
    const request = HttpClientRequest.make(method)(`http://127.0.0.1:${port}${path}`, {
      headers,
      ...(body === undefined
        ? {}
        : {
          body: typeof body === "string"
            ? HttpBody.text(body, headers["content-type"] ?? "application/json")
            : HttpBody.formData(body)
        })
    })
    const answer = yield* http.execute(request)
    const type = answer.headers["content-type"] ?? ""
    return { status: answer.status, type, text: type.startsWith("text/event-stream") ? "" : yield* answer.text }
  }).pipe(Effect.scoped, Effect.orDie)

const said = (call: Call, { status, text, type }: Answer) =>
  `${call.method} ${call.path.slice(0, 300)} ${String(call.body).slice(0, 300)}: ${status} ${type} ${
    text.slice(0, 500)
  }`

/** Problems; those of MCP may be errors of its own protocol. */
export const isProblem = ({ path }: Call, { status, text, type }: Answer) =>
  (type === "application/problem+json" && text.includes(`"status":${status}`))
  || (path === "/mcp" && type === "application/json" && text.startsWith("{\"jsonrpc\":\"2.0\",\"error\":"))

export const isRefused = (call: Call, status: number) => (answer: Answer) =>
  answer.status === status && isProblem(call, answer)

export const isTaken = ({ responses }: Operation) => ({ status }: Answer) => status < 300 && status in responses

/** Calls that should be answered in a certain way; `wrong` has those that were not. */
export const makeChecks = () => {
  const wrong: Array<string> = []
  const check = (call: Call, isRight: (answer: Answer) => boolean) =>
    Effect.map(send(call), (answer) => {
      if (!isRight(answer)) wrong.push(said(call, answer))
    })
  return { check, wrong }
}
