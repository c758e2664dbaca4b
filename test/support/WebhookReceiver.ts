import { Effect, Queue, type Scope } from "effect"
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http"
import { text } from "node:stream/consumers"

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
  const server = yield* Effect.acquireRelease(
    Effect.async<ReturnType<typeof createServer>>((resume) => {
      const take = (request: IncomingMessage, response: ServerResponse, body: string) => {
        const posted = { path: request.url ?? "", headers: request.headers, body }
        seen.push(posted)
        posts.unsafeOffer(posted)
        const treat = planned.shift() ?? answers(204)
        treat(response, posted)
      }
      const made = createServer((request, response) =>
        void text(request).then((body) => take(request, response, body), () => response.destroy())
      )
      made.listen(0, "127.0.0.1", () => resume(Effect.succeed(made)))
    }),
    (made) =>
      Effect.async<void>((resume) => {
        made.close(() => resume(Effect.void))
        made.closeAllConnections()
      })
  )
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}/hook?key=1`,
    posts,
    seen,
    misbehave: (...treatments) => void planned.push(...treatments)
  }
})
