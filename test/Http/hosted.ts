import { assert } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { audience, type IdentityProvider, makeIdentityProvider } from "../support/IdentityProvider.ts"
import { request } from "./RawHttp.ts"
import { Service, startService } from "./service.ts"

/** What only an owner or admin may do. */
export const admins = [
  "DELETE /api/mcp/configure",
  "DELETE /api/skills/x",
  "DELETE /team/members/x",
  "GET /api/mcp/configure",
  "GET /api/outbox",
  "GET /system/history",
  "GET /system/settings",
  "GET /webhook/deliveries",
  "GET /webhook/deliveries/x",
  "POST /api/channels/sync",
  "POST /api/channels/x/sync",
  "POST /api/mcp/configure",
  "POST /api/mcp/servers/x/accept",
  "POST /api/outbox/x/retry",
  "POST /api/skills/",
  "POST /api/skills/reload",
  "POST /team/invite",
  "POST /webhook/deliveries/x/replay",
  "PUT /api/channels/x/members/x",
  "PUT /api/skills/x",
  "PUT /team/members/x"
]

/** Where browsers see the service. */
export const publicUrl = new URL("https://troupe.example.org/team/")

export const settings = (issuer: string) => ({
  BACKEND_API_URL: publicUrl.href,
  DEPLOYMENT_MODE: "hosted",
  OIDC_ISSUER: issuer,
  OIDC_AUDIENCE: audience,
  OIDC_CLIENT_ID: "browsers",
  OIDC_CLIENT_SECRET: "s3cret",
  TEAM_OWNER_EMAIL: "owner@example.org",
  TIER: "team",
  MAX_USERS: "3"
})

/** The identity provider of a hosted service, and tokens of its owner and a member. */
export class People extends Context.Tag("troupe/test/Http/hosted/People")<People, {
  readonly provider: IdentityProvider
  readonly owner: string
  readonly member: string
}>() {}

export const hosted = (given: Readonly<Record<string, string>> = {}) =>
  Layer.scopedContext(Effect.gen(function*() {
    const provider = yield* makeIdentityProvider
    const service = yield* startService({ ...settings(provider.issuer), ...given })
    const owner = yield* provider.token({ sub: "owner", email: "owner@example.org" })
    const member = yield* provider.token({ sub: "member", email: "member@example.org" })
    const invited = yield* send(service.port, "POST", "/team/invite", owner, { email: "member@example.org" })
    assert.strictEqual(invited.status, 201, invited.text)
    return Context.make(Service, service).pipe(Context.add(People, { provider, owner, member }))
  }))

export const send = (port: number, method: string, path: string, token: string | null, body?: unknown) =>
  request(port, {
    method,
    path,
    headers: token === null ? {} : { authorization: `Bearer ${token}` },
    ...(body === undefined ? {} : { body: JSON.stringify(body) })
  })
