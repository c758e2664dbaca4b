import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import { CurrentUser } from "@troupe/api/Authentication"
import { TroupeApi } from "@troupe/api/TroupeApi"
import { Effect } from "effect"
import { pageById } from "../../Runtime/Database/Page.ts"
import { deliveryOf, Webhooks } from "./Webhooks.ts"
import { WebhookTypes } from "./WebhookTypes.ts"

const service = "troupe-webhooks"

export const WebhooksHttp = HttpApiBuilder.group(
  TroupeApi,
  "webhooks",
  (handlers) =>
    Effect.map(Webhooks, (webhooks) =>
      handlers
        .handle(
          "health",
          () => Effect.map(webhooks.stats, (queue_stats) => ({ status: "ok" as const, queue_stats, service }))
        )
        .handle("stats", () => webhooks.report)
        .handle("status", () => webhooks.status)
        .handle("deliveries", (request) =>
          pageById(
            request,
            (piece) => webhooks.list({ ...request.urlParams, source: request.urlParams.source ?? "webhook", ...piece })
          ))
        .handle("delivery", ({ path }) => Effect.flatMap(deliveryOf(path.delivery_id), webhooks.find))
        .handle("replay", ({ path }) =>
          deliveryOf(path.delivery_id).pipe(
            Effect.bindTo("replay_of"),
            Effect.bind("message_id", ({ replay_of }) => webhooks.replay(replay_of))
          ))
        .handleRaw("receiveTeamChat", ({ request }) => webhooks.receive("team-chat", request))
        .handleRaw("receive", ({ path, request }) => webhooks.receive(path.webhook_type, request)))
)

export const WebhookTypesHttp = HttpApiBuilder.group(
  TroupeApi,
  "webhookTypes",
  (handlers) =>
    Effect.map(WebhookTypes, ({ configure, find, list, remove }) =>
      handlers
        .handle("list", () => list)
        .handle("find", ({ path }) => find(path.webhook_type))
        .handle(
          "configure",
          ({ path, payload }) => Effect.flatMap(CurrentUser, ({ id }) => configure(path.webhook_type, payload, id))
        )
        .handle("remove", ({ path }) => Effect.flatMap(CurrentUser, ({ id }) => remove(path.webhook_type, id))))
)
