import * as HttpApi from "@effect/platform/HttpApi"
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import { WebhookReceipt } from "@troupe/domain/Webhook"
import { Schema } from "effect"
import { TeamChatApi } from "./ChannelsApi.ts"
import { ChatRequestsApi } from "./ChatRequestsApi.ts"
import * as Problems from "./Problems.ts"
import { Healthy, Unhealthy } from "./SystemApi.ts"
import { WebhookBody, WebhookStats, webhookType } from "./WebhooksApi.ts"

const health = HttpApiEndpoint.get("health", "/health").addSuccess(Healthy).addSuccess(Unhealthy)
const metrics = HttpApiEndpoint.get("metrics", "/metrics").addSuccess(Schema.String)

export const IngestorInfo = Schema.Struct({
  name: Schema.String,
  version: Schema.String,
  webhooks: Schema.String.annotations({ description: "Path that accepts webhooks" })
})

/** The standalone receiver of webhooks, which has no sign-in. */
export class IngestorApi extends HttpApi.make("ingestor").add(
  HttpApiGroup.make("ingestor")
    .add(HttpApiEndpoint.get("info", "/").addSuccess(IngestorInfo))
    .add(health)
    .add(HttpApiEndpoint.get("stats", "/stats").addSuccess(WebhookStats).addError(Problems.searchUnfinished))
    .add(metrics)
    .add(
      HttpApiEndpoint.post("receive")`/webhook/${webhookType}`
        .setPayload(WebhookBody)
        .addSuccess(WebhookReceipt)
        .addError(Problems.webhookUnverified)
    )
) {}

class ProbesApi extends HttpApiGroup.make("probes").add(health).add(metrics) {}

/** What the role chat-handler serves: a part of the whole interface, so that the same handlers serve it. */
export class ChatHandlerApi extends HttpApi.make("troupe").add(ChatRequestsApi).add(TeamChatApi).add(ProbesApi) {}
