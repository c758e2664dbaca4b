import { Effect, type Scope } from "effect"
import { randomUUID } from "node:crypto"
import type { IncomingMessage, ServerResponse } from "node:http"
import { serve } from "./LocalServer.ts"

interface Message {
  readonly id?: number
  readonly method: string
  readonly params?: Readonly<Record<string, unknown>>
}

export interface Refusal {
  readonly status: number
  readonly body: string
}

/** `waiting`: none comes. */
type Answer = { readonly result: unknown } | { readonly error: unknown } | { readonly waiting: true }

/** A tool server over streamable HTTP (`/mcp`) and SSE (`/sse`), with sessions that it can forget. */
export interface HttpToolServer {
  readonly url: (transport: "http" | "sse") => string
  /** The next messages of the sessions so far are refused so. */
  readonly forget: (refusal: Refusal) => void
  /** The sessions that were opened, and the tools that were called in one that was known. */
  readonly opened: () => number
  readonly called: () => ReadonlyArray<string>
  /** The headers of the last message. */
  readonly headers: () => IncomingMessage["headers"]
}

export interface ServerAnswers {
  readonly list?: (cursor: unknown) => Answer
  /** Null cuts the connection; "hang" never answers. */
  readonly call?: (tool: string, args: unknown) => Answer | "hang" | null
  readonly other?: (method: string) => Answer
  readonly capabilities?: Readonly<Record<string, unknown>>
  /** False: the request is answered already. */
  readonly admits?: (request: IncomingMessage, response: ServerResponse) => boolean
}

const oneTool = { result: { tools: [{ name: "count", inputSchema: { type: "object" } }] } }
const counted = { result: { content: [{ type: "text", text: "one" }] } }

export const httpToolServer = (answers: ServerAnswers = {}): Effect.Effect<HttpToolServer, never, Scope.Scope> =>
  Effect.gen(function*() {
    const sessions = new Map<string, ServerResponse | null>()
    const called: Array<string> = []
    let refusal: Refusal = { status: 404, body: "" }
    let opened = 0
    let headers: IncomingMessage["headers"] = {}

    /** None: the connection is cut. */
    const answerOf = ({ id, method, params }: Message): object | "hang" | null => {
      const answer = (): Answer | "hang" | null => {
        switch (method) {
          case "initialize":
            return {
              result: {
                protocolVersion: "2025-06-18",
                capabilities: { tools: {}, ...answers.capabilities },
                serverInfo: { name: "x", version: "1" }
              }
            }
          case "tools/list":
            return answers.list?.(params?.["cursor"]) ?? oneTool
          case "tools/call":
            called.push(String(params?.["name"]))
            return answers.call === undefined ? counted : answers.call(String(params?.["name"]), params?.["arguments"])
          default:
            return answers.other?.(method) ?? { result: {} }
        }
      }
      const given = answer()
      return given === null || given === "hang" ? given : { jsonrpc: "2.0", id, ...given }
    }
    const respond = (response: ServerResponse, message: Message, stream: ServerResponse | null) => {
      if (message.id === undefined) return response.writeHead(202).end()
      const answer = answerOf(message)
      if (answer === "hang") return
      if (answer === null) return response.destroy()
      if ("waiting" in answer) return
      if (stream === null) {
        return response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer))
      }
      response.writeHead(202).end()
      return stream.write(`event: message\ndata: ${JSON.stringify(answer)}\n\n`)
    }
    const post = (request: IncomingMessage, response: ServerResponse, message: Message) => {
      headers = request.headers
      const address = new URL(request.url ?? "", "http://localhost")
      const session = address.searchParams.get("session") ?? String(request.headers["mcp-session-id"])
      if (message.method === "initialize" && address.pathname === "/mcp") {
        opened++
        const id = randomUUID()
        sessions.set(id, null)
        response.setHeader("mcp-session-id", id)
        return respond(response, message, null)
      }
      const stream = sessions.get(session)
      return stream === undefined
        ? response.writeHead(refusal.status).end(refusal.body)
        : respond(response, message, stream)
    }
    const base = yield* serve((request, response) => {
      if (answers.admits?.(request, response) === false) return
      if (request.method === "GET" && request.url === "/sse") {
        opened++
        const id = randomUUID()
        sessions.set(id, response)
        response.writeHead(200, { "content-type": "text/event-stream" })
        return void response.write(`event: endpoint\ndata: /messages?session=${id}\n\n`)
      }
      if (request.method !== "POST") return void response.writeHead(405).end()
      let body = ""
      request.setEncoding("utf8").on("data", (chunk: string) => (body += chunk)).on("end", () => {
        post(request, response, JSON.parse(body))
      })
    })
    return {
      url: (transport) => `${base}/${transport === "sse" ? "sse" : "mcp"}`,
      forget: (next) => {
        sessions.clear()
        refusal = next
      },
      opened: () => opened,
      called: () => called,
      headers: () => headers
    }
  })
