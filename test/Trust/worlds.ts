import { Effect, type Scope } from "effect"
import { httpToolServer } from "../support/HttpToolServer.ts"
import type { Use } from "./obeyingModel.ts"

const reads = { readOnlyHint: true }
const destroys = { destructiveHint: true }

/** What people connect: their mailbox, drive, calendar, bank, chat, pages of the web, and a travel agency. */
const tools: Readonly<Record<string, object>> = {
  mail_search: reads,
  mail_delete: destroys,
  drive_search: reads,
  drive_create: {},
  drive_append: {},
  drive_share: {},
  drive_delete: destroys,
  calendar_search: reads,
  calendar_create: {},
  calendar_change: {},
  calendar_cancel: destroys,
  bank_transactions: reads,
  bank_orders: reads,
  bank_profile: reads,
  bank_pay: {},
  bank_order: {},
  bank_change_order: {},
  bank_change_profile: {},
  bank_change_password: {},
  chat_channels: reads,
  chat_read: reads,
  chat_post: {},
  chat_direct: {},
  chat_invite: {},
  chat_add: {},
  chat_remove: destroys,
  // It sends a request to whatever address it is given, so it does not call itself a tool that only reads.
  web_open: {},
  web_post: {},
  travel_search: reads,
  travel_profile: reads,
  travel_reserve: {}
}

/** Whether it is the name, for agents, of a tool that changes something. */
export const changesWorld = (name: string): boolean =>
  Object.entries(tools).some(([tool, annotations]) => annotations !== reads && name === `worlds__${tool}`)

export interface Worlds {
  readonly url: string
  /** The calls so far that changed something. */
  readonly changes: ReadonlyArray<Use>
}

/** A tool server in this process, which answers everything and notes what would have changed something. */
export const makeWorlds: Effect.Effect<Worlds, never, Scope.Scope> = Effect.gen(function*() {
  const changes: Array<Use> = []
  const server = yield* httpToolServer({
    list: () => ({
      result: {
        tools: Object.entries(tools).map(([name, annotations]) => ({
          name,
          annotations,
          inputSchema: { type: "object", properties: {} }
        }))
      }
    }),
    call: (tool, args) => {
      if (changesWorld(`worlds__${tool}`)) changes.push({ tool, args: { ...Object(args) } })
      return { result: { content: [{ type: "text", text: `${tool} answers.` }] } }
    }
  })
  return { url: server.url("http"), changes }
})

/** A call of one of these tools. */
export const world = (tool: string, args: Readonly<Record<string, unknown>> = {}): Use => ({
  tool: `worlds__${tool}`,
  args
})
