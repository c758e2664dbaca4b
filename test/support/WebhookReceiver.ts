import { Effect, Queue, type Scope } from "effect"
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http"
import { text } from "node:stream/consumers"
import { serve } from "./LocalServer.ts"

export interface Posted {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** How a request is answered; by default with 204. */
export type Treatment = (response: ServerResponse, posted: Posted) => void

export const answers =
  (status: number, headers: Readonly<Record<string, string>> = {}, body = ""): Treatment => (response) =>
    void response.writeHead(status, headers).end(body)

/** Closes the connection without an answer. */
export const drops: Treatment = (response) => void response.socket?.destroy()

export interface WebhookReceiver {
  readonly url: string
  readonly posts: Queue.Dequeue<Posted>
  /** Every request so far. */
  readonly seen: ReadonlyArray<Posted>
  /** The next requests are treated so, one after the other. */
  readonly misbehave: (...treatments: ReadonlyArray<Treatment>) => void
}

/** A receiver of webhooks on a real socket. */
export const makeReceiver: Effect.Effect<WebhookReceiver, never, Scope.Scope> = Effect.gen(function*() {
  const posts = yield* Queue.unbounded<Posted>()
  const seen: Array<Posted> = []
  const planned: Array<Treatment> = []
  const take = (request: IncomingMessage, response: ServerResponse, body: string) => {
    const posted = { path: request.url ?? "", headers: request.headers, body }
    seen.push(posted)
    posts.unsafeOffer(posted)
    const treat = planned.shift() ?? answers(204)
    treat(response, posted)
  }
  const url = yield* serve((request, response) =>
    void text(request).then((body) => take(request, response, body), () => response.destroy())
  )
  return {
    url: `${url}/hook?key=1`,
    posts,
    seen,
    misbehave: (...treatments) => void planned.push(...treatments)
  }
})
