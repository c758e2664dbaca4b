import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { ChatPlatform } from "../../src/Chat/ChatPlatform.ts"
import * as SlackWebApi from "../../src/Chat/Slack/SlackWebApi.ts"
import { ChatHealth } from "../../src/People/ChatHealth.ts"
import { makeChatPlatform } from "../support/ChatPlatform.ts"
import { unconfiguredChat } from "../support/UnconfiguredChat.ts"

const checked = (platform: Layer.Layer<ChatPlatform>, canReceive = true) =>
  Effect.flatMap(ChatHealth, ({ check }) => check).pipe(
    Effect.provide(ChatHealth.layer({ canReceive }).pipe(Layer.provide(platform)))
  )

it.scopedLive("The health of the team chat is what the platform answers to a call", () =>
  Effect.gen(function*() {
    const { callsOf, misbehave, revokeToken, token, url } = yield* makeChatPlatform
    const platform = SlackWebApi.layer({ apiUrl: url, token, timeout: 2_000 })
    assert.deepInclude(yield* checked(platform), { status: "ok", team: "Example", bot_user_id: "UTROUPE" })
    assert.include((yield* checked(platform, false)).detail, "until CHAT_SIGNING_SECRET is set")
    const hasty = SlackWebApi.layer({ apiUrl: url, token, timeout: 100 })
    misbehave("auth.test", { _tag: "status", status: 500 }, { _tag: "slow", millis: 60_000 })
    assert.deepInclude(yield* checked(platform), { status: "unreachable", team: null, bot_user_id: null })
    assert.deepInclude(yield* checked(hasty), { status: "unreachable" })
    assert.strictEqual(callsOf("auth.test").length, 4)
    revokeToken()
    assert.deepInclude(yield* checked(platform), { status: "unauthorized" })
    assert.deepInclude(yield* checked(unconfiguredChat), { status: "not_configured" })
  }))
