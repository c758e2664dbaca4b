import { assert } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { type Browser, makeBrowser, signIn } from "../support/Browser.ts"
import { audience, type IdentityProvider, makeIdentityProvider } from "../support/IdentityProvider.ts"
import { request } from "./RawHttp.ts"
import { Service, startService } from "./service.ts"

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
    const memberToken = yield* provider.token(member)
    const invited = yield* send(service.port, "POST", "/team/invite", owner, { email: member.email })
    assert.strictEqual(invited.status, 201, invited.text)
    return Context.make(Service, service).pipe(Context.add(People, { provider, owner, member: memberToken }))
  }))

export const send = (port: number, method: string, path: string, token: string | null, body?: unknown) =>
  request(port, {
    method,
    path,
    headers: token === null ? {} : { authorization: `Bearer ${token}` },
    ...(body === undefined ? {} : { body: JSON.stringify(body) })
  })

/** The name of the cookie of a session. */
export const session = "__Host-troupe_session"

export const member = { sub: "member", email: "member@example.org" }

/** A browser in which the member has signed in. */
export const signedIn: Effect.Effect<Browser, never, People | Service> = Effect.gen(function*() {
  const { port } = yield* Service
  const { provider } = yield* People
  provider.signsIn(member)
  const browser = makeBrowser(port)
  const last = yield* signIn(browser)
  assert.strictEqual(last.status, 302, last.text)
  return browser
})
