import { request } from "@effect/platform-node/Undici"
import { assert, it } from "@effect/vitest"
import { Context, Effect, Layer, Redacted } from "effect"
import * as chatHandler from "../../../src/apps/chatHandler.ts"
import { Settings } from "../../../src/Runtime/Settings/Settings.ts"
import { layerSettings } from "../../Http/TestServer.ts"
import { sendCommand, sendInteraction } from "../../support/ChatEvents.ts"
import { chatToken, makeChatPlatform, signingSecret } from "../../support/ChatPlatform.ts"
import * as Database from "../../support/Database.ts"
import { eventually } from "../../support/Eventually.ts"
import { freshFolder } from "../../support/FreshFolder.ts"
import { freePort } from "../../support/Processes.ts"

it.scopedLive("the chat handler serves the slash command, buttons and its health on a port of its own, and nothing else", () =>
  Effect.gen(function*() {
    const platform = yield* makeChatPlatform
    platform.state.user("ADA", { name: "ada" })
    platform.state.channel("GENERAL")
    const folder = yield* freshFolder
    const database = yield* Database.freshDatabase
    const port = yield* freePort
    const settings = Context.get(
      yield* Layer.build(layerSettings({
        DATABASE_URL: Redacted.value(database),
        DATA_DIR: folder,
        CHAT_HANDLER_PORT: String(port),
        DRAIN_SECONDS: "0",
        CHAT_API_URL: platform.url.href,
        CHAT_BOT_TOKEN: chatToken,
        CHAT_SIGNING_SECRET: signingSecret
      })),
      Settings
    )
    yield* Layer.build(chatHandler.layer(settings))
    const url = `http://127.0.0.1:${port}`
    const ask = (text: string) =>
      sendCommand(platform, `${url}/team-chat/command`, { user: "UADA", channel: "CGENERAL", text })
    // A worker makes the task and answers.
    assert.include((yield* ask("Write a poem")).body, "the answer follows")
    assert.include((yield* ask("tasks")).body, "no tasks")
    assert.strictEqual((yield* sendInteraction(`${url}/team-chat/interactive`, { user: { id: "UADA" } })).status, 200)
    const get = (path: string) =>
      Effect.promise(() =>
        request(`${url}${path}`).then(({ body, statusCode }) =>
          body.text().then((text) => ({ status: statusCode, text }))
        )
      )
    assert.include((yield* get("/team-chat/health")).text, "\"status\":\"ok\"")
    const health = yield* get("/health")
    assert.deepInclude({ status: health.status, body: JSON.parse(health.text).status }, { status: 200, body: "ok" })
    const metrics = yield* get("/metrics")
    assert.strictEqual(metrics.status, 200)
    assert.include(metrics.text, "troupe_")
    assert.strictEqual((yield* get("/tasks")).status, 404)
    assert.strictEqual((yield* Database.query(database, "select from inbound_messages", [])).length, 1)
    const name = new URL(Redacted.value(database)).pathname.slice(1)
    yield* Database.query(yield* Database.freshDatabase, `drop database ${name} with (force)`)
    yield* eventually(get("/health"), ({ status }) => status === 503)
  }))
