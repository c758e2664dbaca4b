import * as HttpApi from "@effect/platform/HttpApi"
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import { WebhookReceipt } from "@troupe/domain/Webhook"
import { Schema } from "effect"
import * as IntakeProblems from "./IntakeProblems.ts"
import { Healthy, Unhealthy } from "./SystemApi.ts"
import * as TaskProblems from "./TaskProblems.ts"
import { WebhookBody, WebhookStats, webhookType } from "./WebhooksApi.ts"

export const IngestorInfo = Schema.Struct({
  name: Schema.String,
  version: Schema.String,
  webhooks: Schema.String.annotations({ description: "Path that accepts webhooks" })
})

/** The standalone receiver of webhooks, which has no sign-in. */
export class IngestorApi extends HttpApi.make("ingestor").add(
  HttpApiGroup.make("ingestor")
    .add(HttpApiEndpoint.get("info", "/").addSuccess(IngestorInfo))
    .add(HttpApiEndpoint.get("health", "/health").addSuccess(Healthy).addSuccess(Unhealthy))
    .add(HttpApiEndpoint.get("stats", "/stats").addSuccess(WebhookStats).addError(TaskProblems.searchUnfinished))
    .add(HttpApiEndpoint.get("metrics", "/metrics").addSuccess(Schema.String))
    .add(
      HttpApiEndpoint.post("receive")`/webhook/${webhookType}`
        .setPayload(WebhookBody)
        .addSuccess(WebhookReceipt)
        .addError(IntakeProblems.webhookUnverified)
    )
) {}
