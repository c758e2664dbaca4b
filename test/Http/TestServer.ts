import { HttpServer } from "@effect/platform"
import { NodeHttpServer } from "@effect/platform-node"
import { Context, Effect, Layer, type Scope } from "effect"
import * as Http from "../../src/apps/Http.ts"
import { Notifications } from "../../src/Delivery/Notifications.ts"
import { OutboxOperations } from "../../src/Delivery/OutboxOperations.ts"
import { Subscriptions } from "../../src/Delivery/Subscriptions.ts"
import { Files } from "../../src/File/Files.ts"
import { Sandbox } from "../../src/File/Sandbox.ts"
import * as NodeServer from "../../src/Http/NodeServer.ts"
import { ChatSenders } from "../../src/Intake/Chat/ChatSenders.ts"
import { InboundQueue } from "../../src/Intake/InboundQueue.ts"
import { Schedules } from "../../src/Intake/Schedules.ts"
import { Webhooks } from "../../src/Intake/Webhook/Webhooks.ts"
import { MemoryRecords } from "../../src/Memory/MemoryRecords.ts"
import { Channels } from "../../src/People/Channels.ts"
import { ChannelSync } from "../../src/People/ChannelSync.ts"
import { ChatHealth } from "../../src/People/ChatHealth.ts"
import { Identity } from "../../src/People/Identity.ts"
import { Memberships } from "../../src/People/Memberships.ts"
import { Team } from "../../src/People/Team.ts"
import { Users } from "../../src/People/Users.ts"
import type { ListenFailed } from "../../src/Runtime/ListenFailed.ts"
import { RateLimits } from "../../src/Runtime/RateLimits.ts"
import { Settings } from "../../src/Runtime/Settings.ts"
import { PersonalData } from "../../src/Task/PersonalData.ts"
import { TaskThreads } from "../../src/Task/TaskThreads.ts"
import { ToolServerSettings } from "../../src/ToolServer/ToolServerSettings.ts"
import { ChatPlatform } from "../../src/Wire/ChatPlatform.ts"
import { type Fakes, layerHealth, layerSkills, layerTasks, layerTools, layerWorkers } from "./Fakes.ts"

const noPeople: Layer.Layer<People> = Layer.mergeAll(
  Layer.mock(Users, {}),
  Layer.mock(Notifications, {}),
  Layer.mock(MemoryRecords, {})
)

type People = MemoryRecords | Notifications | Users

const noTeamChat = Layer.mergeAll(
  ChatPlatform.layerUnconfigured,
  Layer.mock(ChatSenders, {}),
  Layer.mock(TaskThreads, {}),
  Layer.mock(Memberships, {}),
  Layer.mock(ChannelSync, {}),
  Layer.mock(ChatHealth, {})
)

/** The whole HTTP side over fake use-cases, those given apart; the server itself is left open. */
export const app = (
  fakes: Fakes,
  people: Layer.Layer<People> = noPeople,
  toolServers: Layer.Layer<ToolServerSettings> = Layer.mock(ToolServerSettings, {}),
  identity: Layer.Layer<Identity> = Identity.layerSelfHosted,
  team: Layer.Layer<Team> = Layer.mock(Team, {}),
  files: Layer.Layer<Files> = Layer.mock(Files, {}),
  schedules: Layer.Layer<Schedules> = Layer.mock(Schedules, {}),
  webhooks: Layer.Layer<Webhooks> = Layer.mock(Webhooks, {}),
  subscriptions: Layer.Layer<Subscriptions> = Layer.mock(Subscriptions, {}),
  outbox: Layer.Layer<OutboxOperations> = Layer.mock(OutboxOperations, {}),
  channels: Layer.Layer<Channels> = Layer.mock(Channels, {})
) =>
  Layer.unwrapEffect(Effect.map(Settings, Http.api)).pipe(
    Layer.provide(
      Layer.unwrapEffect(Effect.map(Settings, ({ http }) => RateLimits.layerOwn(http.rateLimitPerMinute)))
    ),
    Layer.provide([
      layerTasks(fakes),
      Layer.mock(PersonalData, {}),
      webhooks,
      layerHealth(fakes),
      layerTools,
      layerWorkers,
      layerSkills(fakes),
      Layer.mock(InboundQueue, {}),
      Layer.mock(Sandbox, {}),
      noTeamChat,
      channels,
      toolServers,
      people,
      identity,
      team,
      files,
      schedules,
      subscriptions,
      outbox
    ])
  )

/** In process, on the platform's own test server: the endpoints, and clients that derive from one contract. */
export const inProcess = (...parts: Parameters<typeof app>) =>
  app(...parts).pipe(
    Layer.provideMerge(NodeHttpServer.layerTest),
    Layer.provide([NodeServer.Shutdown.layer, layerSettings({ ALLOWED_HOSTS: "0.0.0.0" })])
  )

export const layerSettings = (values: Readonly<Record<string, string>> = {}) =>
  Layer.orDie(Settings.layerFrom({ PORT: "0", ...values }))

/** The real server on a free port; yields the port. */
export const started = (
  fakes: Fakes,
  settings: Readonly<Record<string, string>> = {},
  served: ReturnType<typeof app> = app(fakes)
): Effect.Effect<number, ListenFailed, Scope.Scope> =>
  Layer.build(
    served.pipe(
      Layer.provideMerge(
        Layer.unwrapEffect(Effect.map(Settings, (settings) => NodeServer.layer(Http.httpOptions(settings))))
      ),
      Layer.provide([NodeServer.Shutdown.layer, layerSettings(settings), NodeHttpServer.layerContext])
    )
  ).pipe(
    Effect.map((context) => Context.get(context, HttpServer.HttpServer).address),
    Effect.map((address) => (address._tag === "TcpAddress" ? address.port : 0))
  )
