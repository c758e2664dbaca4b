import { NodeHttpClient } from "@effect/platform-node"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { invalidOf, type Operation, operations, validOf } from "./OpenApiCalls.ts"
import { Service, startService } from "./service.ts"
import { send, walked } from "./walk.ts"
import { given } from "./walkedThings.ts"

/** What takes a tool server that answers, or an authorization server. */
const takesServer = [
  "POST /api/mcp/servers/{server_name}/connect",
  "POST /api/mcp/servers/{server_name}/tools/{tool_name}/test",
  "GET /auth/mcp/callback",
  "GET /auth/mcp/client.json"
]

/** A self-hosted service has no team, whatever is asked of it. */
const hasTeam = ({ path }: Operation) =>
  !path.startsWith("/team/") && !path.startsWith("/api/tokens") &&
  (path === "/auth/session" || path.startsWith("/auth/mcp/") || !path.startsWith("/auth/"))

/** What only the chat platform may call, by its signature; each with the status of a forged request. */
const signed: Readonly<Record<string, number>> = {
  "POST /team-chat/command": 401,
  "POST /team-chat/dm_response": 200,
  "POST /team-chat/interactive": 401
}

layer(Layer.merge(Layer.scoped(Service, startService()), NodeHttpClient.layerUndici), { excludeTestServices: true })(
  "Over the OpenAPI document",
  (it) => {
    for (const operation of operations.filter(({ name }) => name in signed)) {
      it.effect(`${operation.name} refuses what is not signed`, () =>
        Effect.gen(function*() {
          for (const call of [...validOf(operation, {}), ...invalidOf(operation, {})]) {
            const { status, text } = yield* send(call)
            assert.strictEqual(status, signed[operation.name])
            assert.match(text, /invalid[_-]signature/)
          }
        }))
    }
    for (const operation of operations.filter(({ name }) => !(name in signed))) {
      it.effect(`${operation.name} takes what is valid and refuses the rest`, () =>
        Effect.gen(function*() {
          yield* walked(operation, yield* given(operation, "alice"), {
            isThere: hasTeam(operation),
            isWhole: !takesServer.includes(operation.name)
          })
        }))
    }
  }
)
