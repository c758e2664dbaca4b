import { type ChatPost, chatPostText } from "@troupe/domain/ChatPost"
import { type ChatReply, chatReplyText } from "@troupe/domain/ChatReply"
import { Context, Effect, Layer } from "effect"
import { newOutboxId, Outbox } from "../../Delivery/Outbox.ts"

/** What we say in the team chat by ourselves: confirmations, refusals, introductions. */
export class ChatPosts extends Context.Tag("troupe/Intake/Chat/ChatPosts")<ChatPosts, {
  /** Leaves once the transaction of the caller is committed. */
  readonly post: (to: ChatReply, post: ChatPost) => Effect.Effect<void>
}>() {
  static readonly layer: Layer.Layer<ChatPosts, never, Outbox> = Layer.effect(
    this,
    Effect.map(Outbox, ({ enqueue }) =>
      ChatPosts.of({
        post: (to, post) =>
          Effect.flatMap(newOutboxId, (id) =>
            enqueue([{
              id,
              channel: "chat",
              recipient: chatReplyText(to),
              kind: "post",
              userId: null,
              taskId: null,
              payload: chatPostText(post)
            }]))
      }))
  )
}
