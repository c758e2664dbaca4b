import type { ChatCommandRequest } from "@troupe/api/ChatRequestsApi"
import { type ChatPost, chatPostText, type ChatReply, chatReplyText } from "@troupe/domain/TeamChat"
import { Effect } from "effect"
import { newOutboxId, Outbox } from "../../Delivery/Outbox.ts"

/** Messages of the service itself (confirmations, refusals, introductions), sent once the transaction is committed. */
export const makeChatPosts = Effect.map(Outbox, ({ enqueue }) => {
  const add = (recipient: string, post: ChatPost) =>
    Effect.flatMap(newOutboxId, (id) =>
      enqueue([{
        id,
        channel: "chat",
        recipient,
        kind: "post",
        user_id: null,
        task_id: null,
        payload: chatPostText(post)
      }]))
  return {
    post: (to: ChatReply, post: ChatPost) => add(chatReplyText(to), post),
    /** Answers a slash command, for its user alone. */
    respond: ({ channel_id, response_url, user_id }: ChatCommandRequest, post: ChatPost) =>
      response_url === undefined
        ? add(user_id, post)
        : add(chatReplyText({ channel: channel_id, thread_ts: null, user: user_id }), { ...post, response_url })
  }
})
