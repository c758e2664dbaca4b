import { HttpClient } from "@effect/platform"
import { NodeHttpClient } from "@effect/platform-node"
import { assert } from "@effect/vitest"
import { CurrentUser } from "@troupe/api/Authentication"
import type { Caller } from "@troupe/domain/Caller"
import { UserId } from "@troupe/domain/Ids"
import { Duration, Effect, Layer, Logger, LogLevel, Option, Redacted } from "effect"
import { ScheduledJobs } from "../../src/Runtime/Cluster/ScheduledJobs.ts"
import { Signals } from "../../src/Runtime/Database/Signals.ts"
import * as Sql from "../../src/Runtime/Database/Sql.ts"
import { Sealing } from "../../src/Runtime/Sealing.ts"
import { AccessTokens } from "../../src/ToolServer/AccessTokens.ts"
import { Authorizations } from "../../src/ToolServer/Authorizations.ts"
import { ToolServerRepo } from "../../src/ToolServer/ToolServerRepo.ts"
import { ToolServers } from "../../src/ToolServer/ToolServers.ts"
import { ToolServerSettings } from "../../src/ToolServer/ToolServerSettings.ts"
import { ToolServerSignIn } from "../../src/ToolServer/ToolServerSignIn.ts"
import { authorizationServer, protectedToolServer } from "../support/AuthorizationServer.ts"
import * as Database from "../support/Database.ts"
import { eventually } from "../support/Eventually.ts"
import { configure } from "./world.ts"

const rules = { isHosted: false, allowStdio: false, maxCallSeconds: 600 }

const publicUrl = new URL("https://troupe.example.org/team/")

export const caller = (name: string, role: Caller["role"] = "member"): Caller => ({ id: UserId.make(name), role })

export const [ann, ben, owner] = [caller("ann"), caller("ben"), caller("olga", "owner")]

const stored = Layer.mergeAll(ToolServerRepo.layer, Authorizations.layer, ScheduledJobs.layerMemory).pipe(
  Layer.provideMerge(Signals.layerLocal),
  Layer.provideMerge(Sealing.layer(Option.some(Redacted.make("k".repeat(32))))),
  Layer.provideMerge(Layer.orDie(Sql.layer({ maxConnections: 4 })))
)

/** A team's service without its HTTP, so that servers of this machine can be reached. */
export const team = Layer.mergeAll(
  ToolServerSettings.layer({ rules, timeout: "500 millis" }),
  ToolServerSignIn.layer({ rules, publicUrl }),
  ToolServers.layer({
    connectTimeout: Duration.seconds(20),
    callTimeout: Duration.seconds(20),
    stepTimeout: { parent: Duration.minutes(5), subagent: Duration.minutes(10) },
    rules,
    acceptChanges: false,
    admin: null
  })
).pipe(
  Layer.provideMerge(AccessTokens.layer({ isHosted: false, admin: null })),
  Layer.provideMerge(stored),
  Layer.provideMerge(Database.layer),
  Layer.provideMerge(Logger.minimumLogLevel(LogLevel.None))
)

/** What the browser of the person brings back from the authorization server. */
export const begun = (person: Caller) =>
  Effect.gen(function*() {
    const { connect } = yield* ToolServerSignIn
    const { url } = yield* Effect.provideService(connect("srv", undefined), CurrentUser, person)
    const { headers } = yield* HttpClient.get(url)
    return { page: new URL(url), answer: new URL(headers["location"] ?? "").searchParams }
  }).pipe(Effect.scoped, Effect.provide(NodeHttpClient.layerUndici))

export const connects = (person: Caller) =>
  Effect.gen(function*() {
    const { complete } = yield* ToolServerSignIn
    const { answer } = yield* begun(person)
    return yield* complete(answer, person)
  })

export const forgets = (person: Caller) =>
  Effect.flatMap(ToolServerSignIn, ({ forget }) => Effect.provideService(forget("srv"), CurrentUser, person))

export const calls = (user?: Caller) =>
  Effect.gen(function*() {
    const servers = yield* ToolServers
    const tools = yield* eventually(Effect.sync(() => servers.tools()), ({ length }) => length > 0)
    const [tool] = tools
    assert(tool !== undefined)
    return yield* Effect.either(servers.call(tool, {}, undefined, undefined, user?.id))
  })

export const failureOf = (user?: Caller) =>
  Effect.map(calls(user), (outcome) => outcome._tag === "Left" ? outcome.left.what : "made")

export const world = (entry: object = { per_user: true }) =>
  Effect.gen(function*() {
    const authority = yield* authorizationServer()
    const tools = yield* protectedToolServer(authority)
    yield* configure({})
    yield* configure({ srv: { url: tools.address, ...entry } })
    return { authority, tools }
  })
