import type { ChatCommandRequest } from "@troupe/api/ChatRequestsApi"
import { type ChatPost, chatPostText, type ChatReply, chatReplyText } from "@troupe/domain/TeamChat"
import { Context, Effect, Layer } from "effect"
import { newOutboxId, Outbox } from "../../Delivery/Outbox.ts"

/** Messages of the service itself: confirmations, refusals, introductions. */
export class ChatPosts extends Context.Tag("troupe/Intake/Chat/ChatPosts")<ChatPosts, {
  /** Sent once the caller's transaction is committed. */
  readonly post: (to: ChatReply, post: ChatPost) => Effect.Effect<void>
  /** Answers a slash command in the same way, for its user alone. */
  readonly respond: (
    form: Pick<ChatCommandRequest, "channel_id" | "response_url" | "user_id">,
    post: ChatPost
  ) => Effect.Effect<void>
}>() {
  static readonly layer: Layer.Layer<ChatPosts, never, Outbox> = Layer.effect(
    this,
    Effect.map(Outbox, ({ enqueue }) => {
      const add = (recipient: string, post: ChatPost) =>
        Effect.flatMap(newOutboxId, (id) =>
          enqueue([{
            id,
            channel: "chat",
            recipient,
            kind: "post",
            userId: null,
            taskId: null,
            payload: chatPostText(post)
          }]))
      return ChatPosts.of({
        post: (to, post) => add(chatReplyText(to), post),
        respond: ({ channel_id, response_url, user_id }, post) =>
          response_url === undefined
            ? add(user_id, post)
            : add(chatReplyText({ channel: channel_id, thread_ts: null, user: user_id }), {
              ...post,
              response_url
            })
      })
    })
  )
}
