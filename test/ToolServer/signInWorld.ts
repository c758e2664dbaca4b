import { Context, Effect } from "effect"
import { authorizationServer, protectedToolServer } from "../support/AuthorizationServer.ts"
import { type SignedService } from "./signIn.ts"

/** One for all tests: a start takes longer than most of them. */
export class Service extends Context.Tag("troupe/test/ToolServer/signInWorld/Service")<Service, SignedService>() {}

export const world = Effect.gen(function*() {
  const authority = yield* authorizationServer()
  const tools = yield* protectedToolServer(authority)
  const service = yield* Service
  yield* service.send("DELETE", "/api/mcp/configure")
  yield* service.configure({ srv: { url: tools.address } })
  return { authority, tools, service }
})

export const timeout = 60_000
