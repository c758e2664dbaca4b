import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js"
import { CallToolResultSchema, type ResourceLink } from "@modelcontextprotocol/sdk/types.js"
import { Data, Effect, type Scope } from "effect"

export interface Called {
  readonly isError: boolean
  /** The text of the first block. */
  readonly text: string
  readonly content: Readonly<Record<string, unknown>>
  readonly links: ReadonlyArray<ResourceLink>
  readonly progress: ReadonlyArray<string>
}

/** A client as people use it: the protocol's own. */
export interface McpClient {
  readonly client: Client
  readonly call: (
    name: string,
    args?: Readonly<Record<string, unknown>>,
    options?: { readonly watch: boolean }
  ) => Effect.Effect<Called, McpFailed>
  readonly ask: <A>(question: (client: Client) => Promise<A>) => Effect.Effect<A, McpFailed>
}

/** What the client's promises fail with. */
export class McpFailed extends Data.TaggedError("McpFailed")<{ readonly message: string; readonly cause: unknown }> {}

const failed = (cause: unknown) =>
  new McpFailed({ message: cause instanceof Error ? cause.message : String(cause), cause })

/** The SDK's client drops progress that it receives in one piece with the result, unless the result is handled later. */
const handleOneByOne = (transport: Transport) => {
  const { onmessage } = transport
  Object.assign(transport, {
    onmessage: (...message: Parameters<NonNullable<typeof onmessage>>) =>
      void setImmediate(() => onmessage?.(...message))
  })
}

export const overTransport = (transport: Transport): Effect.Effect<McpClient, McpFailed, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.tryPromise({
        try: () => {
          const client = new Client({ name: "test", version: "1" })
          return client.connect(transport).then(() => {
            handleOneByOne(transport)
            return client
          })
        },
        catch: failed
      }),
      (client) => Effect.promise(() => client.close())
    ),
    (client) => {
      const ask: McpClient["ask"] = (question) => Effect.tryPromise({ try: () => question(client), catch: failed })
      return {
        client,
        ask,
        call: (name, args = {}, { watch } = { watch: false }) => {
          const progress: Array<string> = []
          const onprogress = ({ message = "" }: { readonly message?: string | undefined }) =>
            void progress.push(message)
          return Effect.map(
            ask(() =>
              client.callTool({ name, arguments: { ...args } }, CallToolResultSchema, watch ? { onprogress } : {})
            ),
            (result) => {
              const { content, isError, structuredContent } = CallToolResultSchema.parse(result)
              const [first] = content
              return {
                isError: isError === true,
                text: first?.type === "text" ? first.text : "",
                content: structuredContent ?? {},
                links: content.filter((block) => block.type === "resource_link"),
                progress
              }
            }
          )
        }
      }
    }
  )

export const overHttp = (port: number): Effect.Effect<McpClient, McpFailed, Scope.Scope> =>
  Effect.suspend(() => {
    const transport: Transport = new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${port}/mcp`))
    return overTransport(transport)
  })
