import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import { TaskId } from "@troupe/domain/Ids"
import {
  DeliverySource,
  FailedWebhook,
  WebhookDelivery,
  WebhookDeliveryContent,
  WebhookDeliveryId,
  WebhookDeliveryState,
  WebhookQueueStats,
  WebhookReceipt,
  WebhookType,
  WebhookTypeChange,
  WebhookTypeView
} from "@troupe/domain/Webhook"
import { Schema } from "effect"
import { AdminOnly, Authentication, WebhookAuthentication } from "./Authentication.ts"
import { checkedWhole, described, pathParameter, titled } from "./Fields.ts"
import { page } from "./Listing.ts"
import * as Problems from "./Problems.ts"

export const webhookType = HttpApiSchema.param(
  "webhook_type",
  WebhookType.annotations({ description: "Type of the webhook: code-host, payments, sms, team-chat or any other name" })
)
const deliveryId = pathParameter("delivery_id", "Delivery id")

/** Any bytes are taken; what is no JSON is kept as text. The handlers read the body themselves. */
export const WebhookBody = Schema.Unknown.annotations({
  description: "Any JSON value; a body of another type is accepted too, and stored as text under raw_body"
})

const queueStats = WebhookQueueStats.annotations({ description: "Deliveries by state" })

export const WebhookHealth = Schema.Struct({
  status: Schema.Literal("ok").annotations({ description: "The queue answers" }),
  queue_stats: queueStats,
  service: Schema.String.annotations({ description: "troupe-webhooks" })
}).annotations({ identifier: "WebhookHealth" })

export const WebhookStats = Schema.Struct({
  queue_stats: queueStats,
  recent_failed_messages: Schema.Array(FailedWebhook).annotations({
    description: "The 20 deliveries that failed last, newest first"
  })
}).annotations({ identifier: "WebhookStats" })

export const WebhookStatus = Schema.Struct({
  status: Schema.Literal("running", "stopped", "not_initialized").annotations({
    description:
      "running: a worker processes the queue. stopped: no worker is alive. not_initialized: no worker was ever"
  }),
  queue_stats: queueStats
}).annotations({ identifier: "WebhookStatus" })

export const WebhookReplay = Schema.Struct({
  message_id: WebhookDeliveryId.annotations({ description: "Id of the new delivery; of chat, the same one" }),
  replay_of: WebhookDeliveryId.annotations({ description: "Id of the delivery whose body it has" })
}).annotations({ identifier: "WebhookReplay", ...HttpApiSchema.annotations({ status: 202 }) })

export const WebhookDeliveryQuery = Schema.Struct({
  source: Schema.optional(
    DeliverySource.annotations({
      description: "webhook (the default), chat (events of the team chat), or the name of another source",
      message: () => "the name of a source, such as webhook or chat"
    })
  ),
  type: Schema.optional(WebhookType.annotations({ description: "Only deliveries of this type" })),
  state: Schema.optional(
    WebhookDeliveryState.annotations({
      description: "Only deliveries in this state",
      message: () => "pending, processing, failed or done"
    })
  ),
  task_id: Schema.optional(TaskId.annotations({ description: "Only the delivery that became this task" })),
  ...page(WebhookDeliveryId)
})

/** Webhooks of other services: each becomes a task. */
export class WebhooksApi extends HttpApiGroup.make("webhooks")
  .add(
    HttpApiEndpoint.get("health", "/webhook/health")
      .addSuccess(WebhookHealth)
      .addError(Problems.searchUnfinished)
      .annotateContext(described("Whether the queue of webhooks is available"))
  )
  .add(
    HttpApiEndpoint.get("stats", "/webhook/stats")
      .addSuccess(WebhookStats)
      .addError(Problems.searchUnfinished)
      .annotateContext(described("How many webhooks are queued and failed, and the last failures"))
  )
  .add(
    HttpApiEndpoint.get("status", "/webhook/status")
      .addSuccess(WebhookStatus)
      .addError(Problems.searchUnfinished)
      .annotateContext(described("Whether a worker processes webhooks"))
  )
  .add(
    HttpApiEndpoint.get("deliveries", "/webhook/deliveries")
      .setUrlParams(checkedWhole(WebhookDeliveryQuery))
      .addSuccess(Schema.Array(WebhookDelivery))
      .addError(Problems.searchUnfinished)
      .middleware(AdminOnly)
      .annotateContext(described("The webhooks, or events of the team chat, that arrived, newest first"))
  )
  .add(
    HttpApiEndpoint.get("delivery")`/webhook/deliveries/${deliveryId}`
      .addSuccess(WebhookDeliveryContent)
      .addError(Problems.webhookDeliveryNotFound)
      .middleware(AdminOnly)
      .annotateContext(described("A delivery with its headers, without secrets, and its payload"))
  )
  .add(
    HttpApiEndpoint.post("replay")`/webhook/deliveries/${deliveryId}/replay`
      .addSuccess(WebhookReplay)
      .addError(Problems.webhookDeliveryNotFound)
      .addError(Problems.webhookDeliveryEmptied)
      .middleware(AdminOnly)
      .annotateContext(
        described("Makes a new task from the stored body of a webhook; a failed chat event is processed again")
      )
  )
  .middlewareEndpoints(Authentication)
  .add(
    HttpApiEndpoint.post("receive")`/webhook/${webhookType}`
      .setPayload(WebhookBody)
      .addSuccess(WebhookReceipt)
      .addError(Problems.webhookUnverified)
      .middleware(WebhookAuthentication)
      .annotateContext(described(
        "Accepts a webhook: 200 once it is committed; a worker then makes a task of it. In hosted mode it needs a valid "
          + "signature of its type (WEBHOOK_SECRET_<TYPE>) or, where the type has no secret, a token. On a self-hosted service, "
          + "the task of an unsigned webhook from another machine has read-only tools"
      ))
  )
  .add(
    HttpApiEndpoint.post("receiveTeamChat", "/webhook/team-chat")
      .setPayload(WebhookBody)
      .addSuccess(WebhookReceipt)
      .addError(Problems.webhookUnverified)
      .annotateContext(described("Accepts a webhook of type team-chat: no token, but a rate limit"))
  )
  .annotateContext(titled("Webhooks", "Webhooks of other services: each becomes a task."))
{}

/** What is set for types of webhooks. */
export class WebhookTypesApi extends HttpApiGroup.make("webhookTypes")
  .add(
    HttpApiEndpoint.get("list", "/api/webhook-types")
      .addSuccess(Schema.Array(WebhookTypeView))
      .annotateContext(described("The types that are configured, and those of which something was delivered, by name"))
  )
  .add(
    HttpApiEndpoint.get("find")`/api/webhook-types/${webhookType}`
      .addSuccess(WebhookTypeView)
      .addError(Problems.webhookTypeNotFound)
      .annotateContext(described("A type of webhooks; of its secret, whether there is one"))
  )
  .add(
    HttpApiEndpoint.put("configure")`/api/webhook-types/${webhookType}`
      .setPayload(checkedWhole(WebhookTypeChange))
      .addSuccess(WebhookTypeView)
      .addError(Problems.settingsRefused)
      .addError(Problems.secretsUnsealed)
      .annotateContext(described(
        "Configures a type, within 10 seconds in every process. What is left out stays as it is. With a secret, deliveries "
          + "with a valid signature are accepted at POST /webhook/{type} without a token, in hosted mode too"
      ))
  )
  .add(
    HttpApiEndpoint.del("remove")`/api/webhook-types/${webhookType}`
      .addError(Problems.webhookTypeNotFound)
      .addError(Problems.settingsRefused)
      .annotateContext(
        described("Removes what is stored for a type; deliveries stay. 400 where the environment or .env sets it")
      )
  )
  .middlewareEndpoints(AdminOnly)
  .middlewareEndpoints(Authentication)
  .annotateContext(titled("Webhook types", "Secrets, signatures and trust of webhooks by type."))
{}
