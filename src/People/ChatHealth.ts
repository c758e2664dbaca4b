import type { TeamChatHealth } from "@troupe/api/ChannelsApi"
import { Context, Duration, Effect, Layer } from "effect"
import { type ChatFailed, ChatPlatform, isUnauthorized } from "../Chat/ChatPlatform.ts"

/** Whether the chat platform accepts our token. */
export class ChatHealth extends Context.Tag("troupe/People/ChatHealth")<ChatHealth, {
  readonly check: Effect.Effect<TeamChatHealth>
}>() {
  /** `canReceive`: there is a secret to verify the platform's requests with. */
  static readonly layer = (
    options: { readonly canReceive: boolean }
  ): Layer.Layer<ChatHealth, never, ChatPlatform> =>
    Layer.effect(
      this,
      Effect.map(ChatPlatform, ({ health }) =>
        ChatHealth.of({
          check: Effect.gen(function*() {
            const [elapsed, found] = yield* Effect.timed(Effect.either(health))
            const latency_ms = Math.round(Duration.toMillis(elapsed))
            if (found._tag === "Left") {
              const { reason } = found.left
              return { status: statusOf(found.left), team: null, bot_user_id: null, latency_ms, detail: reason }
            }
            const { name, team, userId } = found.right
            const received = options.canReceive
              ? "Its events are accepted where they are signed."
              : "Its events are refused until CHAT_SIGNING_SECRET is set."
            const detail = `The chat platform accepts the token as ${name ?? userId} of ${team}. ${received}`
            return { status: "ok" as const, team, bot_user_id: userId, latency_ms, detail }
          }).pipe(Effect.withSpan("ChatHealth.check"))
        }))
    )
}

const statusOf = (failure: ChatFailed): TeamChatHealth["status"] =>
  failure.kind === "unconfigured" ? "not_configured" : isUnauthorized(failure) ? "unauthorized" : "unreachable"
