import { HttpServer } from "@effect/platform"
import { NodeHttpServer } from "@effect/platform-node"
import { it } from "@effect/vitest"
import { isUserId } from "@troupe/domain/Ids"
import { PersonUnknown } from "@troupe/domain/User"
import { Context, Effect, Layer, Scope } from "effect"
import type { YieldWrap } from "effect/Utils"
import { AgentUses } from "../../src/Agent/Definition/AgentUses.ts"
import { TaskPreview } from "../../src/Agent/TaskPreview.ts"
import * as Http from "../../src/apps/Http.ts"
import { Notifications } from "../../src/Delivery/Notifications.ts"
import { OutboxOperations } from "../../src/Delivery/OutboxOperations.ts"
import { Subscriptions } from "../../src/Delivery/Subscriptions.ts"
import { Files } from "../../src/File/Files.ts"
import { Sandbox } from "../../src/File/Sandbox.ts"
import * as NodeServer from "../../src/Http/NodeServer.ts"
import { StorageUsage } from "../../src/Http/StorageUsage.ts"
import { ChatSenders } from "../../src/Intake/Chat/ChatSenders.ts"
import { InboundQueue } from "../../src/Intake/InboundQueue.ts"
import { IgnoredMails } from "../../src/Intake/Mail/IgnoredMails.ts"
import { Schedules } from "../../src/Intake/Schedule/Schedules.ts"
import { Unattended } from "../../src/Intake/Unattended/Unattended.ts"
import { Webhooks } from "../../src/Intake/Webhook/Webhooks.ts"
import { WebhookTypes } from "../../src/Intake/Webhook/WebhookTypes.ts"
import { MemoryRecords } from "../../src/Memory/MemoryRecords.ts"
import { Models } from "../../src/Model/Models.ts"
import { Channels } from "../../src/People/Channel/Channels.ts"
import { ChannelSync } from "../../src/People/Channel/ChannelSync.ts"
import { Memberships } from "../../src/People/Channel/Memberships.ts"
import { ChatHealth } from "../../src/People/ChatHealth.ts"
import { AccessTokens } from "../../src/People/SignIn/AccessTokens.ts"
import { Identity } from "../../src/People/SignIn/Identity.ts"
import { SignIn } from "../../src/People/SignIn/SignIn.ts"
import { Team } from "../../src/People/Team/Team.ts"
import { Users } from "../../src/People/User/Users.ts"
import { PolicyChanges } from "../../src/Policy/PolicyChanges.ts"
import type { ListenFailed } from "../../src/Runtime/Process/ListenFailed.ts"
import { RateLimits } from "../../src/Runtime/RateLimits.ts"
import { Settings } from "../../src/Runtime/Settings/Settings.ts"
import { StoredSettings } from "../../src/Runtime/Settings/StoredSettings.ts"
import { BulkOperations } from "../../src/Task/Bulk/BulkOperations.ts"
import { ApprovalList } from "../../src/Task/Read/ApprovalList.ts"
import { WorkerHealth } from "../../src/Task/Read/Runners.ts"
import { TaskHistory } from "../../src/Task/Read/TaskHistory.ts"
import { TaskThreads } from "../../src/Task/Read/TaskThreads.ts"
import { Limits } from "../../src/Task/Spending/Limits.ts"
import { PersonalData } from "../../src/Task/UseCase/PersonalData.ts"
import { TaskSteps } from "../../src/Task/UseCase/TaskSteps.ts"
import { ToolServerRepo } from "../../src/ToolServer/ToolServerRepo.ts"
import { ToolServerSettings } from "../../src/ToolServer/ToolServerSettings.ts"
import { ToolServerSignIn } from "../../src/ToolServer/ToolServerSignIn.ts"
import { ToolTests } from "../../src/ToolServer/ToolTests.ts"
import { unconfiguredChat } from "../support/UnconfiguredChat.ts"
import { type Fakes, layerAgents, layerHealth, layerSkills, layerTasks, makeFakes } from "./Fakes.ts"

/** Use-cases that no test calls unless it gives its own. */
const unused = Layer.mergeAll(
  Layer.mock(ApprovalList, {}),
  Layer.mock(BulkOperations, {}),
  Layer.mock(Channels, {}),
  Layer.mock(ChannelSync, {}),
  Layer.mock(ChatHealth, {}),
  Layer.mock(ChatSenders, {}),
  Layer.mock(AccessTokens, {}),
  Layer.mock(Files, {}),
  Layer.mock(InboundQueue, {}),
  Layer.mock(Memberships, {}),
  Layer.mock(MemoryRecords, {}),
  Layer.mock(Notifications, {}),
  Layer.mock(IgnoredMails, {}),
  Layer.mock(OutboxOperations, {}),
  Layer.mock(PersonalData, {}),
  Layer.mock(PolicyChanges, {}),
  Layer.mock(Sandbox, {}),
  Layer.mock(Schedules, {}),
  Layer.mock(StorageUsage, {}),
  Layer.mock(StoredSettings, {}),
  Layer.mock(Subscriptions, {}),
  Layer.mock(TaskHistory, {}),
  Layer.mock(Limits, { spending: () => Effect.succeed([]) }),
  Layer.mock(TaskPreview, {}),
  Layer.mock(TaskSteps, {}),
  Layer.mock(TaskThreads, {}),
  Layer.mock(Team, {}),
  Layer.mock(AgentUses, {}),
  Layer.mock(ToolServerRepo, { listed: Effect.succeed([]) }),
  Layer.mock(ToolServerSettings, {}),
  Layer.mock(ToolServerSignIn, {}),
  Layer.mock(ToolTests, {}),
  Layer.mock(Models, {}),
  Layer.mock(Users, {
    named: ({ given, path }) =>
      isUserId(given)
        ? Effect.succeed(given)
        : new PersonUnknown({ path, given, is_ambiguous: false, candidates: [] })
  }),
  Layer.mock(Unattended, {}),
  Layer.mock(Webhooks, {}),
  Layer.mock(WebhookTypes, {}),
  Layer.mock(WorkerHealth, { report: Effect.never })
)

/** The whole HTTP side over fake use-cases, except those given; the server itself is left open. */
export const app = (fakes: Fakes, given: Layer.Layer<never> = Layer.empty, consoleFolder: string | null = null) =>
  Layer.unwrapEffect(Effect.map(Settings, (settings) => Http.api(settings, consoleFolder))).pipe(
    Layer.provide(
      Layer.unwrapEffect(
        Effect.map(Settings, ({ http }) => RateLimits.layerMemory({ perMinute: http.rateLimitPerMinute }))
      )
    ),
    Layer.provide(
      Layer.mergeAll(
        unused,
        layerTasks(fakes),
        layerHealth,
        layerAgents(fakes),
        layerSkills(fakes),
        Identity.layerSelfHosted,
        SignIn.layerNone,
        unconfiguredChat,
        given
      )
    )
  )

/** In process, on the platform's own test server: the endpoints, and clients that derive from one contract. */
export const inProcess = (...parts: Parameters<typeof app>) =>
  app(...parts).pipe(
    Layer.provideMerge(NodeHttpServer.layerTest),
    Layer.provide([NodeServer.Shutdown.layer, layerSettings({ ALLOWED_HOSTS: "0.0.0.0" })])
  )

export const layerSettings = (values: Readonly<Record<string, string>> = {}) =>
  Layer.orDie(Settings.layerFrom({ PORT: "0", DRAIN_SECONDS: "0", ...values }))

/** The real server on a free port; yields the port. */
export const started = (
  fakes: Fakes,
  settings: Readonly<Record<string, string>> = {},
  given: Layer.Layer<never> = Layer.empty,
  consoleFolder: string | null = null
): Effect.Effect<number, ListenFailed, Scope.Scope> =>
  Layer.build(
    app(fakes, given, consoleFolder).pipe(
      Layer.provideMerge(
        Layer.unwrapEffect(Effect.map(Settings, (settings) => NodeServer.layer(Http.httpOptions(settings))))
      ),
      Layer.provide([NodeServer.Shutdown.layer, layerSettings(settings), NodeHttpServer.layerContext])
    )
  ).pipe(
    Effect.map((context) => Context.get(context, HttpServer.HttpServer).address),
    Effect.map((address) => (address._tag === "TcpAddress" ? address.port : 0))
  )

/** The servers with settings that keep nothing of a caller, which the tests of a process share: a start takes longer than a test. */
const shared = new Map<string, Effect.Effect<{ readonly port: number; readonly fakes: Fakes }, ListenFailed>>()

const server = (settings: Readonly<Record<string, string>>) =>
  Effect.gen(function*() {
    const fakes = makeFakes()
    return { port: yield* started(fakes, settings), fakes }
  })

const sharedServer = (settings: Readonly<Record<string, string>>) => {
  const key = JSON.stringify(settings)
  const known = shared.get(key) ?? Effect.runSync(
    Effect.cached(Effect.flatMap(Scope.make(), (scope) => Scope.extend(server(settings), scope)))
  )
  shared.set(key, known)
  return Effect.tap(known, ({ fakes }) => Effect.sync(() => Object.assign(fakes, makeFakes())))
}

/** A test of the real server over fake use-cases, which are new for each test. */
export const onServer = (
  name: string,
  test: (
    server: { readonly port: number; readonly fakes: Fakes }
  ) => Generator<YieldWrap<Effect.Effect<unknown, unknown, Scope.Scope>>, unknown, never>,
  settings: Readonly<Record<string, string>> = {}
) =>
  it.scopedLive(name, () =>
    Effect.gen(function*() {
      const isLimited = Object.keys(settings).some((setting) => setting.includes("LIMIT"))
      const running = yield* isLimited ? server(settings) : sharedServer(settings)
      yield* Effect.gen(() => test(running))
    }))
