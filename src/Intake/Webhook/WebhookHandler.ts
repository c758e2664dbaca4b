import { Effect, Layer } from "effect"
import { Users } from "../../People/User/Users.ts"
import { AttemptFailed } from "../../Queue/AttemptFailed.ts"
import { Tasks } from "../../Task/UseCase/Tasks.ts"
import { InboundConsumer } from "../InboundConsumer.ts"
import { type InboundMessage } from "../InboundMessage.ts"
import { describe, webhookContextOf } from "./WebhookDescription.ts"
import { decodedBody, webhookPayloadOf } from "./WebhookPayload.ts"
import { webhookSource } from "./Webhooks.ts"

/**
 * Makes a task of each webhook, for the member who sent it or else for the system user; of one type at most
 * `tasksPerMinute` (0: no limit). A body that decompresses to more than `maxBodyBytes` stays compressed.
 */
export const WebhookHandler = (
  { maxBodyBytes, tasksPerMinute }: { readonly maxBodyBytes: number; readonly tasksPerMinute: number }
): Layer.Layer<never, never, InboundConsumer | Tasks | Users> =>
  Layer.scopedDiscard(Effect.gen(function*() {
    const consumer = yield* InboundConsumer
    const tasks = yield* Tasks
    const users = yield* Users

    const taskOf = (message: InboundMessage) =>
      Effect.gen(function*() {
        const userId = message.creator ?? (yield* users.system)
        const payload = webhookPayloadOf({
          body: yield* decodedBody(message, maxBodyBytes),
          contentType: message.contentType
        })
        const { description, title } = describe(message.type, payload.fields)
        return tasks.submit({
          message: description,
          user_id: userId,
          assignee: userId,
          title,
          source: {
            kind: "webhook",
            claim: { field: "webhooks", names: [message.type] },
            context: webhookContextOf({ ...message, payload: payload.text }),
            shown: { outside: "a webhook" },
            toolAccess: message.isVerified ? "all" : "read",
            webhook: {
              type: message.type,
              payload: JSON.stringify(payload.fields),
              headers: JSON.stringify(message.headers),
              sourceIp: message.sourceIp
            }
          }
        }).pipe(
          Effect.map(({ id }) => ({ taskId: id })),
          Effect.mapError(({ message }) => AttemptFailed.refused(message))
        )
      })

    yield* consumer.start({ source: webhookSource, perMinute: tasksPerMinute, prepare: taskOf })
  }))
