import { assert, it } from "@effect/vitest"
import { foreignEndpoint, type ServerMetadata } from "../../src/Wire/Grantor.ts"

const metadata = (issuer: string, page: string, tokens: string): ServerMetadata => ({
  issuer,
  authorization_endpoint: page,
  token_endpoint: tokens,
  response_types_supported: ["code"]
})

it("An authorization server may have its endpoints on other hosts of its site, or of its page for signing in", () => {
  for (
    const [issuer, page, tokens] of [
      ["https://github.com/login/oauth", "https://github.com/login/oauth/authorize", "https://github.com/login/token"],
      [
        "https://cf.mcp.atlassian.com",
        "https://mcp.atlassian.com/v1/authorize",
        "https://cf.mcp.atlassian.com/v1/token"
      ],
      ["https://api.figma.com", "https://www.figma.com/oauth/mcp", "https://api.figma.com/v1/oauth/token"],
      ["https://vercel.com", "https://vercel.com/oauth/authorize", "https://api.vercel.com/login/oauth/token"],
      // The page is of the customer, the rest of the provider; and the other way round.
      ["https://test.stytch.example/v1", "https://app.example.org/authorize", "https://test.stytch.example/v1/token"],
      ["https://mcp.example.org", "https://x.auth.example/authorize", "https://x.auth.example/token"],
      ["http://localhost:8080/realms/x", "http://localhost:8080/realms/x/auth", "http://localhost:8080/realms/x/token"]
    ] as const
  ) assert.isNull(foreignEndpoint(metadata(issuer, page, tokens)), issuer)
})

it("An authorization server names no endpoint of another site", () => {
  for (
    const tokens of [
      "https://evil.example/token",
      "https://auth.example.com.evil.example/token",
      "https://192.168.1.1/token",
      "http://localhost:8080/token",
      "http://[::1]/token",
      "no address"
    ]
  ) {
    const issuer = "https://auth.example.com"
    const named = metadata(issuer, `${issuer}/authorize`, tokens)
    const good = metadata(issuer, `${issuer}/authorize`, `${issuer}/token`)
    assert.strictEqual(foreignEndpoint(named), tokens)
    assert.strictEqual(foreignEndpoint({ ...good, registration_endpoint: tokens }), tokens)
    assert.strictEqual(foreignEndpoint({ ...good, revocation_endpoint: tokens }), tokens)
  }
  const local = metadata("http://127.0.0.1:1", "http://127.0.0.1:1/authorize", "http://127.0.0.1:2/token")
  assert.strictEqual(foreignEndpoint(local), "http://127.0.0.1:2/token")
})
