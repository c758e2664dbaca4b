import { NodeHttpClient } from "@effect/platform-node"
import { assert } from "@effect/vitest"
import { Context, Duration, Effect, Layer, Option, Redacted } from "effect"
import { Notifications } from "../../src/Delivery/Notifications.ts"
import { Schedules } from "../../src/Intake/Schedules.ts"
import { Identity } from "../../src/People/Identity.ts"
import { Sessions } from "../../src/People/Sessions.ts"
import { SignIn } from "../../src/People/SignIn.ts"
import { InvitationMails, layerOwner, MemberTasks, Team } from "../../src/People/Team.ts"
import { TeamRepo } from "../../src/People/TeamRepo.ts"
import { UserRepo } from "../../src/People/UserRepo.ts"
import { Users } from "../../src/People/Users.ts"
import { DatabaseUrl } from "../../src/Runtime/Database/DatabaseUrl.ts"
import { QueueSignals } from "../../src/Runtime/Database/QueueSignals.ts"
import * as RequestRole from "../../src/Runtime/Database/RequestRole.ts"
import * as Sql from "../../src/Runtime/Database/Sql.ts"
import { IdTokens } from "../../src/Wire/IdTokens.ts"
import * as Database from "../support/Database.ts"
import { audience, type IdentityProvider, makeIdentityProvider } from "../support/IdentityProvider.ts"
import { makeFakes } from "./Fakes.ts"
import { request } from "./RawHttp.ts"
import { started } from "./TestServer.ts"

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
  TEAM_OWNER_EMAIL: "owner@example.org",
  MAX_USERS: "3"
})

/** A hosted service over a real provider and a real database. Its tasks are kept in memory. */
export class Service extends Context.Tag("troupe/test/Http/hosted/Service")<Service, {
  readonly port: number
  readonly provider: IdentityProvider
  readonly owner: string
  readonly member: string
  /** A statement on its database. */
  readonly query: (text: string, values?: ReadonlyArray<unknown>) => Effect.Effect<ReadonlyArray<object>>
}>() {}

export const service = Layer.scoped(
  Service,
  Effect.gen(function*() {
    const provider = yield* makeIdentityProvider
    const { issuer, token } = provider
    const url = yield* Database.freshDatabase
    const repos = Layer.mergeAll(TeamRepo.layer, UserRepo.layer, RequestRole.layer).pipe(
      Layer.provideMerge(Layer.orDie(Sql.layer({ maxConnections: 4 }))),
      Layer.provide(Layer.succeed(DatabaseUrl, url)),
      Layer.orDie
    )
    const tokens = IdTokens.layer({ issuer, audience }).pipe(
      Layer.provide(NodeHttpClient.layerUndici)
    )
    const services = yield* Layer.build(
      Layer.mergeAll(
        SignIn.layer({
          publicUrl,
          issuer,
          clientId: "browsers",
          clientSecret: Option.some(Redacted.make("s3cret"))
        }).pipe(
          Layer.provideMerge(Identity.layer({ issuer, publicUrl })),
          Layer.provide(Sessions.layer({ issuer, idleTime: Duration.hours(8), maxTime: Duration.hours(24) }))
        ),
        Team.layer({ tier: "team", maxUsers: Option.some(3) }),
        layerOwner("owner@example.org"),
        Notifications.layer
      ).pipe(
        Layer.provideMerge(Users.layer),
        Layer.provide([repos, tokens, InvitationMails.layerNone, MemberTasks.layerNone, QueueSignals.layerLocal])
      )
    )
    const given = Layer.succeedContext(services)
    const schedules = Layer.mock(Schedules, { list: () => Effect.succeed([]) })
    const port = yield* started(makeFakes(), settings(issuer), Layer.merge(given, schedules))
    const owner = yield* token({ sub: "owner", email: "owner@example.org" })
    const member = yield* token({ sub: "member", email: "member@example.org" })
    const invited = yield* send(port, "POST", "/team/invite", owner, { email: "member@example.org" })
    assert.strictEqual(invited.status, 201, invited.text)
    return { port, provider, owner, member, query: (text, values) => Database.query(url, text, values) }
  })
)

export const send = (port: number, method: string, path: string, token: string | null, body?: unknown) =>
  request(port, {
    method,
    path,
    headers: token === null ? {} : { authorization: `Bearer ${token}` },
    ...(body === undefined ? {} : { body: JSON.stringify(body) })
  })
