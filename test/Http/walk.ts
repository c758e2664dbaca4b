import { HttpBody, HttpClient, HttpClientRequest } from "@effect/platform"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { type Call, invalidOf, type Operation, validOf, type Values } from "./OpenApiCalls.ts"
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

/** Problems; those of MCP may be errors of its own protocol, and a browser that comes back from a sign-in gets a page. */
const isProblem = ({ path }: Call, { status, text, type }: Answer) =>
  (type === "application/problem+json" && text.includes(`"status":${status}`))
  || (path.startsWith("/auth/mcp/callback") && status === 400 && type.startsWith("text/html"))
  || (path === "/mcp" && type === "application/json" && text.startsWith("{\"jsonrpc\":\"2.0\",\"error\":"))

export const isRefused = (call: Call, status: number) => (answer: Answer) =>
  answer.status === status && isProblem(call, answer)

export const isTaken = ({ responses }: Operation) => ({ status }: Answer) => status < 300 && status in responses

/**
 * Sees that an operation takes the first call that the document allows, refuses the ones that it does not allow, and
 * answers the others in either way.
 */
export const walked = <R = never>(
  operation: Operation,
  known: Values,
  { isThere = true, isWhole = true, sent = Effect.succeed }: {
    /** Otherwise no call finds it. */
    readonly isThere?: boolean
    /** Otherwise it needs what a document can't give, such as a sign-in that began elsewhere. */
    readonly isWhole?: boolean
    /** Signs a call, for example. */
    readonly sent?: (call: Call) => Effect.Effect<Call, never, R>
  } = {}
) =>
  Effect.gen(function*() {
    const { check, wrong } = makeChecks()
    const checked = (isRight: (call: Call) => (answer: Answer) => boolean) => (call: Call) =>
      Effect.flatMap(sent(call), (one) => check(one, isRight(one)))
    const [first, ...more] = validOf(operation, known)
    const refused = checked((call) => isRefused(call, isThere ? 400 : 404))
    const invalid = invalidOf(operation, known)
    // Where nothing is there, nobody reads what a call says.
    yield* Effect.forEach(isThere ? invalid : invalid.slice(0, 1), refused, { concurrency: 4 })
    const answered = checked((call) => (answer) =>
      isTaken(operation)(answer) || (answer.status < 500 && isProblem(call, answer))
    )
    yield* !isThere ? refused(first) : isWhole ? checked(() => isTaken(operation))(first) : answered(first)
    yield* Effect.forEach(more, answered)
    assert.deepStrictEqual(wrong, [])
  })

/** Calls that should be answered in a certain way; `wrong` has those that were not. */
export const makeChecks = () => {
  const wrong: Array<string> = []
  const check = (call: Call, isRight: (answer: Answer) => boolean) =>
    Effect.map(send(call), (answer) => {
      if (!isRight(answer)) wrong.push(said(call, answer))
    })
  return { check, wrong }
}
