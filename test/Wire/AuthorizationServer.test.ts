import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { notPublic } from "../../src/Runtime/NetworkAddress.ts"
import { makeAuthorizationServers } from "../../src/Wire/AuthorizationServer.ts"
import { serve } from "../support/LocalServer.ts"

it.scopedLive("A hosted service asks nothing of an authorization server in its own network", () =>
  Effect.gen(function*() {
    let requests = 0
    const address = yield* serve((_, response) => {
      requests++
      response.writeHead(200, { "content-type": "application/json" }).end("{}")
    })
    const { port } = new URL(address)
    const { discover, refresh } = makeAuthorizationServers(true)
    for (
      const [url, reason] of [
        [`${address}/mcp`, "it is not https"],
        [`https://127.0.0.1:${port}/mcp`, notPublic],
        [`https://[::1]:${port}/mcp`, notPublic],
        [`https://[::ffff:127.0.0.1]:${port}/mcp`, notPublic],
        [`https://2130706433:${port}/mcp`, notPublic],
        [`https://localhost:${port}/mcp`, notPublic]
      ] as const
    ) {
      const found = yield* Effect.flip(discover(url, { metadataUrl: null, scopes: null }))
      assert.include(found.reason, reason, url)
      const named = yield* Effect.flip(discover("https://tools.invalid/mcp", { metadataUrl: url, scopes: null }))
      assert.include(named.reason, reason, url)
      const metadata = {
        issuer: "https://auth.example.com",
        authorization_endpoint: "https://auth.example.com/authorize",
        token_endpoint: url,
        response_types_supported: ["code"]
      }
      const client = { client_id: "ours" }
      const refreshed = yield* Effect.flip(refresh({ metadata, resource: null, client, refreshToken: "old" }))
      assert.include(refreshed.reason, reason, url)
    }
    assert.strictEqual(requests, 0)
  }))
