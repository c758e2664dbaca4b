import { HttpServer } from "@effect/platform"
import { NodeHttpServer } from "@effect/platform-node"
import { assert } from "@effect/vitest"
import { Context, Effect, Layer, Redacted } from "effect"
import { join } from "node:path"
import * as DatabaseLayer from "../../src/apps/Database.ts"
import * as Http from "../../src/apps/Http.ts"
import type * as Intake from "../../src/apps/Intake.ts"
import * as Services from "../../src/apps/Services.ts"
import * as TeamChat from "../../src/apps/TeamChat.ts"
import * as NodeServer from "../../src/Http/NodeServer.ts"
import * as Cluster from "../../src/Runtime/Cluster/Cluster.ts"
import { Settings } from "../../src/Runtime/Settings/Settings.ts"
import { type FakePlatform, makeChatPlatform } from "../support/ChatPlatform.ts"
import * as Database from "../support/Database.ts"
import { freshFolder } from "../support/FreshFolder.ts"
import { layerSettings } from "./TestServer.ts"

/** The service without workers: what is called stays as it is until the next call. */
export class Service extends Context.Tag("troupe/test/Http/service")<Service, {
  readonly port: number
  readonly chat: FakePlatform
  /** The folder of the users' files. */
  readonly files: string
  readonly query: <Row extends object>(
    text: string,
    values?: ReadonlyArray<unknown>
  ) => Effect.Effect<ReadonlyArray<Row>>
}>() {}

const served = (settings: Settings["Type"], background: ReturnType<typeof Intake.layer> | Layer.Layer<never>) =>
  Http.api(settings).pipe(
    Layer.merge(background),
    Layer.provide([Http.rateLimits(settings), Http.healthChecks(settings)]),
    Layer.provideMerge(NodeServer.layer(Http.httpOptions(settings))),
    Layer.provide([NodeServer.Shutdown.layer, NodeHttpServer.layerContext]),
    Layer.provide(TeamChat.requests(settings)),
    Layer.provide(Services.tasks(settings)),
    Layer.provide(Services.shared(settings)),
    Layer.provide(Cluster.client(settings.cluster)),
    Layer.provide(DatabaseLayer.layer(settings))
  )

/**
 * Starts it on a database of its own, beside a chat platform with one channel, by these settings; also what works in the
 * background, if that is given.
 */
export const startService = (
  given: Readonly<Record<string, string>> = {},
  background: typeof Intake.layer | (() => Layer.Layer<never>) = () => Layer.empty
) =>
  Effect.gen(function*() {
    const folder = yield* freshFolder
    const files = join(folder, "files")
    const url = yield* Database.freshDatabase
    const chat = yield* makeChatPlatform
    chat.state.channel("GENERAL")
    const settings = Context.get(
      yield* Layer.build(layerSettings({
        DATABASE_URL: Redacted.value(url),
        DATA_DIR: folder,
        LOCAL_STORAGE_PATH: files,
        SKILLS_PATH: join(folder, "skills"),
        MAX_UPLOAD_MB: "1",
        CHAT_API_URL: chat.url.href,
        CHAT_BOT_TOKEN: Redacted.value(chat.token),
        ...given
      })),
      Settings
    )
    const { address } = Context.get(yield* Layer.build(served(settings, background(settings))), HttpServer.HttpServer)
    assert(address._tag === "TcpAddress")
    return Service.of({
      chat,
      files,
      port: address.port,
      query: (text, values = []) => Database.query(url, text, values)
    })
  })
