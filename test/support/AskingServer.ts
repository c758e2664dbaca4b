import {
  type CallToolResult,
  createMcpHandler,
  type InputRequiredResult,
  type McpHttpHandler,
  Server,
  type ServerContext
} from "@modelcontextprotocol/server"
import { Effect, type Scope } from "effect"
import type { IncomingMessage, ServerResponse } from "node:http"
import { serve } from "./LocalServer.ts"

/** A call as the tool gets it, in each of its rounds. */
export interface Round {
  readonly tool: string
  readonly args: Readonly<Record<string, unknown>>
  readonly responses: Readonly<Record<string, unknown>> | undefined
  readonly state: string | undefined
}

export interface AskingServer {
  readonly url: string
  readonly rounds: () => ReadonlyArray<Round>
  /** Makes the server list one tool more and say so. */
  readonly grow: () => void
}

type Answer = (round: Round, context: ServerContext) => CallToolResult | InputRequiredResult | Promise<CallToolResult>

interface Options {
  readonly older?: boolean
  /** False: the request is answered already. `url`: of this server. */
  readonly admits?: (request: IncomingMessage, response: ServerResponse, url: string) => Promise<boolean>
}

/** A server over HTTP by the protocol's own library. It speaks 2026-07-28, or with `older` only the versions before it. */
export const askingServer = (
  tools: Readonly<Record<string, Answer>>,
  { admits = () => Promise.resolve(true), older = false }: Options = {}
): Effect.Effect<AskingServer, never, Scope.Scope> =>
  Effect.gen(function*() {
    const rounds: Array<Round> = []
    let more: ReadonlyArray<string> = []
    const handler: McpHttpHandler = createMcpHandler(() => {
      const server = new Server({ name: "asking", version: "1" }, { capabilities: { tools: { listChanged: true } } })
      server.setRequestHandler("tools/list", () => ({
        tools: [...Object.keys(tools), ...more].map((name) => ({ name, inputSchema: { type: "object" as const } }))
      }))
      server.setRequestHandler("tools/call", ({ params }, context) => {
        const { inputResponses: responses, requestState } = context.mcpReq
        const state = requestState()
        const round = {
          tool: params.name,
          args: params.arguments ?? {},
          responses,
          state: typeof state === "string" ? state : undefined
        }
        rounds.push(round)
        return tools[params.name]?.(round, context) ?? { content: [] }
      })
      return server
    })
    const base = yield* serve((request, response) => {
      if (older && request.headers["mcp-method"] !== undefined) return void response.writeHead(400).end()
      void admits(request, response, `${base}/mcp`).then((isAdmitted) =>
        isAdmitted ? toResponse(handler, request, response) : undefined
      )
    })
    return {
      url: `${base}/mcp`,
      rounds: () => rounds,
      grow: () => {
        more = [...more, `more${more.length}`]
        handler.notify.toolsChanged()
      }
    }
  })

const toResponse = async (handler: McpHttpHandler, request: IncomingMessage, response: ServerResponse) => {
  const chunks: Array<Buffer> = []
  for await (const chunk of request) chunks.push(Buffer.from(chunk))
  const gone = new AbortController()
  response.on("close", () => gone.abort())
  const answer = await handler.fetch(
    new Request(`http://localhost${request.url ?? "/"}`, {
      method: request.method ?? "GET",
      headers: Object.entries(request.headers).map(([name, value]): [string, string] => [name, String(value)]),
      signal: gone.signal,
      ...(chunks.length === 0 ? {} : { body: Buffer.concat(chunks) })
    })
  )
  response.writeHead(answer.status, Object.fromEntries(answer.headers))
  if (answer.body !== null) { for await (const chunk of answer.body) response.write(chunk) }
  response.end()
}

export const text = (words: string): CallToolResult => ({ content: [{ type: "text", text: words }] })
