import { Effect, Queue, Redacted, type Scope } from "effect"
import type { IncomingMessage, ServerResponse } from "node:http"
import { buffer } from "node:stream/consumers"
import { type Answer, answerOf, type Args } from "./ChatPlatformMethods.ts"
import { type FakeMessage, PlatformState } from "./ChatPlatformState.ts"
import { serve } from "./LocalServer.ts"

export const chatToken = "xoxb-of-the-tests"
export const signingSecret = "signing-secret-of-the-tests"

/** How the platform treats one request. `drop` closes the connection, before or after it has acted. */
export type Behaviour =
  | { readonly _tag: "rateLimited"; readonly retryAfter: number | null }
  | { readonly _tag: "status"; readonly status: number }
  | { readonly _tag: "error"; readonly code: string }
  | { readonly _tag: "body"; readonly text: string; readonly type?: string }
  | { readonly _tag: "redirect"; readonly location: string }
  | { readonly _tag: "slow"; readonly millis: number }
  | { readonly _tag: "drop"; readonly after: boolean }

export interface ChatRequest {
  readonly method: string
  readonly args: Args
}

export interface FakePlatform {
  /** For CHAT_API_URL. */
  readonly url: URL
  readonly token: Redacted.Redacted
  readonly state: PlatformState
  /** Every request with a valid token, also those that it misbehaves on. */
  readonly requests: ReadonlyArray<ChatRequest>
  readonly callsOf: (method: string) => ReadonlyArray<Args>
  /** New messages of ours, in order. */
  readonly posts: Queue.Dequeue<FakeMessage>
  /** What came to `response_url`s. */
  readonly responses: Queue.Dequeue<unknown>
  /** The next requests for the method (`upload` and `download` of files, too) are treated so, one after the other. */
  readonly misbehave: (method: string, ...behaviours: ReadonlyArray<Behaviour>) => void
  /** Decides on every request for which no behaviour is left. */
  readonly misbehaveIf: (rule: (request: ChatRequest) => Behaviour | null) => void
  readonly revokeToken: () => void
  /** For a slash command or an interaction. */
  readonly responseUrl: string
}

/** A chat platform on a real socket, which checks requests as strictly as the real one. */
export const makeChatPlatform: Effect.Effect<FakePlatform, never, Scope.Scope> = Effect.gen(function*() {
  const state = new PlatformState()
  const posts = yield* Queue.unbounded<FakeMessage>()
  const responses = yield* Queue.unbounded<unknown>()
  const requests: Array<ChatRequest> = []
  const planned = new Map<string, Array<Behaviour>>()
  let rule: (request: ChatRequest) => Behaviour | null = () => null
  let isRevoked = false

  const reply = (response: ServerResponse, status: number, body: string, headers: Record<string, string> = {}): void =>
    void response.writeHead(status, { "content-type": "application/json; charset=utf-8", ...headers }).end(body)

  const authorized = (request: IncomingMessage): string | null => {
    const [, token] = /^Bearer (\S+)$/.exec(request.headers.authorization ?? "") ?? []
    if (token === undefined) return "not_authed"
    if (token !== chatToken) return "invalid_auth"
    return isRevoked ? "token_revoked" : null
  }

  /** Does what was asked, unless this request is to be treated otherwise. */
  const treat = (request: ChatRequest, response: ServerResponse, act: () => void): void => {
    requests.push(request)
    const behaviour = planned.get(request.method)?.shift() ?? rule(request)
    if (behaviour === null) return act()
    switch (behaviour._tag) {
      case "rateLimited":
        return reply(
          response,
          429,
          JSON.stringify({ ok: false, error: "ratelimited" }),
          behaviour.retryAfter === null ? {} : { "retry-after": String(behaviour.retryAfter) }
        )
      case "status":
        return reply(response, behaviour.status, "<html>Something went wrong</html>", { "content-type": "text/html" })
      case "error":
        return reply(response, 200, JSON.stringify({ ok: false, error: behaviour.code }))
      case "body":
        return reply(
          response,
          200,
          behaviour.text,
          behaviour.type === undefined ? {} : { "content-type": behaviour.type }
        )
      case "redirect":
        return reply(response, 302, "", { location: behaviour.location })
      case "slow":
        return void setTimeout(act, behaviour.millis)
      case "drop":
        if (behaviour.after) {
          response.end = () => response
          response.writeHead = () => response
          act()
        }
        return void response.socket?.destroy()
    }
  }

  const respond = (response: ServerResponse, answer: Answer): void => {
    if (typeof answer !== "string") return reply(response, 200, JSON.stringify({ ok: true, ...answer }))
    const [error = "", field] = answer.split(" ")
    const messages = field === undefined ? {} : { messages: [`[ERROR] missing required field: ${field}`] }
    reply(response, 200, JSON.stringify({ ok: false, error, response_metadata: messages }))
  }

  const call = (request: IncomingMessage, response: ServerResponse, method: string, body: Buffer): void => {
    const type = (request.headers["content-type"] ?? "").split(";")[0]?.trim()
    const refused = authorized(request)
    if (refused !== null) return respond(response, refused)
    if (request.method !== "POST" || (type !== "application/x-www-form-urlencoded" && body.length > 0)) {
      return respond(response, "invalid_post_type")
    }
    const args = Object.fromEntries(new URLSearchParams(body.toString()))
    treat({ method, args }, response, () => {
      const before = state.messages.length
      respond(response, answerOf(state, method, args, base))
      for (const message of state.messages.slice(before)) posts.unsafeOffer(message)
    })
  }

  const upload = (response: ServerResponse, id: string, body: Buffer) =>
    treat({ method: "upload", args: { id } }, response, () => {
      const file = state.files.get(id)
      if (file === undefined || body.length !== file.size) return reply(response, 400, "bad upload")
      file.content = body
      reply(response, 200, `OK - ${body.length}`, { "content-type": "text/plain" })
    })

  const download = (request: IncomingMessage, response: ServerResponse, id: string) => {
    if (authorized(request) !== null) return reply(response, 302, "", { location: "https://chat.example.org/login" })
    treat({ method: "download", args: { id } }, response, () => {
      const content = state.files.get(id)?.content
      if (content === undefined || content === null) return reply(response, 404, "")
      response.writeHead(200, { "content-type": "application/octet-stream" }).end(content)
    })
  }

  const handle = (request: IncomingMessage, response: ServerResponse, body: Buffer): void => {
    const [, kind, rest = ""] = /^\/([^/]+)\/(.*)$/.exec(request.url ?? "") ?? []
    if (kind === "api") return call(request, response, rest, body)
    if (kind === "upload") return upload(response, rest.replace("v1/", ""), body)
    if (kind === "files-pri") return download(request, response, rest.split("/")[0] ?? "")
    if (kind === "commands" && request.headers["content-type"]?.startsWith("application/json") === true) {
      return treat({ method: "respond", args: {} }, response, () => {
        responses.unsafeOffer(JSON.parse(body.toString()))
        reply(response, 200, "ok")
      })
    }
    reply(response, 404, "")
  }

  const base = `${yield* serve((request, response) =>
    void buffer(request).then((body) => handle(request, response, body), () => response.destroy())
  )}/`
  return {
    url: new URL(`${base}api/`),
    token: Redacted.make(chatToken),
    state,
    requests,
    callsOf: (method) => requests.filter((one) => one.method === method).map(({ args }) => args),
    posts,
    responses,
    misbehave: (method, ...behaviours) => void planned.set(method, [...(planned.get(method) ?? []), ...behaviours]),
    misbehaveIf: (given) => void (rule = given),
    revokeToken: () => void (isRevoked = true),
    responseUrl: `${base}commands/T0TEAM/1/secret`
  }
})
