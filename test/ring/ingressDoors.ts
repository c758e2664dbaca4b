import { HttpClient, HttpClientRequest } from "@effect/platform"
import { NodeHttpClient } from "@effect/platform-node"
import { assert } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { say, signed } from "../support/ChatEvents.ts"
import type { FakePlatform } from "../support/ChatPlatform.ts"
import { botUserId } from "../support/ChatPlatformState.ts"

/** Work that is long enough to be interrupted, and that leaves a file. */
export const work = (file: string): string =>
  [
    "use wait {\"seconds\": 4}",
    `use write_file {"path": "${file}", "content": "made for ${file}"}`,
    `use attach_file {"path": "${file}"}`
  ].join("\n\n")

export const times = 5

/** Webhooks that arrive at once. */
export const burst = 50

const Receipt = Schema.parseJson(Schema.Struct({ status: Schema.Literal("received"), message_id: Schema.String }))

const post = (port: number, path: string, body: string, headers: Record<string, string> = {}) =>
  HttpClientRequest.post(`http://127.0.0.1:${port}${path}`).pipe(
    HttpClientRequest.bodyText(body, "application/json"),
    HttpClientRequest.setHeaders(headers),
    HttpClient.execute,
    Effect.flatMap(({ status, text }) => Effect.map(text, (answer) => ({ status, answer }))),
    Effect.provide(NodeHttpClient.layerUndici),
    Effect.scoped
  )

export const mention = (platform: FakePlatform, port: number) =>
  Effect.gen(function*() {
    const user = platform.state.user("ADA", { profile: { email: "ada@example.org" } })
    const channel = platform.state.channel("GENERAL", { members: [user.id, botUserId] })
    const { events, message } = say(platform, {
      channel: channel.id,
      user: user.id,
      text: `<@${botUserId}> ${work("chat.txt")}`
    })
    const deliveries = Array.from({ length: times }, () => events).flat()
    yield* Effect.forEach(deliveries, (event, index) =>
      Effect.gen(function*() {
        const body = JSON.stringify({ type: "event_callback", team_id: "T0TEAM", ...event })
        const retry: Record<string, string> = index < events.length ? {} : { "x-slack-retry-num": "1" }
        const { status } = yield* post(port, "/team-chat/dm_response", body, { ...yield* signed(body), ...retry })
        assert.strictEqual(status, 200)
      }))
    return { channel: channel.id, ts: message.ts }
  })

export const mail = [
  "From: Bela <bela@example.org>",
  "To: troupe@example.org",
  "Subject: A file, please",
  "Message-ID: <one@example.org>",
  "Date: Sun, 22 Nov 2026 10:00:00 +0000",
  "Content-Type: text/plain; charset=utf-8",
  "",
  ...work("mail.txt").split("\n"),
  ""
].join("\r\n")

export const webhook = JSON.stringify({ action: "opened", sender: { login: "cleo" }, repository: { name: "site" } })

/** Sends a webhook; yields the id of its message. */
export const receive = (port: number, type: string, delivery: string, body: string) =>
  post(port, `/webhook/${type}`, body, { "x-github-delivery": delivery }).pipe(
    Effect.tap(({ status }) => assert.strictEqual(status, 200)),
    Effect.flatMap(({ answer }) => Schema.decodeUnknown(Receipt)(answer)),
    Effect.map(({ message_id }) => message_id)
  )

export const types = ["orders", "payments", "refunds"]

export const receiveBurst = (port: number, count: number) =>
  Effect.forEach(
    Array.from({ length: count }, (_, index) => index),
    (index) => receive(port, types[index % types.length] ?? "", `order-${index}`, JSON.stringify({ index })),
    { concurrency: 32 }
  )
