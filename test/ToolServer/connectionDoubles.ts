import { Effect } from "effect"
import type { RequestListener } from "node:http"
import { serve } from "../support/LocalServer.ts"
import type { connected } from "../support/ToolServerFixture.ts"
import { program } from "../support/ToolServerFixture.ts"

export type Server = Parameters<typeof connected>[0]

export const addressOf = (answer: RequestListener) => Effect.map(serve(answer), (url) => `${url}/mcp`)

export const command = (command: string, ...args: ReadonlyArray<string>): Server => ({
  ...program(args),
  command
})
